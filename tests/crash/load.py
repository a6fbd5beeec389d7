"""The load of a round: real dialogues of many users in both languages, self-statements among them, repeated calls,
feedback, corrections and deletions. Everything follows from the seed, but what the service answers."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

FILES = ("load_zh.jsonl", "sgd/load_en.jsonl")
OPEN = 24
"""Dialogues that go on side by side."""
_EN = (
    "My name is {name}.", "I live in {city}.", "I moved to {city} last month.", "I work as a {job}.",
    "I love {food}.", "I don't like {food}.", "I am allergic to {food}.", "My sister lives in {city}.",
    "I want to learn {skill} this year.", "We decided to use {tool} for the project.",
)  # fmt: skip
_ZH = (
    "我叫{name}。", "我住在{city}。", "我上个月搬到{city}了。", "我是一名{job}。", "我喜欢吃{food}。",
    "我不喜欢吃{food}。", "我对{food}过敏。", "我妹妹住在{city}。",
    "我今年想学{skill}。", "我们决定用{tool}做这个项目。",
)  # fmt: skip
_WORDS_EN = {
    "name": ("Ana", "Peter", "Maya", "Tom"), "city": ("Lisbon", "Oslo", "Boston", "Vienna"),
    "job": ("nurse", "teacher", "baker", "pilot"), "food": ("peanuts", "sushi", "cheese", "mangoes"),
    "skill": ("chess", "the violin", "Spanish"), "tool": ("Kafka", "Postgres", "Redis"),
}  # fmt: skip
_WORDS_ZH = {
    "name": ("李雷", "王芳", "张伟", "陈静"), "city": ("杭州", "成都", "北京", "西安"),
    "job": ("护士", "老师", "厨师", "律师"), "food": ("花生", "寿司", "火锅", "芒果"),
    "skill": ("围棋", "钢琴", "法语"), "tool": ("Kafka", "Postgres", "Redis"),
}  # fmt: skip


class NoDataError(RuntimeError):
    """The dialogues are not where they were looked for."""


@dataclass(frozen=True, slots=True)
class Call:
    """One write. `what`: turns, again (turns of an earlier call, word for word), feedback, correct, forget, remember,
    document.
    `user` is set where the target is chosen among what the service then shows of this user."""

    what: str
    body: dict[str, Any] = field(default_factory=dict)
    user: str = ""
    name: str = ""
    """Idempotency key of a command."""


@dataclass(slots=True)
class _Dialogue:
    session: str
    user: str
    lang: str
    project: str | None
    lines: list[tuple[str, str]]
    at: int = 0


def default_data() -> Path:
    return Path(__file__).resolve().parents[3] / "shared" / "data"


def dialogues(folder: Path, rng: random.Random, turns: int) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """(id, language, [(role, text)]) in random order, as many turns of both languages, `turns` or a little more.

    Raises NoDataError.
    """
    found: list[tuple[str, str, list[tuple[str, str]]]] = []
    for name in FILES:
        path = folder / name
        if not path.is_file():
            raise NoDataError(f"{path} is missing: give the folder of the dialogues with --data")
        by_id: dict[str, list[tuple[str, str]]] = {}
        lang = ""
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if not row["text"].strip():  # the door takes no blank turn
                    continue
                lang = row["lang"]
                by_id.setdefault(row["conv"], []).append((row["role"], row["text"]))
        ids = sorted(by_id)
        rng.shuffle(ids)
        taken = 0
        # A load longer than the files has their dialogues again, by others.
        for lap, one in ((lap, one) for lap in count(1) for one in ids):
            if taken >= turns / len(FILES):
                break
            found.append((one if lap == 1 else f"{one}.{lap}", lang, by_id[one]))
            taken += len(by_id[one])
    rng.shuffle(found)
    return found


def calls(folder: Path, seed: int, turns: int, users: int, tag: str) -> Iterator[Call]:
    """The writes of a round, `turns` turns among them. `tag` keeps rounds on one stack apart."""
    rng = random.Random(seed)
    waiting = [
        _Dialogue(
            f"{tag}-{one}", f"{tag}-user-{rng.randrange(users)}", lang,
            f"{tag}-project-{rng.randrange(4)}" if rng.random() < 0.25 else None, text,
        )
        for one, lang, text in dialogues(folder, rng, turns)
    ]  # fmt: skip
    # A second a turn, and never ahead of the clock: the door refuses what is from the future.
    start = datetime.now(UTC) - timedelta(days=3, seconds=turns)
    running: list[_Dialogue] = []
    sent, number = 0, 0
    past: list[dict[str, Any]] = []
    while sent < turns and (waiting or running):
        batch: list[dict[str, Any]] = []
        for _ in range(min(rng.choice((1, 2, 5, 20, 50)), turns - sent)):
            while waiting and len(running) < OPEN:
                running.append(waiting.pop())
            if not running:
                break
            batch.append(_next_turn(rng, running, start + timedelta(seconds=sent)))
            sent += 1
        if batch:
            body = {"turns": batch}
            past = [*past[-20:], body]
            yield Call("turns", body)
        number += 1
        yield from _others(rng, past, users, tag, number)


def _next_turn(rng: random.Random, running: list[_Dialogue], when: datetime) -> dict[str, Any]:
    d = rng.choice(running)
    turn: dict[str, Any] = {
        "turn_id": f"{d.session}:{d.at}",
        "user_id": d.user,
        "session_id": d.session,
        "occurred_at": when.isoformat(),
    }
    if rng.random() < 0.15:
        texts, words = (_ZH, _WORDS_ZH) if d.lang == "zh" else (_EN, _WORDS_EN)
        statement = rng.choice(texts).format(**{k: rng.choice(v) for k, v in words.items()})
        turn |= {"turn_id": f"{d.session}:own-{when.timestamp():.0f}", "role": "user", "content": statement}
    else:
        role, text = d.lines[d.at]
        turn |= {"role": role, "content": text}
        d.at += 1
        if d.at == len(d.lines):
            running.remove(d)
    if d.project is not None:
        turn["project_id"] = d.project
    return turn


def _others(rng: random.Random, past: list[dict[str, Any]], users: int, tag: str, number: int) -> Iterator[Call]:
    user = f"{tag}-user-{rng.randrange(users)}"
    draw = rng.random()
    if draw < 0.15:
        yield Call("again", rng.choice(past))
    elif draw < 0.25:
        yield Call("feedback", {"user_id": user, "rating": rng.choice(("good", "bad")), "adopted": True}, user)
    elif draw < 0.32:
        yield Call("feedback", {"user_id": user, "correction": "不对 / not so", "comment": f"{number}"}, user)
    elif draw < 0.40:
        yield Call("correct", {"user_id": user, "text": f"corrected {number} 更正"}, user, f"{tag}-correct-{number}")
    elif draw < 0.45:
        yield Call("forget", {"user_id": user}, user, f"{tag}-forget-{number}")
    elif draw < 0.50:
        yield document(rng, tag, number)
    elif draw < 0.60:
        field_name = rng.choice(("residence", "occupation", None))
        body = {"user_id": user, "kind": "fact", "text": f"told apart {number} 另外说的", "field": field_name}
        body |= {"value": f"v{number}"} if field_name else {}
        yield Call("remember", {k: v for k, v in body.items() if v is not None}, user, f"{tag}-remember-{number}")


def document(rng: random.Random, tag: str, number: int) -> Call:
    """A version of one of a few documents: a new one, or one that was there before (a compacted topic then keeps only
    the later record of that key)."""
    version = f"v{rng.choice((number, number, 1))}"
    sections = [
        f"## Part {n} 第{n}节\n\nThe rule {n} of {version} holds. 规则{n}有效。" for n in range(rng.randint(1, 4))
    ]
    body = {
        "document_id": f"{tag}-doc-{rng.randrange(5)}", "version": version, "title": "Rules 规则",
        "markdown": "\n\n".join(["# Rules", *sections]),
    }  # fmt: skip
    return Call("document", body)
