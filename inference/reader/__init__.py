"""A learned reader of conversation turns: what a turn states about its speaker, and how two statements relate."""
