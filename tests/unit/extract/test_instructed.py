"""How the assistant is to act for good is kept as what the owner wants; what is asked once, said to others or of
oneself is not (D2)."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract
from tests.unit.extract.test_people import among_people


def wanted(text: str, *, question: str | None = None) -> list[str]:
    return [c.text for c in extract(text, speaker="Ann", question=question) if c.kind == "preference" and not c.field]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("Never schedule anything for me on a Friday afternoon.",
         "Ann never wants the assistant to schedule anything for them on a Friday afternoon"),
        ("please stop sending me puzzles, I get enough at work",
         "Ann wants the assistant to stop sending them puzzles"),
        ("From now on show distances in miles.", "Ann wants the assistant to show distances in miles from now on"),
        ("whenever I paste a recipe, convert the oven to gas marks",
         "Ann wants the assistant to convert the oven to gas marks whenever they paste a recipe"),
        ("Don't email my landlord without asking me first",
         "Ann does not want the assistant to email their landlord without asking Ann first"),
        ("I moved house, so from here on don't ring the old number any more",
         "Ann does not want the assistant to ring the old number any more from now on"),
        ("going forward every report you draft for me should be under two pages",
         "Ann wants every report the assistant drafts for them to be under two pages from now on"),
        ("Always answer before you explain.", "Ann always wants the assistant to answer before it explains"),
        ("no exclamation marks, ever", "Ann wants no exclamation marks, ever"),
        ("I lose track of time, so please no calls on Sundays", "Ann wants no calls on Sundays"),
        ("It is really important you don't tell my landlord about the cat",
         "Ann does not want the assistant to tell their landlord about the cat"),
        ("Could all invoices be by post please", "Ann wants all invoices to be by post"),
        ("ABSOLUTELY NO COLD CALLS", "Ann wants absolutely no cold calls"),
        ("I read slowly, so put subtitles under everything",
         "Ann wants the assistant to put subtitles under everything"),
    ],
)  # fmt: skip
def test_what_the_assistant_is_to_do_for_good_is_kept(statement: str, text: str) -> None:
    assert wanted(statement) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Schedule a call for Friday afternoon.",
        "If I won a yacht I'd sell it and never send my boss another report",
        "Don't send it yet.",
        "Could all four of my hens be ill?",
        "Write a song about when I was young",
        "Explain why my goat shouts when I leave",
        "don't tell me you missed the train",
        "Stop the car!",
        "Stop worrying so much.",
        "I never schedule anything on a Friday.",
        "Never eat oysters in May.",
        "Always wear a helmet.",
        "Never mind, don't worry about it ever again.",
        "No worries, please",
        "Should I never show distances in miles?",
        "Mum says never show your face here again, she was joking",
        'The sign says "never lend tools to me".',
        "Call me Annie from now on",
        "Translate every sentence below.",
        "No, please",
        "please no",
        "No the account is in my mother's name, please",
    ],
)
def test_requests_sayings_and_what_one_does_oneself_are_none(text: str) -> None:
    assert wanted(text) == []


def test_what_is_said_to_people_is_no_wish_of_the_assistant() -> None:
    assert among_people("Never ring me before noon, all right?") == []
