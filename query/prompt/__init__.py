"""Prompts: intents, passages and layout within a token budget."""
