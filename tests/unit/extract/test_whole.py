"""What is half said, of the talk alone or over tomorrow is refused; what is said like it and is whole is kept (D2)."""

from __future__ import annotations

import pytest

from tests.unit.extract.test_alone import told


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        # the verb, its object or what it is of stands elsewhere
        ("I do with my cousin in Oban", "I sail with my cousin in Oban"),
        ("I used to watch all the time", "I used to watch cricket in Oban all the time"),
        ("I've been a monthly subscriber", "I've been a monthly subscriber of the Oban Times"),
        ("I'd love to go sometime", "I'd love to go to Norway sometime"),
        ("I had a similar trouble in Oban", "I had a trouble similar to asthma in Oban"),
        # named by the talk alone
        ("I argued with the clerk", "I argued with the clerk of Oban in May"),
        ("I collected all of the books", "I collected all of the books by Orwell"),
        ("My daughter wants to ride her every day", "My daughter wants to ride her pony every day"),
        # no sentence, or two
        ("Considering I never sailed to Oban", "I never sailed to Oban"),
        ("Maybe I could bring my parrot to Oban", "I bring my parrot to Oban"),
        ("My uncle come to Oban every May", "My uncle comes to Oban every May"),
        # supposed, not known, of the moment
        ("I might fall ill in Oban and I've lost my mill", "I fell ill in Oban and I've lost my mill"),
        ("I had no idea that whales sing in Oban", "I saw whales in Oban from my boat"),
        ("I'm so tired and cold", "I've been tired and cold since the flu"),
        ("My back is on fire right now", "My back hurts when I lift boxes in Oban"),
        ("I would like to see another club win in Oban", "I would like to see the castle in Oban"),
    ],
)
def test_half_a_statement_is_refused_and_a_whole_one_is_kept(bad: str, good: str) -> None:
    assert told(bad) == []
    assert told(good)


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("Another hobby of mine is carving owls", ["A hobby of Ann's is carving owls"]),
        ("My cousin's are in Oban", ["Ann's cousins are in Oban"]),
        ("Oban was one of my first homes I also rented a croft on Skye",
         ["Oban was one of Ann's first homes", "Ann rented a croft on Skye"]),
        ("I like the ferry, always have and will", ["Ann likes the ferry"]),
        ("I do like some jazz I have to admit", ["Ann does like some jazz"]),
        ("Everyone in my family has asthma", ["Everyone in Ann's family has asthma"]),
        ("If I can tell you something, I was put on probation", []),
    ],
)  # fmt: skip
def test_a_word_makes_it_whole(said: str, texts: list[str]) -> None:
    assert told(said) == texts
