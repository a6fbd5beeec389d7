"""Markdown to chunks along its headings (D8): a real parser reads it, so that a # in a code block is no heading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

_LEVELS = ("h1", "h2", "h3")


@dataclass(frozen=True, slots=True)
class Chunk:
    """`headings`: the titles above it, by level h1 to h3. `text`: Markdown source lines."""

    headings: dict[str, str]
    text: str


@dataclass(slots=True)
class _Section:
    headings: dict[str, str] = field(default_factory=dict)
    blocks: list[str] = field(default_factory=list)


def chunks(markdown: str, count: Callable[[str], int], max_tokens: int = 400) -> list[Chunk]:
    """Split at #, ##, ### and, where a section is longer than `max_tokens`, between its blocks (never inside a code
    block or table unless that alone is longer; then between its lines)."""
    text = _without_front_matter(markdown.replace("\r\n", "\n").replace("\r", "\n"))
    out: list[Chunk] = []
    for section in _sections(text):
        out.extend(Chunk(section.headings, piece) for piece in _packed(section.blocks, count, max_tokens))
    return out


def _without_front_matter(markdown: str) -> str:
    lines = markdown.split("\n")
    if lines and lines[0].strip() == "---":
        for i, line in enumerate(lines[1:], 1):
            if line.strip() in ("---", "..."):
                return "\n".join(lines[i + 1 :])
    return markdown


def _sections(text: str) -> list[_Section]:
    lines = text.split("\n")  # as the parser counts them: other separators are characters of a line
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    sections = [_Section()]
    for i, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting == -1:
            continue
        if token.type == "heading_open" and token.tag in _LEVELS:
            sections.append(_Section(_below(sections[-1].headings, token, tokens[i + 1].content)))
        else:
            sections[-1].blocks.append("\n".join(lines[token.map[0] : token.map[1]]).strip("\n"))
    return [s for s in sections if any(b.strip() for b in s.blocks)]


def _below(headings: dict[str, str], token: Token, title: str) -> dict[str, str]:
    rank = _LEVELS.index(token.tag)
    return {**{k: v for k, v in headings.items() if _LEVELS.index(k) < rank}, token.tag: title.strip()}


def _packed(blocks: list[str], count: Callable[[str], int], limit: int) -> list[str]:
    pieces = [p for b in blocks for p in ([b] if count(b) <= limit else _lines(b, count, limit))]
    out: list[str] = []
    for piece in pieces:
        joined = f"{out[-1]}\n\n{piece}" if out else piece
        if out and count(joined) <= limit:
            out[-1] = joined
        else:
            out.append(piece)
    return [piece for piece in out if piece.strip()]


def _lines(block: str, count: Callable[[str], int], limit: int) -> list[str]:
    """A block that is too long alone: by lines, a line that is too long by sentence ends, else by characters."""
    out: list[str] = []
    for line in block.split("\n"):
        for part in _sentences(line, count, limit):
            joined = f"{out[-1]}\n{part}" if out else part
            if out and count(joined) <= limit:
                out[-1] = joined
            else:
                out.append(part)
    return out


def _sentences(line: str, count: Callable[[str], int], limit: int) -> list[str]:
    if len(line) <= 1 or count(line) <= limit:
        return [line]
    half = len(line) // 2
    ends = [i + 1 for i, c in enumerate(line) if c in ".!?。！？；;"]
    cut = min(ends, key=lambda i: abs(i - half)) if ends and ends[0] < len(line) else half
    cut = cut if 0 < cut < len(line) else half
    return _sentences(line[:cut], count, limit) + _sentences(line[cut:], count, limit)
