"""The access log's sink."""
