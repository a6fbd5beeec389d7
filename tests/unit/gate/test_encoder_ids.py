"""`model_id` of a record says whose its embedding is: the reader's, or that of the gate that encoded the text."""

from __future__ import annotations

from processors.ports import Models
from schemas.events.memory import Candidate, Dropped, MemoryUpdate
from schemas.profile.model import Profile, load_profile
from tests.unit.gate.bench import DAY, GateBench, candidate, study

EARLIER = "another-encoder@1"


def profile() -> Profile:
    """Homes are York alone."""
    plain = load_profile("general")
    fields = [f.model_copy(update={"values": ("York",)}) if f.name == "residence" else f for f in plain.fields]
    return plain.model_copy(update={"fields": tuple(fields)})


async def say_all(gate: GateBench, *candidates: Candidate, model: str, dropped: tuple[Dropped, ...] = ()) -> None:
    """A turn whose candidates were encoded by a model."""
    gate.pipe(gate.extraction(*candidates, dropped=dropped).model_copy(update={"model_id": model}))
    await gate.run()


def of(gate: GateBench, text: str) -> MemoryUpdate:
    [found] = [u for u in gate.active() if u.sealed.text == text]
    return found


async def test_what_the_gate_takes_back_is_of_its_own_encoder(models: Models) -> None:
    gate = GateBench(models, profile=profile())
    home = candidate("Lives in York", kind="fact", ordinal=7)
    york = Dropped(label="no_field", candidate=home, slots={"residence": "York"})
    await say_all(gate, candidate("Bought a kayak"), model=EARLIER, dropped=(york,))
    assert of(gate, "Lives in York").model_id == models.embedder.model_id
    assert of(gate, "Bought a kayak").model_id == EARLIER


async def test_what_the_gate_words_itself_is_of_its_own_encoder(gate: GateBench) -> None:
    await say_all(gate, study("Leeds", "MSc", "Physics"), model=EARLIER)
    gate.later(DAY)
    await say_all(gate, candidate("Major is music", "major", "Music"), model=EARLIER)
    [rest] = gate.active("university")
    assert rest.model_id == gate.models.embedder.model_id
    assert [u.model_id for u in gate.active("major")] == [EARLIER]


async def test_later_words_bring_their_own_encoder(gate: GateBench) -> None:
    likely = candidate("User works in York", "residence", "York", attributes={"implied": True})
    await say_all(gate, likely, model=EARLIER)
    await say_all(gate, candidate("User lives in York", "residence", "York"), model=gate.models.embedder.model_id)
    assert of(gate, "User lives in York").model_id == gate.models.embedder.model_id


async def test_what_is_remembered_again_in_other_words_is_of_the_gates_encoder(gate: GateBench) -> None:
    await say_all(gate, candidate("Lives in York", "residence", "York"), model=EARLIER)
    await gate.do("remember", kind="fact", field="residence", value="York", text="Home is York")
    assert of(gate, "Home is York").model_id == gate.models.embedder.model_id
