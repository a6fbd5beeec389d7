"""Several things that an English sentence lists are a statement each: "my allergies: latex, wasps and kiwi", "I play:
chess, darts"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from processors.reader.rules.words_en import alternatives

_HEAD = re.compile(
    r"(?:(?:so|and|ok|okay|hi|hello|right)[, ]{1,2})?"
    rf"(?:(?P<verb>I (?:{alternatives('listed_by')}))"
    r"|(?P<whose>my |our )(?P<what>(?:(?!(?:is|are|of|for|to|in|with|and|that|me|you|it)\b)[a-z][\w-]* ){0,3}"
    r"[a-z][\w-]*(?<!s)s)"
    rf"|(?P<known>(?:current |regular )?(?:{alternatives('heads_a_list')}))): ?(?=\S)",
    re.I,
)
_NO_LIST = re.compile(rf"\b(?:{alternatives('no_list')})\b", re.I)
_BETWEEN = re.compile(r"(?:,| and|, and|;) ")
_ASIDE = re.compile(r" \([^()]{1,20}\)$")
_ITEM = re.compile(
    r"(?!(?:i|we|it|he|she|they|you|please|no|not|and|but|or|so)\b)[\w$£€'/.-]+(?: [\w$£€%'/.:-]+){0,5}", re.I
)
FEWEST = 2
MOST = 6


def listed_en(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the statements of the first person of a sentence that lists things, each with the place of its words;
    nothing of one that lists none."""
    head = _HEAD.match(text)
    if head is None or _NO_LIST.search(head.group()) or '"' in text or "_" in text:
        return
    items = []
    start = head.end()
    for cut in [*_BETWEEN.finditer(text, head.end()), None]:
        end = cut.start() if cut else len(text)
        items.append((text[start:end].strip(" ,.;"), start, end))
        start = cut.end() if cut else end
    plain = [(_ASIDE.sub("", item), begin, end) for item, begin, end in items]
    if not FEWEST <= len(plain) <= MOST or not all(_ITEM.fullmatch(item) for item, *_ in plain):
        return
    for item, begin, end in plain:
        if head["verb"]:
            yield f"{head['verb']} {item}", begin, end
        else:
            what = head["what"] or head["known"]
            yield f"{(head['whose'] or 'my ').lower()}{what[0].lower()}{what[1:]} include {item}", begin, end
