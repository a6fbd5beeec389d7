"""CPU cost of the PII gate a message and the memory of a worker with every model loaded.

Run: `OMP_NUM_THREADS=1 python bench/pii_cost.py [--messages 2048] [--batch 64] [--file FILE ...]`.
Prints JSON. Times are process CPU time (user and system), so a loaded machine changes them little; the messages are
written here, 25 tokens (o200k) on average, most without personal data, as chat is. `--file` measures the texts of
annotated JSONL files instead, and scores them beside Presidio's default engine.
"""

import argparse
import json
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import psutil

from inference.language import TextLanguage, language_of
from inference.protocols import EntitySpan
from processors.pii.evaluate import evaluate, load_examples, rows

_ENGLISH = (
    "Yesterday I moved the meeting with {name} to Friday at nine because the train from {place} was late again.",
    "Could you remind me what we agreed about the budget for the new kitchen, and who wanted to call the plumber?",
    "i think the second draft reads better, but let's keep the first paragraph and shorten the rest of it a little",
    "My number is {phone} and the mail is {name}@example.com, please send the offer there before the weekend.",
    "{name} likes her coffee black and never before ten, so plan the workshop in {place} for the late morning please.",
    "The build fails on main since this morning, the log says the cache is stale; can you look when you are back?",
)
_CHINESE = (
    "我昨天和{name}把会议改到了周五上午九点，因为从{place}来的高铁又晚点了。",
    "麻烦提醒我一下，上次说好的厨房装修预算是多少，谁负责联系水电师傅？",
    "我觉得第二稿读起来更顺，不过第一段还是保留，后面的内容再精简一些吧。",
    "我的手机号是{phone}，邮箱是wang{n}@example.com，报价单周末之前发过来就行。",
    "{name}喜欢喝黑咖啡，十点以前不喝，所以{place}的培训安排在上午晚一点的时间。",
    "今天早上开始主分支就编译不过了，日志里说缓存过期，你回来以后帮忙看看好吗？",
)


class Analyzer(Protocol):
    """Anything that finds spans in a batch: the gate, or the stock engine."""

    def analyze(self, texts: Sequence[str], languages: Sequence[TextLanguage]) -> list[list[EntitySpan]]: ...


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=2048)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--file", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    print(json.dumps(_measure(options.messages, options.batch, options.file), ensure_ascii=False, indent=1))


def _measure(count: int, batch: int, paths: Sequence[Path]) -> dict[str, object]:
    memory = {"interpreter": _rss()}
    analyzer, counter, warm = _load(memory)
    warm()
    memory["after first use"] = _rss()
    report: dict[str, object] = {}
    for language, templates in (("en", _ENGLISH), ("zh", _CHINESE)):
        texts = _messages(templates, count)
        tokens = sum(map(counter, texts)) / count
        report[language] = {"ms_a_message": _cost(analyzer, texts, batch), "tokens_a_message": round(tokens, 1)}
    mixed = [text for pair in zip(*(_messages(t, count) for t in (_ENGLISH, _CHINESE)), strict=True) for text in pair]
    report["mixed"] = {"ms_a_message": _cost(analyzer, mixed, batch)}
    memory["after the runs"] = _rss()
    report["rss_mb"] = memory
    if paths:
        report["files"] = {path.name: _score(analyzer, path, batch) for path in paths}
    return report


def _load(memory: dict[str, int]) -> tuple[Analyzer, Callable[[str], int], Callable[[], object]]:
    """Load what a screening worker holds, noting resident memory in MB after each."""
    from inference.pii.analyzer import default_analyzer

    analyzer = default_analyzer()
    memory["pii"] = _rss()
    from inference.embedding import UniversalSentenceEncoder

    embedder = UniversalSentenceEncoder()
    memory["sentence encoder"] = _rss()
    from inference.tokens import token_counter

    counter = token_counter()
    memory["token counter"] = _rss()
    from inference.terms import terms

    terms("预热 warm")
    memory["terms"] = _rss()

    def warm() -> object:
        return analyzer.analyze(["Anna", "张伟"], ["en", "zh"]), embedder.embed(_messages(_ENGLISH + _CHINESE, 64))

    return analyzer, counter.count, warm


def _messages(templates: Sequence[str], count: int) -> list[str]:
    names = ("Maria", "王建国", "Peter Novak", "李娜")
    places = ("Leeds", "南京", "Porto", "杭州")
    return [
        templates[i % len(templates)].format(
            name=names[i % 4], place=places[i // 4 % 4], phone=f"138{i:04d}{i * 7 % 10000:04d}", n=i
        )
        for i in range(count)
    ]


def _cost(analyzer: Analyzer, texts: Sequence[str], batch: int) -> float:
    start = time.process_time()
    for first in range(0, len(texts), batch):
        part = texts[first : first + batch]
        analyzer.analyze(part, [language_of(text) for text in part])
    return round((time.process_time() - start) * 1000 / len(texts), 3)


def _score(analyzer: Analyzer, path: Path, batch: int) -> dict[str, object]:
    from inference.pii.stock import StockPresidio

    with path.open(encoding="utf-8") as lines:
        examples = load_examples(lines)
    results, costs = [], []
    for candidate in (analyzer, StockPresidio()):
        start = time.process_time()
        spans: list[list[EntitySpan]] = []
        for first in range(0, len(examples), batch):
            part = examples[first : first + batch]
            spans += candidate.analyze([e.text for e in part], [e.language for e in part])
        costs.append(round((time.process_time() - start) * 1000 / len(examples), 2))
        results.append(evaluate(examples, spans))
    return {"texts": len(examples), "ms": costs[0], "stock_ms": costs[1], "entities": rows(results[0], results[1])}


def _rss() -> int:
    return int(psutil.Process().memory_info().rss / 1e6)


if __name__ == "__main__":
    main()
