"""What is nobody's own, points outside, is of the moment or is cut short is refused; what is said like it and is whole
is kept (D2)."""

from __future__ import annotations

import pytest

from tests.unit.extract.test_free_statements import statements_of

STORY = (
    "What a day that was, you would not believe it, from the first bell to the last nothing went the way it was meant"
    " to and everybody talked at once. I emptied the printer tray and then everything was quiet for a while, which"
    " never happens in that room, and nobody had an idea why, so it went on like that until the bell rang and the hall"
    " filled up again. "
)


@pytest.mark.parametrize(
    ("good", "kept"),
    [
        ("I have played the oboe in Bergen since 1998.", "Ann has played the oboe in Bergen since 1998"),
        ("My brother is deaf in the left ear.", "Ann's brother is deaf in the left ear"),
        ("I've got to take drops for the glaucoma.", "Ann has got to take drops for the glaucoma"),
    ],
)
def test_a_step_of_a_long_story_is_left_and_what_lasts_is_kept(good: str, kept: str) -> None:
    assert statements_of(STORY) == []
    assert statements_of(f"{STORY}{good}") == [kept]


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        # a game, a letter, a role
        ("My paladin owns two castles near Oban", "My cousin owns two castles near Oban"),
        ("Dear Martha, I have kept ferrets in Oban since May. Yours, Worried",
         "I have kept ferrets in Oban since May."),
        ('"Where is the gold?" I draw my sword. I have hidden the map in Oban.',
         "I draw maps for the museum. I have hidden the map in Oban."),
        # it, one, hers, that lot
        ("I've tied a ribbon on it", "I've a parrot and tied a ribbon on it"),
        ("We bought one in April near Oban", "We had no boat and bought a red one in April near Oban"),
        ("My aunt painted hers in Oban last May", "My aunt painted a barn in Oban last May"),
        ("I'm not carrying that lot to Oban", "I'm not carrying suitcases to Oban"),
        # of the moment, or nothing told
        ("I'm sobbing in a car park in Oban", "I'm working in a car park in Oban"),
        ("My news is quite boring", "My news is I've bought a barge in Oban"),
        ("My aunt in Oban says hello", "My aunt in Oban says grace before meals"),
        # ironic
        ("I'm buying a castle near Oban, don't you know", "I'm buying a cottage near Oban"),
        # cut short
        ('My aunt said, and I quote, "Oban is damp."', "My aunt thinks Oban is damp"),
    ],
)  # fmt: skip
def test_one_is_refused_and_one_like_it_is_kept(bad: str, good: str) -> None:
    assert statements_of(bad) == []
    assert statements_of(good)


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("I blow hot and cold about it ever since the fire, when the barn in Oban and the mill went up at once", []),
        ("We were to open the shop in Oban in May, the lease fell through, so please let them keep the sign they made",
         ["Ann and others were to open the shop in Oban in May 2025, the lease fell through"]),
        ("I wrote to the harbour in Oban, and said I won't pay before the inspection",
         ["Ann wrote to the harbour in Oban, and said Ann won't pay before the inspection"]),
        ("My transfer came, Oban depot, starting is 5th May",
         ["Ann's transfer came, Oban depot, starting is 5 May 2026"]),
        ("Mondays I drive the minibus to Oban and Fridays they fetch me",
         ["Mondays Ann drives the minibus to Oban"]),
        ("The vet took our cat off the pills because of me mum",
         ["The vet took Ann's cat off the pills because of Ann's mum"]),
        ("The book my mum wrote in Oban", []),
        ("The dentist pulled my tooth in Oban", ["The dentist pulled Ann's tooth in Oban"]),
        ("They gave me eggs in Oban", []),
        ("still married to a fisherman from Oban", ["Ann is still married to a fisherman from Oban"]),
        ("Married a fisherman in Oban", ["Ann married a fisherman in Oban"]),
        ("stop quoting poems please we're just not in the mood", ["Ann wants the assistant to stop quoting poems"]),
        ("stop quoting poems please", ["Ann wants the assistant to stop quoting poems"]),
    ],
)  # fmt: skip
def test_a_cut_leaves_what_is_true_and_whole(text: str, texts: list[str]) -> None:
    assert statements_of(text) == texts
