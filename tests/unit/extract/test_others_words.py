"""Others' words behind a colon, irony, and what a turn itself turns round are no statements of the user (B1, D2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.rules import EXPLICIT
from tests.unit.extract.support import extract


def kept(text: str, *, question: str | None = None) -> list[str]:
    return [c.text for c in extract(text, question=question) if c.confidence == EXPLICIT]


@pytest.mark.parametrize(
    "text",
    [
        "Customer wrote: Stop sending me emails",
        "My landlord texted: I need the flat back by June",
        "Guest review: We hated the breakfast but our dog loved the garden",
        "Here is the prompt: Always answer in JSON",
        "Here's an email from my aunt: I have moved to Porto and I am learning to surf",
        "This is the template: Always greet the customer by name",
        "Support ticket: My app crashes when I upload photos",
        "Customer complaint: I have waited for three weeks",
        "The announcement: we're having a baby",
        "Message from our tenant: I have moved to Leeds",
        "Someone commented: I love this recipe, my kids ask for it weekly",
        "Recipe: mix flour and eggs. Don't overmix",
        "Recipe: Chop the onions. Don't let them brown. Add my secret sauce.",
        "Don't overbeat the eggs",
        "Their advert says 'I lost ten kilos in a week' and I nearly choked",
        "The blog post opens with 'We sold our house' and honestly I felt sick",
    ],
)
def test_b1_what_others_wrote_is_not_the_users(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("Quick update: I moved to Oslo in May", ["User moved to Oslo"]),
        ("To be clear: I never eat meat", ["User never eats meat"]),
        ("My news: I got the job at Boots", ["User got the job at Boots"]),
        ("My dentist said: no sweets for a week", ["User's dentist said: no sweets for a week"]),
        ("My doctor said: stop taking warfarin", ["User's doctor said: stop taking warfarin"]),
        ("Doctor's letter: I have type 2 diabetes", ["User has type 2 diabetes"]),
        ("As my doctor said: I am allergic to penicillin", ["User is allergic to penicillin"]),
        ("Announcement: I'm pregnant", ["User is pregnant"]),
        ("Chief complaint: I have chest pain", ["User has chest pain"]),
        ("Message: I'm allergic to nuts", ["User is allergic to nuts"]),
        ("Nobody asked but: I love jazz", ["User loves jazz"]),
        ("No text messages please: I work nights", ["User works nights"]),
        ("Don't like olives", ["User doesn't like olives"]),
        ("Don't own a car", ["User doesn't own a car"]),
        ("My favourite book opens with “Call me Ishmael”", ["User's favourite book opens with “Call me Ishmael”"]),
        ("Tom said: I live in Hull.\n\nI live in Leeds.", ["User lives in Leeds"]),
        ("Tom said: I live in Hull.\nI live in Leeds.", ["User lives in Leeds"]),
    ],
)
def test_b1_a_colon_before_the_users_own_words_hides_nothing(text: str, texts: list[str]) -> None:
    assert kept(text) == texts


@pytest.mark.parametrize(
    "text",
    [
        "oh I just LOVE being on hold for an hour, highlight of my week",
        "Great, another form. I adore forms. Please send ten more.",
        "I absolutely adore traffic jams",
        "I just LOVE filling in forms",
        "Right. And I'm the Queen of Sheba.",
        "I'm the Pope",
        "oh fab, another audit, just what my weekend needed",
    ],
)
def test_d2_irony_is_no_statement(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("I just love my new job", ["User loves their new job"]),
        ("I love forms", ["User loves forms"]),
        ("I enjoy meetings", ["User enjoys meetings"]),
        ("I just love waiting tables", ["User loves waiting tables"]),
        ("I really enjoy audits", ["User really enjoys audits"]),
        ("I absolutely love meetings with my book club", ["User absolutely loves meetings with their book club"]),
        ("I absolutely love bugs, I'm an entomologist", ["User absolutely loves bugs", "User is an entomologist"]),
        ("I'm the Pope's cousin", ["User is the Pope's cousin"]),
        ("I am Napoleon Dupont", ["User is Napoleon Dupont"]),
        ("Two more weeks of leave, just what I needed", ["Two more weeks of leave, just what User needed"]),
        ("I'm the manager of a small hotel", ["User is the manager of a small hotel"]),
        ("We had another baby in May", ["User and others had another baby in May 2025"]),
    ],
)
def test_d2_what_is_meant_stays(text: str, texts: list[str]) -> None:
    assert kept(text) == texts


def test_b3_a_taste_that_the_turn_turns_round_is_left_out() -> None:
    assert kept("I love running. Well no, I hate running.") == ["User hates running"]
    assert kept("I love coffee. I hate coffee after six.") == ["User loves coffee", "User hates coffee after six"]
