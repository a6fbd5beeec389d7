"""The operators' page: server-rendered, no outside address, no build step."""
