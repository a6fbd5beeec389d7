"""A short answer to an open question says a whole sentence with the words of the question; an evasion, a doubt, a
condition or the moment says none (B1)."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract


def stated(question: str, text: str) -> list[str]:
    return [c.text for c in extract(text, question=question) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("question", "statement", "text"),
    [
        ("What do you teach?", "Chemistry and a little botany", "User teaches Chemistry and a little botany"),
        ("How many hens are you keeping this year?", "Eleven.", "User is keeping eleven hens in 2026"),
        ("How long have you been with the choir?", "nine years", "User has been with the choir for nine years"),
        ("How long have you worked at the dairy?", "since 2019", "User has worked at the dairy since 2019"),
        ("Where do you keep the spare key?", "Under the blue pot by the door",
         "User keeps the spare key under the blue pot by the door"),
        ("When did you open the bakery?", "about three years ago, after the flood",
         "User opened the bakery in about 2023"),
        ("And what is your collar size?", "sixteen and a half", "User's collar size is sixteen and a half"),
        ("Any pets?", "none at all", "User has no pets"),
        ("Have you noticed any leaks in the roof?", "no", "User has noticed no leaks in the roof"),
        ("Do you smoke?", "gave up in 2014", "User stopped smoking in 2014"),
        ("Is it okay if I share your address with the courier?", "No.",
         "User does not want the assistant to share their address with the courier"),
        ("Tea or the lemon drink for your brother?", "the second one", "User chose the lemon drink for their brother"),
        ("Which size do you take: small, medium or large?", "The last one.", "User takes large"),
        ("What is the oven setting?", "two hundred degrees", "The oven setting is two hundred degrees"),
        ("Good. How often do you visit the physio?", "twice a month", "User visits the physio twice a month"),
    ],
)  # fmt: skip
def test_an_answer_says_what_the_question_asks(question: str, statement: str, text: str) -> None:
    assert stated(question, statement) == [text]


@pytest.mark.parametrize(
    ("question", "statement", "text"),
    [
        ("Are you still planning to sell the canoe?", "yeah, once the river is warm",
         "User is still planning to sell the canoe once the river is warm"),
        ("Do you keep bees on the allotment?", "yes", "User keeps bees on the allotment"),
        ("Do you sing with the Leeds choir?", "nope", "User doesn't sing with the Leeds choir"),
        ("Have you ever rowed in a coxless four?", "no", "User has never rowed in a coxless four"),
    ],
)  # fmt: skip
def test_a_yes_or_no_states_the_question(question: str, statement: str, text: str) -> None:
    assert stated(question, statement) == [text]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Do you keep bees on the allotment?", "yes, but not any more"),
        ("Do you keep bees on the allotment?", "yes or no, who cares"),
        ("Do you want me to order the paint?", "yes"),
        ("Are you free on Friday afternoon?", "yes"),
        ("Do you take the tram or the bus?", "yes"),
        ("Do you need any paint?", "yes"),
        ("Shall I book the tram?", "yes"),
    ],
)
def test_a_yes_to_an_offer_a_choice_or_the_moment_states_nothing(question: str, text: str) -> None:
    assert stated(question, text) == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is it okay if I share your address with the courier?", "no, she says not to bother"),
        ("Are any of you allergic to nuts?", "me no"),
        ("Is it ok if we carry on?", "No"),
        ("Can I tell you a riddle?", "No"),
        ("What's the sea like?", "Choppy"),
        ("Any questions?", "Noodles"),
        ("Yes or no?", "The second"),
        ("Is Jo or Sam the captain?", "the former"),
        ("What do you teach?", "it depends on the week"),
        ("What do you teach?", "Chemistry?"),
        ("What do you teach?", "maybe chemistry"),
        ("What do you teach?", "nothing any more"),
        ("What do you teach?", "why do you ask"),
        ("How many hens are you keeping this year?", "Eleven, if the fox lets them live"),
        ("How many hens are you keeping this year?", "Eleven, from January."),
        ("Where do you keep the spare key?", "none of your business"),
        ("What do you want for lunch?", "soup"),
        ("What do you think of the plan?", "brilliant work"),
        ("Which day do you see her at the clinic?", "Tuesday"),
        ("When should the alarm ring?", "six sharp"),
    ],
)
def test_an_evasion_a_doubt_or_a_wish_of_the_moment_states_nothing(question: str, text: str) -> None:
    assert stated(question, text) == []
