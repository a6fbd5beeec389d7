"""Markdown to chunks along its headings (D8): a real parser reads it, so that a # in a code block is no heading."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

_LEVELS = ("h1", "h2", "h3")
_KEY = re.compile(r"""(?:"[^"]{1,60}"|'[^']{1,60}'|\w[\w.-]{0,59}(?: [\w.-]{1,59}){0,2}):(?:\s|$)""")
"""A line of front matter: a key of three words at most, quoted or not."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """`headings`: the titles above it, by level h1 to h3. `text`: Markdown source lines."""

    headings: dict[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class _Block:
    """`head`, `tail`: lines that each piece of it begins and ends with where it has to be split, so that a table keeps
    its columns' names and code its fences."""

    text: str
    head: str = ""
    tail: str = ""


@dataclass(slots=True)
class _Section:
    headings: dict[str, str] = field(default_factory=dict)
    blocks: list[_Block] = field(default_factory=list)
    line: str = ""
    """The heading as it is written."""


def chunks(markdown: str, count: Callable[[str], int], max_tokens: int = 400) -> list[Chunk]:
    """Split at #, ##, ### and, where a section is longer than `max_tokens`, between its blocks (never inside a code
    block or table unless that alone is longer; then between its lines, a table's header and a code block's fences
    with each piece). A heading with nothing below it is a chunk of its own: outlines say what they say in headings."""
    # A byte order mark before it would make a first heading a paragraph.
    text = _without_front_matter(markdown.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    out: list[Chunk] = []
    for section in _sections(text):
        out.extend(Chunk(section.headings, piece) for piece in _packed(section.blocks, count, max_tokens))
    return out


def _without_front_matter(markdown: str) -> str:
    """YAML between two rules at the very start. What may be text between two rules is text: only a mapping goes, and
    no line is blank before it."""
    lines = markdown.split("\n")
    if lines[0].rstrip() != "---":
        return markdown
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
    inner = lines[1:end]
    is_mapping = bool(inner) and bool(_KEY.match(inner[0])) and all(_may_be_mapping(line) for line in inner)
    if end and (is_mapping or not any(line.strip() for line in inner)):
        return "\n".join(lines[end + 1 :])
    return markdown


def _may_be_mapping(line: str) -> bool:
    """A key, what belongs to one (indented, an item, the end of a list), a comment, or nothing."""
    return not line.strip() or line[0] in " \t#]}" or line.startswith("- ") or bool(_KEY.match(line))


def _sections(text: str) -> list[_Section]:
    lines = text.split("\n")  # as the parser counts them: other separators are characters of a line
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    sections, done = [_Section()], 0
    for i, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting == -1:
            continue
        start, end = token.map
        sections[-1].blocks.extend(_unparsed(lines[done:start]))
        done = end
        if token.type == "heading_open" and token.tag in _LEVELS:
            headings = _below(sections[-1].headings, token, tokens[i + 1].content)
            written = "\n".join(lines[start:end]).strip()
            sections.append(_Section(headings, line=written if tokens[i + 1].content.strip() else ""))
        else:
            sections[-1].blocks.append(_block("\n".join(lines[start:end]).strip("\n"), token))
    sections[-1].blocks.extend(_unparsed(lines[done:]))
    for section, following in zip(sections, [*sections[1:], None], strict=True):
        if _is_empty(section) and section.line and (following is None or not _holds(section, following)):
            section.blocks = [_Block(section.line)]
    return [s for s in sections if not _is_empty(s)]


def _unparsed(lines: list[str]) -> list[_Block]:
    """What the parser makes no token of: definitions of link references, whose address and title are text here."""
    text = "\n".join(lines).strip("\n")
    return [_Block(text)] if text.strip() else []


def _block(text: str, token: Token) -> _Block:
    lines = text.split("\n")
    if token.type == "table_open":
        return _Block(text, "\n".join(lines[:2]))
    if token.type == "fence" and lines[-1].strip() == token.markup and len(lines) > 2:
        return _Block(text, lines[0], lines[-1])
    return _Block(text)


def _is_empty(section: _Section) -> bool:
    return not any(b.text.strip() for b in section.blocks)


def _holds(section: _Section, following: _Section) -> bool:
    """Whether the next section lies below this one."""
    return section.headings.items() < following.headings.items()


def _below(headings: dict[str, str], token: Token, title: str) -> dict[str, str]:
    rank = _LEVELS.index(token.tag)
    return {**{k: v for k, v in headings.items() if _LEVELS.index(k) < rank}, token.tag: title.strip()}


def _packed(blocks: list[_Block], count: Callable[[str], int], limit: int) -> list[str]:
    pieces = [p for b in blocks for p in ([b.text] if count(b.text) <= limit else _split(b, count, limit))]
    out: list[str] = []
    for piece in pieces:
        joined = f"{out[-1]}\n\n{piece}" if out else piece
        if out and count(joined) <= limit:
            out[-1] = joined
        else:
            out.append(piece)
    return [piece for piece in out if piece.strip()]


def _split(block: _Block, count: Callable[[str], int], limit: int) -> list[str]:
    """A block that is too long alone. What each piece repeats may take half of it; beyond that it is split plainly."""
    if not block.head or 2 * count(f"{block.head}\n\n{block.tail}") > limit:
        return _lines(block.text, count, limit)
    inner = block.text.removeprefix(block.head + "\n")
    if block.tail:
        inner = inner.removesuffix("\n" + block.tail)

    def whole(piece: str) -> str:
        return "\n".join(part for part in (block.head, piece, block.tail) if part)

    return [whole(piece) for piece in _lines(inner, lambda text: count(whole(text)), limit) if piece.strip()]


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
