"""D5 at the door: what callers write themselves goes through policy before it stands in a kept topic."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from processors.ports import Models, ProfileBook
from processors.screen.callers import CallersScreen, OutgrownError
from schemas.events.documents import ProjectCommand, ProjectCommandBody
from schemas.events.envelope import Tick
from schemas.events.memory import Feedback, FeedbackBody, MemoryCommand, MemoryCommandBody
from schemas.profile.model import Profile

AT = datetime(2026, 11, 24, 9, tzinfo=UTC)
STATEMENTS = (
    "Call me on +44 20 7946 0958 or write to ana.petrova@example.org",
    "我的手机号是13812345678，住在上海市浦东新区张杨路500号3号楼201室",
    "身份证号是110101199003074477，卡号6222020200112230006",
    "Her card is 4111 1111 1111 1111 and she lives at 12 Harbour Street, Leeds",
)
SECRETS = ("7946", "petrova", "13812345678", "张杨路", "11010119900307", "6222020200112230006", "4111", "Harbour")


def screen(models: Models, **pii: str) -> CallersScreen:
    return CallersScreen(models, ProfileBook(Profile.model_validate({"name": "test", "version": 1, "pii": pii})))


def command(text: str | None = None, value: Any = None, **more: Any) -> MemoryCommand:
    return MemoryCommand(
        tenant="t", user_id="ann", command_id="c1", accepted_at=AT, sealed=MemoryCommandBody(text=text, value=value),
        **{"command": "remember", "kind": "fact", **more},
    )  # fmt: skip


def feedback(**body: Any) -> Feedback:
    return Feedback(tenant="t", user_id="ann", feedback_id="f1", rating="bad", sealed=FeedbackBody(**body))


def put_hot(value: Any) -> ProjectCommand:
    return ProjectCommand(
        tenant="t", project_id="p1", command="put_hot", command_id="h1", hot_type="status", key="contact",
        sealed=ProjectCommandBody(value=value),
    )  # fmt: skip


def everything() -> list[Any]:
    return [
        *(command(text=text, value={"note": text, "list": [text]}) for text in STATEMENTS),
        *(feedback(correction=text, comment=text, traits={"tone": text}) for text in STATEMENTS),
        *(put_hot({"who": text}) for text in STATEMENTS),
        command(
            value={"phone": 13812345678, "nested": {"mail": STATEMENTS[0]}},
            command="put_item", namespace=("n", "ann"), key="k",
        ),
    ]  # fmt: skip


@pytest.mark.parametrize("action", ["mask", "tokenise", "encrypt"])
def test_d5_nothing_of_a_callers_own_passes_the_door_and_a_second_look_changes_nothing(
    models: Models, action: str
) -> None:
    names = ("PHONE_NUMBER", "EMAIL_ADDRESS", "ADDRESS", "CN_RESIDENT_ID", "BANK_ACCOUNT", "CREDIT_CARD")
    boundary = screen(models, **dict.fromkeys(names, action))
    events = everything()
    assert all(boundary.concerns(e) for e in events)
    once = boundary(events)
    for e in once:
        result = e.model_dump_json()
        assert [s for s in SECRETS if s in result] == [], type(e).__name__
    assert list(boundary(once)) == list(once), "the step that reads it looks again"


def test_d5_a_value_that_one_text_gives_away_goes_from_the_others(models: Models) -> None:
    [e] = screen(models, LOCATION="mask")([command(text="Ann lives in Ghent.", value="Ghent")])
    assert isinstance(e, MemoryCommand)
    assert (e.sealed.text, e.sealed.value) == ("Ann lives in <LOCATION>.", "<LOCATION>")


def test_d5_what_policy_refuses_is_masked_at_the_door_and_said(models: Models) -> None:
    key = "sk-proj-" + "aB3xYz9QwErTyUiOpLkJhGf1DsAzXcVbNm01234567890abcd"
    boundary = screen(models)
    for e in boundary([command(text=f"my key is {key}"), feedback(comment=f"my key is {key}"), put_hot(key)]):
        assert isinstance(e, MemoryCommand | Feedback | ProjectCommand)
        assert e.refused_for == "credential"
        assert "aB3xYz9" not in e.model_dump_json()
    [plain] = boundary([command(text="I like tea.")])
    assert isinstance(plain, MemoryCommand)
    assert plain.refused_for is None


def test_d5_other_events_and_deletions_pass_as_they_are(models: Models) -> None:
    boundary = screen(models)
    events: list[Any] = [Tick(now=AT), command(command="forget", memory_id="m1"), feedback(), put_hot(None)]
    assert not any(boundary.concerns(e) for e in events)
    assert boundary(events) == events


def test_what_grows_beyond_its_bound_is_refused_by_the_name_of_its_field(models: Models) -> None:
    mails = " ".join(f"a{n}@b.co" for n in range(80))
    assert len(mails) < 1_000
    with pytest.raises(OutgrownError) as refused:
        screen(models)([feedback(outcome=mails)])
    assert refused.value.field == "outcome"
    assert "@" not in str(refused.value)
