"""N1: rules that find more reach what was stored under rules that found less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from inference.protocols import EntitySpan
from processors.ports import EntityAnalyzer, Models, ProfileBook, TextLanguage
from schemas.events.memory import MemoryCommand, MemoryCommandBody, MemoryUpdate
from schemas.events.sessions import SessionState
from schemas.events.turns import ScreenedTurn, SessionCommand, SessionCommandBody
from schemas.log import topics
from schemas.profile.model import load_profile
from tests.unit.rebuild.test_rescreen import NOW, a_pass, stored, text_of, turn_of, under
from tests.unit.rebuild.test_rescreen_parts import memories, state_of

STATEMENTS = (
    ("I changed the password of the mailbox to plover3Tarn.", "plover3Tarn"),
    ("门禁码是60934，用力推。", "60934"),
    ("The wifi at the cabin is pinecone_2071.", "pinecone_2071"),
    ("短信网关用这个：nQ7xLw2Zt9Kb4R", "nQ7xLw2Zt9Kb4R"),
)
HARMLESS = "I prefer green tea."


class OlderRules:
    """The recognisers before they knew secrets."""

    def __init__(self, inner: EntityAnalyzer) -> None:
        self._inner = inner

    def analyze(self, texts: Sequence[str], languages: Sequence[TextLanguage]) -> list[list[EntitySpan]]:
        found = self._inner.analyze(texts, languages)
        return [[span for span in spans if span.entity != "CREDENTIAL"] for spans in found]


async def test_n1_what_older_rules_let_pass_is_masked_in_every_place(models: Models) -> None:
    profile = load_profile("general")
    d = under(replace(models, analyzer=OlderRules(models.analyzer)), profile)
    for n, (text, value) in enumerate(STATEMENTS):
        turn = turn_of(n, text)
        sealed = turn.sealed.model_copy(update={"metadata": {"seen": value}})
        d.pipe(topics.TURNS, turn.model_copy(update={"sealed": sealed}))
        at = NOW + timedelta(minutes=10 + n)
        d.pipe(topics.LEDGER, MemoryCommand(
            tenant="t", user_id="ann", command="remember", command_id=f"c{n}", kind="fact", field=f"own{n}",
            occurred_at=at, accepted_at=at, sealed=MemoryCommandBody(text=text, value={"it": value}),
        ))  # fmt: skip
    d.pipe(topics.TURNS, SessionCommand(
        tenant="t", user_id="ann", session_id="s", command="patch", command_id="p",
        accepted_at=NOW + timedelta(minutes=9), sealed=SessionCommandBody(anchors={"told": [t for t, _ in STATEMENTS]}),
    ))  # fmt: skip
    d.pipe(topics.TURNS, turn_of(8, HARMLESS))
    d.now = NOW + timedelta(minutes=30)
    await d.run()
    spoken = [e for e in stored(d) if any(value in text_of([e]) for _, value in STATEMENTS)]
    assert all(any(isinstance(e, kind) for e in spoken) for kind in (ScreenedTurn, MemoryUpdate, SessionState))

    d = under(models, profile, d)
    d.now = NOW + timedelta(hours=1)
    found = a_pass(d, models, ProfileBook(profile))
    await d.run()
    assert d.dead_letters() == []
    assert not found.left
    assert found.records["turn"] == len(STATEMENTS) + 1, (
        "it says what it changed: the turns, and the command among them"
    )
    assert found.entities["CREDENTIAL:refuse"] >= 3 * len(STATEMENTS)
    held = state_of(d)
    for _, value in STATEMENTS:
        assert [e for e in stored(d) if value in text_of([e])] == []
        assert value not in held
    assert any("tea" in e.sealed.text for e in memories(d) if e.state == "active"), "what else was said stays"
    assert not a_pass(d, models, ProfileBook(profile)).records
