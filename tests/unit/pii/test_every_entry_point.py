"""Each kind through each way in: what policy takes out of one way it takes out of all (D5).

Prompts are rendered of what stands behind these ways, and have no text of their own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from processors.knowledge.step import ChunkStep
from processors.ports import Models, ProfileBook
from processors.screen.callers import CallersScreen
from processors.screen.step import Screen
from schemas.events.documents import Document, DocumentBody, ProjectCommand, ProjectCommandBody
from schemas.events.memory import Feedback, FeedbackBody, MemoryCommand, MemoryCommandBody
from schemas.events.turns import SessionCommand, SessionCommandBody, TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver

AT = datetime(2026, 11, 24, 9, tzinfo=UTC)
KINDS = {
    "card": ("The deposit went off 4000.0566.5566.5556, thanks.", "押金刷的是4000/0566/5566/5556，谢谢。", "5566"),
    "phone": ("You can call me on 212-555-0147 after nine.", "打我电话010-5550-0147，九点以后。", "0147"),
    "ip": ("Fail2ban blocked 198.51.100.201 twice.", "防火墙封了198.51.100.201两次。", "100.201"),
    "command password": ("I ran mysql -u app -pmoor_Hen7 shop.", "我跑的mysql -u app -pmoor_Hen7 shop。", "moor_Hen7"),
    "told key": ("Zt7Qm2Kx9RbP4w is our API key.", "Zt7Qm2Kx9RbP4w就是我们的密钥。", "Zt7Qm2Kx9RbP4w"),
    "e-mail": ("Write to ana.petrova@example.org please.", "发到ana.petrova@example.org就行。", "petrova"),
    "account": ("My bank account is 20944766180.", "我的银行账号是20944766180。", "20944766180"),
    "changed password": (
        "The mailbox password got changed to fern7Kiosk last night.",
        "邮箱的密码昨晚改成fern7Kiosk了。",
        "fern7Kiosk",
    ),
    "code of a door": ("Gate code 60934, push hard.", "门禁码是60934，用力推。", "60934"),
    "code of a thing": (
        "Back gate 60935, alarm 7714, and knock.",
        "洗衣房60935，车棚7714，记得敲门。",
        "60935",
    ),
    "key of a network": ("The wifi at the cabin is pinecone_2071.", "小屋的wifi是pinecone_2071。", "pinecone_2071"),
    "key that is handed over": (
        "Use this: nQ7xLw2Zt9Kb4R, the paid one.",
        "用这个：nQ7xLw2Zt9Kb4R，付费的。",
        "nQ7xLw2Zt9Kb4R",
    ),
    "passphrase in words": (
        "The passphrase for the backups is lantern above harbour.",
        "备份的口令是lantern above harbour。",
        "above harbour",
    ),
    "iban": (
        "Wire it to DE89 3704 0044 0532 0130 00 today.",
        "房租打到DE89 3704 0044 0532 0130 00，老样子。",
        "0532",
    ),
    "resident id": ("The form has 110101199003079964 on it.", "身份证110101199003079964，别外传。", "19900307996"),
    "mac": ("The camera is 3c:5a:b4:91:0f:e2.", "摄像头是3c:5a:b4:91:0f:e2。", "b4:91:0f"),
    "national id": ("My passport number is X4RT7BPF4.", "护照号X4RT7BPF4，别弄丢。", "X4RT7BPF4"),
}
STATEMENTS = [(kind, text, part) for kind, (en, zh, part) in KINDS.items() for text in (en, zh)]
PLAIN = "The agent is 4.0.2.9 on 10.1.2.3; 机器edge-west-20261009-03耗时120 240 1800毫秒。"
Way = Callable[[Models, str], Awaitable[str]]


def _at_the_door(models: Models, event: MemoryCommand | Feedback | ProjectCommand) -> str:
    [out] = CallersScreen(models, ProfileBook(load_profile("general")))([event])
    assert isinstance(out, MemoryCommand | Feedback | ProjectCommand)
    return out.sealed.model_dump_json()


def _command(body: MemoryCommandBody, **more: Any) -> MemoryCommand:
    return MemoryCommand(tenant="t", user_id="ann", command_id="c1", accepted_at=AT, sealed=body, **more)


async def memory(models: Models, text: str) -> str:
    return _at_the_door(models, _command(MemoryCommandBody(text=text), command="remember", kind="fact"))


async def store_item(models: Models, text: str) -> str:
    body = MemoryCommandBody(value={"note": [text]})
    return _at_the_door(models, _command(body, command="put_item", namespace=("n", "ann"), key="k"))


async def feedback(models: Models, text: str) -> str:
    body = FeedbackBody(correction=text, comment=text)
    event = Feedback(tenant="t", user_id="ann", feedback_id="f1", rating="bad", sealed=body)
    return _at_the_door(models, event)


async def hot_value(models: Models, text: str) -> str:
    event = ProjectCommand(
        tenant="t", project_id="p", command="put_hot", command_id="h", hot_type="status", key="contact",
        sealed=ProjectCommandBody(value={"who": text}),
    )  # fmt: skip
    return _at_the_door(models, event)


async def turn(models: Models, text: str) -> str:
    driver = TopologyDriver([Screen(models, ProfileBook(load_profile("general")))], AT)
    body = TurnBody(content=text, metadata={"note": text}, existing_info={"note": [text]})
    event = TurnEvent(tenant="t", user_id="ann", turn_id="t1", role="user", occurred_at=AT, session_id="s", sealed=body)
    driver.pipe(topics.TURNS, event)
    await driver.run()
    [out] = list(driver.read(topics.HISTORY))
    return Codec().value(out).decode()


async def document(models: Models, text: str) -> str:
    return await _chunked(models, f"# Notes\n\n{text}\n")


async def table(models: Models, text: str) -> str:
    return await _chunked(models, f"| who | what |\n|---|---|\n| ann | {text} |\n")


async def _chunked(models: Models, markdown: str) -> str:
    driver = TopologyDriver([ChunkStep(models, ProfileBook(load_profile("general")))], AT)
    body = DocumentBody(title="Notes", markdown=markdown, metadata={})
    driver.pipe(topics.DOCUMENTS, Document(tenant="t", document_id="d", version="1", accepted_at=AT, sealed=body))
    await driver.run()
    return "".join(Codec().value(u).decode() for u in driver.read(topics.UPDATES))


async def session(models: Models, text: str) -> str:
    driver = TopologyDriver([Screen(models, ProfileBook(load_profile("general")))], AT)
    body = SessionCommandBody(global_state={"note": text}, anchors={"plan": [text]}, summary=text)
    event = SessionCommand(
        tenant="t", user_id="ann", session_id="s", command="patch", command_id="c", accepted_at=AT, sealed=body
    )
    driver.pipe(topics.TURNS, event)
    await driver.run()
    [out] = list(driver.read(topics.HISTORY))
    return Codec().value(out).decode()


WAYS: dict[str, Way] = {
    "memory": memory, "store item": store_item, "feedback": feedback, "hot value": hot_value, "turn": turn,
    "session": session, "document": document, "table": table,
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
async def test_d5_each_kind_is_taken_out_on_each_way(models: Models, way: str) -> None:
    for kind, text, part in STATEMENTS:
        assert part in text
        assert part not in await WAYS[way](models, text), kind


@pytest.mark.parametrize("way", WAYS)
async def test_d5_technical_talk_stays_on_each_way(models: Models, way: str) -> None:
    statement = await WAYS[way](models, PLAIN)
    for word in ("4.0.2.9", "10.1.2.3", "edge-west-20261009-03", "120 240 1800"):
        assert word in statement
