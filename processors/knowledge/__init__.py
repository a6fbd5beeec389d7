"""The knowledge step: Markdown documents become chunks."""
