"""A session's history as a prompt has it, line by line (E2, E4): who counts its tokens and who renders it agree."""

from __future__ import annotations

_LABELS = {"user": "User", "assistant": "AI", "system": "System", "tool": "Tool"}
_SUMMARY = {"zh": "历史摘要"}


def line(role: str, speaker: str | None, content: str) -> str:
    """`User: ...`, or the speaker's own name where the turn has one."""
    return f"{speaker or _LABELS[role]}: {content}"


def summary_line(summary: str, language: str) -> str:
    return f"{_SUMMARY.get(language, 'Summary')}: {summary}"
