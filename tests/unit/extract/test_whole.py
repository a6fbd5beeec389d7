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
        # an answer's verb, one of what was named, a bare thing
        ("I do and in fact my cousin in Oban does", "I sail and in fact my cousin in Oban does"),
        ("My uncle was one in Oban", "My uncle was one of the pilots in Oban"),
        ("I sold mine to a baker in Oban", "I sold a boat of mine to a baker in Oban"),
        ("I can't face the smell", "I can't face the sea"),
        ("I've watched a few episodes", "I've watched a few episodes of the Oban serial"),
        ("I have a subscription", "I have a subscription to the Oban Times"),
        # offers, what nobody plans, what others are wished
        ("I'll carry the piano", "I'll carry the piano to Oban on Friday"),
        ("I'm going to cry into my porridge", "I'm going to walk to Oban in my boots"),
        ("I hope she sells the caravan in Oban", "I hope to sell the caravan in Oban"),
        # told to somebody, or done by anybody
        ("Don't panic about the ferry", "Don't like the ferry to Oban"),
        ("Moved to 4", "Moved to Oban"),
        ("Cycling plan on Tuesday", "Selling my bike on Tuesday"),
        # a side or a firm, a feeling, what is learned in a talk
        ("We can't fail in Oban", "We can't heat our house any more"),
        ("We never won a game in Oban", "We won a caravan in Oban"),
        ("I'm surprised nobody sails to Oban", "I'm allergic to the dust in Oban"),
        ("I recently read that Oban has a distillery", "I recently sold a distillery in Oban"),
        # another subject, only beside the speaker
        ("The idea of a ferry museum sounds good to me", "The ferry museum hired my cousin"),
        ("Oban is a town I am sure people forget", "Oban is one of my favourite towns"),
        ("Since my knees hurt from the stairs in Oban", "Since my knees hurt, I moved to a flat in Oban"),
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
        ("I like the ferry lol", ["Ann likes the ferry"]),
        ("I'm not a fan of bagpipes either", ["Ann is not a fan of bagpipes"]),
        ("I also love folk songs though", ["Ann loves folk songs"]),
        ("I love, love Oban cheese", ["Ann loves Oban cheese"]),
        ("I love old films and especially the musicals", ["Ann loves old films"]),
        ("I don't like eels or kippers I thought they were foul", ["Ann does not like eels or kippers"]),
        ("My cousin carves owls, its a long story", ["Ann's cousin carves owls"]),
        ("I sail on Sundays and run the sailing club", ["Ann sails on Sundays and runs the sailing club"]),
        ("I want to sail on Sundays and run the club", ["Ann wants to sail on Sundays and run the club"]),
        ("I'm an Oban fan but like the Hearts", ["Ann is an Oban fan but likes the Hearts"]),
        ("I rather be a baker in Oban", ["Ann would rather be a baker in Oban"]),
        ("We split up in June", ["Ann and their partner split up in June"]),
        ("We bought a croft in June", ["Ann and others bought a croft in June"]),
        ("You're the ferryman, I'm a thief of Oban", []),
        ("Write two lines like this for the choir: my son broke his arm in Oban", []),
        ("I live in Oban. Well, that's the exercise.", []),
    ],
)  # fmt: skip
def test_a_word_makes_it_whole(said: str, texts: list[str]) -> None:
    assert told(said) == texts
