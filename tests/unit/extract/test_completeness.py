"""What is half said, of the talk alone or over tomorrow is refused; what is said like it and is whole is kept (D2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.dated_en import dated
from tests.unit.extract.support import THURSDAY, extract
from tests.unit.extract.test_free_statements import statements_of


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
        ("Thinking of moving to Oban?", "Thinking of moving to Oban in May"),
        ("No idea about Oban", "No problem, I'll drive to Oban on Monday"),
        ("Since my aunt sails from the stairs in Oban", "Since my knees hurt, I moved to a flat in Oban"),
    ],
)
def test_half_a_statement_is_refused_and_a_whole_one_is_kept(bad: str, good: str) -> None:
    assert statements_of(bad) == []
    assert statements_of(good)


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("Another hobby of mine is carving owls", ["A hobby of Ann's is carving owls"]),
        ("My cousin's are in Oban", ["Ann's cousins are in Oban"]),
        ("Oban was one of my first homes I also rented a croft on Skye",
         ["Oban was one of Ann's first homes", "Ann rented a croft on Skye"]),
        ("I like the ferry, always have and will", ["Ann likes the ferry"]),
        ("I do like some jazz I have to admit", ["Ann likes some jazz"]),
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
        ("We bought a croft in June", ["Ann and others bought a croft in June 2025"]),
        ("You're the ferryman, I'm a thief of Oban", []),
        ("Write two lines like this for the choir: my son broke his arm in Oban", []),
        ("I live in Oban. Well, that's the exercise.", []),
    ],
)  # fmt: skip
def test_a_word_makes_it_whole(text: str, texts: list[str]) -> None:
    assert statements_of(text) == texts


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("User moved to Leeds last month", "User moved to Leeds in January 2026"),
        ("User's sister is coming next week", "User's sister is coming in the week of 9 February 2026"),
        ("Last summer User broke an arm", "In summer 2025 User broke an arm"),
        ("User has until next Friday to file", "User has until 13 February 2026 to file"),
        ("User ran it two years ago, again in 3 weeks", "User ran it in 2024, again in the week of 23 February 2026"),
        ("User has an exam in two weeks", "User has an exam in the week of 16 February 2026"),
        ("User saw a fox a few days ago", "User saw a fox a few days before 5 February 2026"),
        ("User saw a fox last night", "User saw a fox on the night of 4 February 2026"),
        ("User leaves tomorrow morning", "User leaves on the morning of 6 February 2026"),
        ("User has to file by tomorrow night", "User has to file by the night of 6 February 2026"),
    ],
)
def test_a_relative_time_is_written_as_its_date(statement: str, text: str) -> None:
    assert dated(statement, THURSDAY) == text


@pytest.mark.parametrize(
    "text",
    [
        "User will see Tom on Friday",
        "User went to last year's fair",
        "User spent the last week in bed",
        "User said “see you tomorrow” to Tom",
        "User moved in May",
        "User goes every other week",
        "User finished two years earlier than planned",
        "User has surgery a week from tomorrow",
        "User moved half a year ago",
        "User watched The Day After Tomorrow",
        "User plays in a band called yesterday",
        "User is off this coming weekend",
        "User is off next week Tuesday",
        "User works at USA Today",
        "User hasn't spoken to their brother in a year",
        "User lost 10 kg in two months",
        "User learned Danish in three weeks",
    ],
)
def test_what_is_no_time_by_itself_stays(text: str) -> None:
    assert dated(text, THURSDAY) == text


@pytest.mark.parametrize(
    ("text", "alone", "among_people"),
    [
        # news without "I", orders
        ("just adopted a kitten", "User just adopted a kitten", False),
        ("quit drinking", "User quit drinking", False),
        ("training to be a nurse", "User is training to be a nurse", True),
        ("Don't use brackets", "", False),
        ("Don't speak German to me", "", False),
        ("don't travel much", "User doesn't travel much", False),
        # health behind what one found out, and what sounds like talk
        ("I just found out I'm diabetic", "User just found out they are diabetic", True),
        ("I mentioned I'm coeliac", "User mentioned they are coeliac", True),
        ("I'm hearing impaired", "User is hearing impaired", False),
        ("I'm speaking at a congress in June", "User is speaking at a congress in June 2026", False),
        ("The surgeon found out I have gallstones", "The surgeon found out User has gallstones", True),
        ("What I need is a kosher menu", "What User needs is a kosher menu", False),
        ("I can't stand the cold", "User can't stand the cold", False),
        # what a team cannot and has not decided, a family's
        ("We can't use Oracle", "User and others can't use Oracle", False),
        ("We have not decided on a supplier", "User and others have not decided on a supplier", False),
        ("We never had children", "User and others never had children", False),
        # a thing or somebody named, with a number, a day or the speaker
        ("the boiler's on the second floor", "The boiler is on the second floor", False),
        ("choir practice is Wednesdays at eight", "Choir practice is Wednesdays at eight", False),
        ("Priya is bringing the tent on Saturday", "Priya is bringing the tent on Saturday", False),
        ("nuts make me wheeze", "Nuts make User wheeze", True),
        ("the parcel was late", "", False),
        ("popcorn for me", "", False),
        ("it starts at eight on Monday", "", False),
        ("the login for the till is mum4 on Monday", "", False),
        ("card number is 4111 on Monday", "", False),
        ("Hannibal died in 183", "", False),
        ("a shepherd has 17 goats", "", False),
        ("the method returns two names", "", False),
        ("grip strength target is 30/40", "", False),
        # what it denies, what is left out
        ("No fever since Sunday.", "User has had no fever since Sunday", False),
        (
            "thinking about selling the canoe next spring",
            "User is thinking about selling the canoe in spring 2026", True,
        ),
        ("born in Cork", "User was born in Cork", True),
        # what is chosen, irony
        ("ok the green tiles it is then", "User decided on the green tiles", False),
        ("let's go with the later train then", "User decided to go with the later train", True),
        ("let's do the maths then", "", False),
        ("strange as it is, I row", "", False),
        ("whatever it is", "", False),
        ("ok canvas it is then", "User decided on canvas", False),
        ("passport expires 2028-11-03", "Passport expires 2028-11-03", False),
        ("another form for my Monday, said no one ever", "", False),
        ("I adore filing on Mondays. Just kidding.", "", False),
        # hopes and plans
        ("I hope I get into Leeds", "User hopes they get into Leeds", False),
        ("I'll quit drinking", "User will quit drinking", False),
        ("we will have twins", "User and others will have twins", False),
        ("I'm thinking I will move to York", "User is thinking they will move to York", False),
        # words that look like leftovers
        ("I rather like cider", "User rather likes cider", True),
        ("I like goats better than sheep", "User likes goats better than sheep", True),
        ("I love Duran Duran", "User loves Duran Duran", True),
        ("I moved to BC last year", "User moved to BC", True),
        ("I hate injecting myself", "User hates injecting themself", True),
        ("My name is Li Na", "User's name is Li Na", True),
    ],
)
def test_a_single_user_tells_what_people_only_remark(text: str, alone: str, among_people: bool) -> None:
    assert statements_of(text, speaker=None) == [alone][: bool(alone)]
    assert bool(statements_of(text)) is among_people


@pytest.mark.parametrize(
    "text",
    [
        "My daughter isn't allergic to nuts, but my son is.",
        "Once the API is fixed, the team moves on.",
        "The client pays 40k, my boss says.",
    ],
)
def test_d2_a_clause_of_a_project_is_told_apart_only_where_it_is_whole(text: str) -> None:
    assert len([c for c in extract(text, project="p1") if c.kind == "episode"]) == 1
