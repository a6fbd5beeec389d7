"""Alignment of two token sequences: what is shared, what stands in the other's place, what moved."""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from processors.dedupe.features import BREAK, HAN, LISTED, NAME, Features, is_number, stem
from processors.dedupe.lexicon import (
    COORDINATORS,
    EN_ATTRIBUTION,
    EN_AUXILIARY,
    EN_FILLER,
    LIST_JOINERS,
    PHRASE_STARTS,
    ZH_FILLER,
    ZH_HOMOPHONES,
)

_LIGHT = COORDINATORS | EN_FILLER | EN_ATTRIBUTION | ZH_FILLER | EN_AUXILIARY


Slot = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Alignment:
    """pairs: matched token positions (a, b), each position once, sorted by a; slots: spans that replace each other
    between the same neighbours, as ((a0, a1), (b0, b1)); typos: how many pairs are the same word misspelt; kin: how
    many are words of one family (restate, restatement); left_a, left_b: unmatched positions."""

    pairs: tuple[tuple[int, int], ...]
    slots: tuple[Slot, ...]
    typos: int
    kin: int
    left_a: tuple[int, ...]
    left_b: tuple[int, ...]


def align(a: Features, b: Features) -> Alignment:
    """In-order matches first, then the remaining equal words wherever they stand, then misspellings."""
    keys_a, keys_b = [stem(t) for t in a.tokens], [stem(t) for t in b.tokens]
    matcher = SequenceMatcher(None, keys_a, keys_b, autojunk=False)
    pairs: list[tuple[int, int]] = []
    slots: list[Slot] = []
    for op, a0, a1, b0, b1 in matcher.get_opcodes():
        if op == "equal":
            pairs.extend(zip(range(a0, a1), range(b0, b1), strict=True))
        elif op == "replace":
            slots.append(((a0, a1), (b0, b1)))
    both = _joined(a, b, slots)
    pairs.extend(both)
    free_a = sorted(set(range(len(keys_a))) - {i for i, _ in pairs} - _covered(slots, both, 0))
    free_b = sorted(set(range(len(keys_b))) - {j for _, j in pairs} - _covered(slots, both, 1))
    where = defaultdict(list)
    for j in free_b:
        where[keys_b[j]].append(j)
    for i in list(free_a):
        if where[keys_a[i]]:
            j = where[keys_a[i]].pop(0)
            pairs.append((i, j))
            free_a.remove(i)
            free_b.remove(j)
    flags = {a.tokens[i]: a.flags[i] for i in free_a} | {b.tokens[j]: b.flags[j] for j in free_b}

    def slip(x: str, y: str) -> bool:
        return misspelt(x, y, named=bool((flags[x] | flags[y]) & NAME)) or frozenset((x, y)) in ZH_HOMOPHONES

    typos = kin = 0
    if 4 * len(pairs) >= min(len(keys_a), len(keys_b)):  # else they are about different things; this part is dear
        typos = _match_rest(a, b, pairs, free_a, free_b, slip)
        kin = _match_rest(a, b, pairs, free_a, free_b, akin)
    return Alignment(tuple(sorted(pairs)), tuple(slots), typos, kin, tuple(free_a), tuple(free_b))


def _joined(a: Features, b: Features, slots: list[Slot]) -> list[tuple[int, int]]:
    """Slots with the same letters, written together in one text and apart in the other (well-being, wellbeing)."""
    return [
        (a0, b0)
        for (a0, a1), (b0, b1) in slots
        if "".join(a.tokens[a0:a1]).rstrip("s") == "".join(b.tokens[b0:b1]).rstrip("s")
    ]


def _covered(slots: list[Slot], joined: list[tuple[int, int]], side: int) -> set[int]:
    starts = {pair[side] for pair in joined}
    return {i for slot in slots if slot[side][0] in starts for i in range(*slot[side])}


def _match_rest(
    a: Features,
    b: Features,
    pairs: list[tuple[int, int]],
    free_a: list[int],
    free_b: list[int],
    same: Callable[[str, str], bool],
) -> int:
    found = 0
    for i in list(free_a):
        j = next((j for j in free_b if same(a.tokens[i], b.tokens[j])), None)
        if j is not None:
            pairs.append((i, j))
            free_a.remove(i)
            free_b.remove(j)
            found += 1
    return found


def akin(x: str, y: str) -> bool:
    """Words of one family: five letters and six tenths of the longer in common from the start. English only."""
    if x[:5] != y[:5] or min(len(x), len(y)) < 5 or x >= HAN:
        return False
    shared = next((k for k, (p, q) in enumerate(zip(x, y, strict=False)) if p != q), min(len(x), len(y)))
    return shared >= 0.6 * max(len(x), len(y))


def misspelt(x: str, y: str, named: bool = False) -> bool:
    """One slip of the finger apart: a neighbouring pair swapped, a letter lost, doubled, added or replaced.

    Four letters at least, never numbers or Han. Of a short word a replaced first letter makes another word (hiking,
    biking), and so does most any change in a short name or at its ends (Jon, John; Maria, Mario; Martin, Marvin).
    """
    if abs(len(x) - len(y)) > 1 or min(len(x), len(y)) < 4 or max(x, y) > "\u02ff" or is_number(x) or is_number(y):
        return False
    head = next((k for k, (p, q) in enumerate(zip(x, y, strict=False)) if p != q), min(len(x), len(y)))
    if len(x) == len(y):
        if x[head] == y[head + 1 : head + 2] and y[head] == x[head + 1 : head + 2] and x[head + 2 :] == y[head + 2 :]:
            return True
        if x[head + 1 :] != y[head + 1 :]:
            return False
        if named:
            return 0 < head < len(x) - 1 and len(x) > 6
        return len(x) > (4 if head else 7)
    longer, shorter = (x, y) if len(x) > len(y) else (y, x)
    if longer[head + 1 :] != shorter[head:]:
        return False
    return not named or len(shorter) > 5 or 0 < head < len(longer) - 1 or longer == shorter + "s"


def moved_blocks(a: Features, b: Features, pairs: tuple[tuple[int, int], ...]) -> list[list[tuple[int, int]]]:
    """The matched pairs cut into blocks that stand in both texts in the same inner order, in the order of a.

    Light words are left out: changing the sides of an "and", or "said Ann" for "Ann said", cuts no more than one move.
    """
    kept = [(i, j) for i, j in pairs if a.tokens[i] not in _LIGHT]
    rank = {j: r for r, j in enumerate(sorted(j for _, j in kept))}
    blocks: list[list[tuple[int, int]]] = []
    for i, j in kept:
        if blocks and rank[j] == rank[blocks[-1][-1][1]] + 1:
            blocks[-1].append((i, j))
        else:
            blocks.append([(i, j)])
    return blocks


def same_order(a: Features, b: Features, pairs: tuple[tuple[int, int], ...]) -> bool:
    """Whether the shared words stand in one order, or in two that say the same: whole phrases or list items moved.

    Two items that changed places around what stays between them ("from A to B", "A loves B") are another statement,
    even though no word differs (the pairs of PAWS).
    """
    blocks = moved_blocks(a, b, pairs)
    if len(blocks) <= 1:
        return True
    starts = [block[0] for block in blocks]
    if any(
        _ascending(starts[:k] + starts[k + 1 :]) and _opens_phrase(a, i) and _opens_phrase(b, j)
        for k, (i, j) in enumerate(starts)
    ):
        return True
    if _slipped(a, blocks):
        return True
    targets = sorted(j for _, j in starts)
    moved = [k for k, ((_, j), t) in enumerate(zip(starts, targets, strict=True)) if j != t]
    # Items of one list stand side by side: nothing that stayed lies between the first and the last moved.
    in_one_list = moved[-1] - moved[0] + 1 == len(moved)
    return in_one_list and all(_is_listed(a, blocks[k], 0) and _is_listed(b, blocks[k], 1) for k in moved)


def _ascending(starts: list[tuple[int, int]]) -> bool:
    return all(p[1] < q[1] for p, q in pairwise(starts))


def _slipped(a: Features, blocks: list[list[tuple[int, int]]]) -> bool:
    """Whether all that moved is two neighbouring words or Han characters that changed places, not both names."""
    starts = [block[0] for block in blocks]
    for k, ((i, j), (m, n)) in enumerate(pairwise(starts)):
        alone = len(blocks[k]) == len(blocks[k + 1]) == 1
        if alone and m == i + 1 and j == n + 1 and _ascending([*starts[:k], (m, n), (i, j), *starts[k + 2 :]]):
            both_names = bool(a.flags[i] & a.flags[m] & NAME)
            return not (both_names or is_number(a.tokens[i]) or is_number(a.tokens[m]))
    return False


def _opens_phrase(text: Features, position: int) -> bool:
    """Whether a phrase or clause begins here, or a light word or two before ("the gloves", "is gone")."""
    while True:
        token = text.tokens[position]
        if text.flags[position] & BREAK or token in PHRASE_STARTS or token[0] == "@":
            return True
        before = text.tokens[position - 1]
        if before in COORDINATORS:
            return True
        if before not in _LIGHT:
            return False
        position -= 1


def _is_listed(text: Features, block: list[tuple[int, int]], side: int) -> bool:
    """Whether a list's comma or an "and" stands before or behind the block."""
    first, after = block[0][side], block[-1][side] + 1
    return (
        bool(text.flags[first] & LISTED)
        or (first > 0 and text.tokens[first - 1] in LIST_JOINERS)
        or (after < len(text.tokens) and (bool(text.flags[after] & LISTED) or text.tokens[after] in LIST_JOINERS))
    )


def surplus(a: Features, b: Features) -> tuple[Counter[str], Counter[str]]:
    """Numbers and dates that one text has and the other lacks."""
    left = Counter(t for t in a.tokens if is_number(t))
    right = Counter(t for t in b.tokens if is_number(t))
    return left - right, right - left
