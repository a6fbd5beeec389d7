"""English: name, family, education, languages, pets, tastes and possessions of the owner (B1, D2)."""

from __future__ import annotations

import re
from dataclasses import replace

from processors.reader.rules.clauses_en import Clause
from processors.reader.rules.common_en import CHAT, FUNCTION
from processors.reader.rules.found import Found
from processors.reader.rules.jobs_en import is_job, names_job
from processors.reader.rules.numbers import ENGLISH_NUMBER
from processors.reader.rules.resolved_en import named_before, resolved
from processors.reader.rules.self_en import APPROX, JOB, NAME, NO_LONGER, STOP, WORD, Rule, apply, rule
from processors.reader.rules.words_en import alternatives
from schemas.base import JsonValue

TONGUES = (
    "English|Chinese|Mandarin|Cantonese|Spanish|French|German|Italian|Portuguese|Russian|Japanese|Korean|Arabic|Hindi"
    "|Urdu|Bengali|Turkish|Dutch|Polish|Greek|Hebrew|Swedish|Norwegian|Danish|Finnish|Czech|Ukrainian|Vietnamese|Thai"
    "|Indonesian|Malay|Tamil|Persian|Farsi|Swahili|Hungarian|Romanian"
)
_LIST = (
    rf"(?:(?:fluent|good|basic|some|a little|a bit of|native) )?(?:{TONGUES}"
    r")(?:(?:, | and |, and | as well as )(?:(?:fluent|good|basic|some"
    rf"|a little|a bit of) )?(?:{TONGUES})){{0,5}}"
)
NATIONS = (
    "American|British|English|Scottish|Welsh|Irish|Canadian|Australian|Chinese|Indian|Pakistani|Japanese|Korean|French"
    "|German|Italian|Spanish|Portuguese|Dutch|Belgian|Swiss|Swedish|Norwegian|Danish|Finnish|Polish|Russian|Ukrainian"
    "|Turkish|Greek|Egyptian|Nigerian|Kenyan|South African|Brazilian|Mexican|Argentinian|Colombian|Vietnamese|Thai"
    "|Filipino|Indonesian|Malaysian|Singaporean|Taiwanese|Iranian|Israeli"
)
_SCHOOL = rf"(?:the )?(?:{NAME}(?:,? (?:{NAME}|of|the|at|and|for))" + r"{0,5})"
_SUBJECT = r"(?P<major>[A-Za-z][\w&-]{1,25}(?: (?:and |& )?[A-Za-z][\w&-]{1,25}){0,3}?)"
_DEGREE = (
    r"(?P<education>PhD|Ph\.D\.?|doctorate|MBA|MSc|MA|BSc|BA|master's"
    r"|masters|master|bachelor's|bachelors|bachelor|associate)(?: degree"
    r")?"
)
_PET = (
    r"dogs?|cats?|puppy|puppies|kittens?|rabbits?|hamsters?|parrots?"
    r"|birds?|fish|turtles?|snakes?|horses?|guinea pigs?|lizards?|ferrets?"
)
_PET_ALONE = (
    r"(?=$|[^\w\s'-]|,? (?:named|called|who|that|which|whose|and|or|but|nor|at|in|on|of|from|with|by|for|since|as|to"
    r"|too|also|now|any ?more|any longer|right now|here|back home|yet|either|already|again|though|if|when|while"
    r"|because|so|these|this|I|we|he|she|it|is|was|just|currently|myself|ourselves|lol|haha|(?-i:[A-Z][a-z]+))\b)"
)
"""A dog walker is no dog."""
_NOT_LIKED = (
    r"(?!(?:to [A-Z][a-z]+|it|that|this|these|those|them|him|her|you|your|how|when"
    r"|what|where|why|who|the way|to (?:hear|see|know|share|think|say"
    r"|talk|help|be|do|have|get|go)|everything|all|being|seeing|hearing"
    r"|having|spending|knowing|getting|making|doing|going|sharing|watching"
    r" you|our|us|so|and|as|more|or|the (?:idea|fact|one|same|thing"
    r"|sound|look|feeling|energy|vibe)|the ones?|the connection$|their|his|its|there|one|me|my"
    r" life|another|any|some)\b)"
)
# To the end of the clause: "shooting near beaches" is liked, not shooting; "bugs that fly" are disliked, not bugs.
_OBJECT_END = (
    r"(?=$|[.;!?()]|, (?:always|probably|maybe|never have)\b|,? (?:too though|though$)"
    r"|, (?:who|that|(?:but )?(?:do|does|did|don't|didn't|can't))\b"
    r"| that (?:I|we|you|he|she|they|it|my|is|was|are|were)\b"
    r"|,? (?:because|but|so|when|since|if|though|although"
    r"|while|where|which|as|especially|also|too|tho|a lot|very"
    r" much|the (?:most|best|least)|better(?! than)|best|as well|(?i:lo+l|haha))\b"
    r"| (?:I|we|they|he|she) (?:think|thought|guess|believe(?! in)|mean)\b"
    r"|,? (?:it's|its|that's|thats) (?:an?|so|really|very|just|sad|such|not|good|great)\b"
    r"|, (?:nice|great|good) (?:to|for)\b|, (?:have|do|did|are|what about|how about|what|how) (?:you|it|they)\b"
    r"|,? (?:anymore|any more|any longer|nowadays|these days|now)(?=\s*(?:$|[,.;!])))"
)
# What it is preferred as belongs to it: "reports as tables"; a reason or a time does not.
_AS_WHAT = (
    r"(?: as (?!(?:well|much|long|soon|far|often|if|it|i|we|you|they|he|she|that|this|there|of|my|our|usual"
    r"|always|a rule|an? (?:kid|child|boy|girl|teenager|student|adult))\b)[a-z][\w-]*(?: [\w-]+){0,2}(?=$|[.;!?()]))?"
)
_OBJECT = rf"(?P<object>{_NOT_LIKED}[A-Za-z][^.;!?()\"]{{1,70}}?){_OBJECT_END}"
_NAMES = rf"{NAME}(?:(?:,| and|, and) (?!I\b){NAME}(?=$|[,.;!?]| and\b)){{0,4}}"
_SOME_OF_THEM = (
    r"(?:under|over|below|above|aged|at(?! all)|in|with|from|who|that|younger|older|of|living|between|left|yet to)"
)
"""Who has no children under 18 may have others."""
_MARRIED = r"(?P<marital>married|single|divorced|engaged|widowed|separated)"

RULES: tuple[Rule, ...] = (
    rule(rf"am {_MARRIED}{STOP}"),
    rule(r"got (?P<marital>married|divorced|engaged)\b"),
    rule(r"have (?P<count>\w{1,12}) (?:young |little |small |beautiful |lovely"
r" |grown |teenage )?(?:kids|children|sons|daughters)\b", constants={"children": True}),
    rule(r"have an? (?:young |little |baby |beautiful |\w{1,8}[- ]year[-"
r" ]old )?(?:kid|child|son|daughter|baby|toddler)\b", constants={"children": True}, says_no={"children": False}),
    rule(rf"have (?:kids|children)(?= {_SOME_OF_THEM}\b)", constants={"children": True}, negatable=False),
    rule(rf"have (?:any |no )?(?:kids|children)\b(?! {_SOME_OF_THEM}\b)", constants={"children": True},
         says_no={"children": False}),
    rule(rf"have (?:got )?(?:an? |two |three |four |\d )(?:\w{{2,12}} ){{0,2}}?(?P<pet>{_PET}"
rf"){_PET_ALONE}(?:(?: named| called|,) (?P<pet_name>{_NAMES}))?"),
    rule(rf"(?:adopted|got|have adopted|have got) an? (?:\w{{2,12}} ){{0,2}}?"
rf"(?P<pet>{_PET}){_PET_ALONE}(?:(?: named| called|,) (?P<pet_name>{_NAMES}))?"),
    rule(rf"(?:speak|can speak|am fluent in|am a native speaker of) (?P<languages>{_LIST})"),
    rule(rf"am (?:an? )?(?P<nationality>{NATIONS}){STOP}"),
    rule(r"am an? (?P<nationality>[A-Z]\w{1,15}) (?:citizen|national)\b"),
    rule(rf"(?:have|hold|carry|travel on|am on) an? (?P<nationality>(?i:{NATIONS})) passport\b"),
    rule(r"(?:have|hold|got|earned|received|completed|am doing|am pursuing"
rf") (?:an? |my )?{_DEGREE} (?:in |of )?{_SUBJECT}(?: (?:from|at"
rf") (?P<university>{_SCHOOL})){STOP}"),
    rule(r"(?:have|hold|got|earned|received|completed|am doing|am pursuing"
rf") (?:an? |my )?{_DEGREE}(?: (?:in |of )(?!my\b){_SUBJECT})?{STOP}"),
    rule(rf"(?:graduated|have graduated) (?:from|at) (?P<university>{_SCHOOL}"
rf")(?: (?:with an? {_DEGREE} )?(?:in )(?!\d|the |my ){_SUBJECT}"
rf")?{STOP}"),
    rule(rf"(?:majored|am majoring|major) in {_SUBJECT}(?: at (?P<university>{_SCHOOL}))?{STOP}"),
    rule(rf"(?:studied|study|am studying) {_SUBJECT} at (?P<university>{_SCHOOL}){STOP}"),
    rule(r"am (?P<occupation>retired|unemployed|self-employed|between jobs)\b"),
    rule(rf"have been an? (?P<occupation>(?:{WORD} ){{0,2}}?{WORD}) for {APPROX}(?P<years>{ENGLISH_NUMBER}) years\b"),
    rule(
        r"(?:work|am working|have worked) in (?:the )?(?P<industry>(?!the\b"
r"|a\b|an\b|my\b|this\b|that\b|front\b|progress\b|shifts?\b)"
        rf"[a-z]{{3,20}}(?: (?!for\b|and\b|since\b|with\b|from\b|but\b|near\b)[a-z]{{3,20}})?)"
        rf"(?: industry| sector)?{STOP}"
    ),
    rule(r"(?:play|am learning|am learning to play|have been playing|am learning"
r" how to play) the (?P<hobby>piano|guitar|violin|drums|flute|cello"
r"|saxophone|trumpet|ukulele|harp|bass|clarinet)\b"),
    rule(
        r"(?:(?:really |absolutely |especially |quite )?(?:love|like|enjoy|adore)|am (?:really |very )?(?:into|fond of"
        rf"|passionate about|keen on)|am a (?:huge |big )?fan of) {_OBJECT}",
        kind="preference",
    ),
    rule(rf"(?:really |absolutely )?(?:hate|dislike|detest|can't stand|loathe) {_OBJECT}", kind="preference"),
    rule(
        rf"(?:much )?prefer (?P<prefers>{_NOT_LIKED}[A-Za-z][^.;!?()\",]{{1,60}}?{_AS_WHAT})"
        rf"(?P<over> (?:over|rather than) [\w' -]{{2,40}}?)?{_OBJECT_END}",
        kind="preference",
    ),
    rule(rf"am (?:an? )?(?P<diet>vegetarian|vegan|pescatarian|coeliac|celiac|lactose intolerant|teetotal){STOP}"),
    rule(rf"have [\w' ,]{{3,40}}? and (?:an? |two |three |four )(?:\w{{2,12}}"
rf" ){{0,2}}?(?P<pet>{_PET})(?:(?: named| called|,) (?P<pet_name>{_NAMES}"
r"))?"),
    rule(rf"own (?P<possession>an? [\w' -]{{2,40}}?(?:,? (?:and )?an? [\w' -]{{2,40}}?){{0,4}}){STOP}"),
    rule(
        rf"am an? (?P<occupation>(?:{WORD} ){{0,3}}?[A-Za-z-]{{2,20}}){STOP}"
    ),
)  # fmt: skip
_NOT_JOBS = re.compile(
    r"\b(?:fan|lover|member|believer|beginner|supporter|reader|mother"
    r"|father|brother|sister|learner|listener|player|minor"
    r"|winner|survivor|loner|morning|better|bigger|former|big|little"
    r"|bit|huge|people|total|late|early|never|swimmer|follower"
    r"|newcomer|foodie|after|other|user|customer|number|over|center"
    r"|keeper|dreamer|thinker|starter|owner|vegetarian|christian"
    r"|sucker|runner|explorer|planner|hoarder|night|hopeless|sister|partner|gamer|traveler|traveller|hiker|neighbor)\b",
    re.I,
)
_AND_JOB = rf" and (?:also )?(?P<second>(?:an? )?(?P<what>(?:{WORD} ){{0,2}}?[A-Za-z-]{{2,20}})){STOP}"
_NAMED = re.compile(
    rf"my (?:full |first |real )?name(?: is|'s) (?P<name>(?-i:{NAME}(?: {NAME}){{0,3}})"
    r"|(?!on\b|in\b|not\b|the\b|a\b|my\b|is\b|too\b|also\b|so\b|hard\b|very\b|and\b)[a-z]{2,20}(?=$|[,.!]))",
    re.I,
)
_BIRTHDAY = re.compile(r"my birthday(?: is|'s) (?:on )?(?P<day>[\w ,]{3,24})", re.I)
_CALLED = re.compile(rf"(?:(?:am|go by|am called) )(?P<name>{NAME}(?: {NAME}){{0,2}})(?=$|[,.!]| and\b| from\b)")
_CALL_ME = re.compile(rf"(?<!n't )(?<!not )(?<!never )\b(?:[Cc]all me|I am called|I go by) (?P<name>{NAME})\b")
_JUST = re.compile(rf"[Jj]ust (?P<name>{NAME})(?: is|'s| will) (?:fine|do|enough|ok|okay)\b")
"""The answer to one who asks how to call the speaker."""
_ASKS_NAME = re.compile(r"\b(?:(?:call|address) you|your (?:full |first )?name)\b[^?]{0,20}\??$", re.I)
_NOT_CALLED = re.compile(
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october"
    r"|november|december|asap|christmas|easter)\b",
    re.I,
)
"""When to call, not what."""
_HOBBY = re.compile(
    r"my (?:main |favou?rite |biggest )?(?:hobby|hobbies|pastimes?|interests?"
    rf") (?:is|are|include) (?P<hobby>{_NOT_LIKED}[\w', &-]{{3,80}})",
    re.I,
)
_FAVOURITE = re.compile(
    rf"my (?:all[- ]time )?favou?rite (?P<what>{WORD}(?: {WORD}){{0,2}}?"
    r") (?:(?:is|would be|has to be) (?P<value>(?!when|how|that\b|the"
    rf" one|probably|definitely|to )[\w'\"& -]{{2,60}}?){STOP}"
    r"|are (?P<values>(?!when|how|that\b|the ones|probably|definitely|to )[\w'\"&, -]{2,90}?)(?=[,\s]*(?:$|[.;!?()])))",
    re.I,
)
_MY_JOB = re.compile(rf"my (?:job|profession|occupation) is (?:an? |as an? )?(?P<occupation>{JOB}){STOP}", re.I)


_BEGUN = re.compile(r"(?<![\s,])[\s,]+(?:and|or|but)$")
_BARE = re.compile(
    rf"^the (?:whole |entire )?(?:{alternatives('known_by_the_talk', 'one_of_many')}"
    rf"|(?:{alternatives('named_in_talk')})s?)$"
    r"|^the whole .*\bthing$"
    r"|^the (?:original|orig\w+|first|last|new|old) \d"
    r"|\bto (?:watch|see)(?: \w+ly)?$"
    r"|^[a-z]+ing (?:to|into|from|with|at|for|about)$"
)
"""What the talk before named: "the movie"."""


_AND_A = re.compile(r",? (?:and )?(?=an? )")


def life_statements(clause: Clause, *, greeted: bool, question: str | None = None) -> list[Found]:
    """Return what an English clause says of its speaker's name, family, learning, tastes and things.

    `greeted`: the sentence or the one before it greets, so that "I'm Anna" is a name. `question`: the question of the
    turn before, which may ask for a name.
    """
    found = [named_slots(f) for f in apply(RULES, clause)]
    kept = [_with_second_job(one, clause.body) for f in found if f is not None for one in _one_each(f)]
    if clause.states and clause.subject == "my":
        kept.extend(_mine(clause))
    if clause.states and clause.subject == "I" and greeted and (match := _CALLED.match(clause.body)):
        kept = [f for f in kept if "occupation" not in dict(f.slots)]
        kept.append(_fact(clause, f"{{owner}}'s name is {match['name']}", ("name", match["name"])))
    elif (match := _called(clause, question)) is not None and _names(match):
        kept.append(_fact(clause, f"{{owner}} is called {match['name']}", ("name", match["name"])))
    return kept


def _with_second_job(found: Found, body: str) -> Found:
    """Somebody who is two things is both: "I am a driver and a student"."""
    first = dict(found.slots).get("occupation")
    match = re.search(rf"\b{re.escape(first)}{_AND_JOB}", body, re.I) if isinstance(first, str) else None
    if match is None or not is_job(match["what"]):
        return found
    both = f"{first} and {match['second']}"
    slots = tuple((slot, both if slot == "occupation" else value) for slot, value in found.slots)
    return replace(found, text=found.text.replace(str(first), both, 1), slots=slots)


def _called(clause: Clause, question: str | None) -> re.Match[str] | None:
    """Where a clause says how to call its speaker, which a short answer says only to one who asks it."""
    if clause.states and clause.subject != "other" and (match := _CALL_ME.search(clause.body)):
        return match
    return _JUST.match(clause.body) if question and _ASKS_NAME.search(question) else None


def _names(called: re.Match[str]) -> bool:
    low = called["name"].lower()
    return _NOT_CALLED.match(low) is None and low not in FUNCTION | CHAT


def _one_each(found: Found) -> list[Found]:
    """Several languages or things are several facts: each stands or falls by itself."""
    slots = dict(found.slots)
    if "possession" in slots:
        owned = slots["possession"]
        things = [thing for thing in _AND_A.split(owned) if thing]
        return [replace(found, text=found.text.replace(owned, t), slots=(("possession", t),)) for t in things]
    if "language" not in slots:
        return [found]
    verb = "does not speak" if found.negated else "speaks"
    return [replace(found, text=f"{{owner}} {verb} {t}", slots=(("language", t),)) for t in slots["language"]]


def _mine(clause: Clause) -> list[Found]:
    body = clause.body
    if match := _NAMED.match(body):
        return [_fact(clause, f"{{owner}}'s name is {match['name']}", ("name", match["name"]))]
    if match := _BIRTHDAY.match(body):
        return [_fact(clause, f"{{owner}}'s birthday is {match['day']}", ("birthday", match["day"]))]
    if match := _HOBBY.match(body):
        hobbies = match["hobby"].strip(" ,")
        return [_fact(clause, f"{{owner}}'s hobby is {hobbies}", ("hobby", hobbies))]
    if (match := _MY_JOB.match(body)) and names_job(match["occupation"]):
        return [_fact(clause, f"{{owner}}'s job is {match['occupation']}", ("occupation", match["occupation"]))]
    if match := _FAVOURITE.match(body):
        what, value = match["what"], (match["value"] or match["values"]).strip(" ,")
        text = f"{{owner}}'s favourite {what} {'are' if match['values'] else 'is'} {value}"
        slot = f"favourite {what.lower()}"
        return [Found(clause.start, clause.end, "preference", text, ((slot, value),))]
    return []


def _fact(clause: Clause, text: str, *slots: tuple[str, JsonValue]) -> Found:
    attributes = {"correction": True} if clause.correcting else {}
    return Found(clause.start, clause.end, "fact", text, slots, attributes=attributes)


def named_slots(found: Found) -> Found | None:
    """Give captured groups their slots: an object is liked or disliked, a count of children is theirs."""
    slots = dict(found.slots)
    attributes = dict(found.attributes)
    if "occupation" in slots and _NOT_JOBS.search(slots["occupation"]):
        return None
    if "object" in slots:
        slots["object"] = _BEGUN.sub("", slots["object"])
        if named_before(slots["object"]) or not resolved(f"I like {slots['object']}") or _BARE.search(slots["object"]):
            return None
    if "children" in slots:
        count = slots.pop("count", None)
        if count is not None:
            attributes["count"] = count
    over = found.negated and found.text.startswith(NO_LONGER)
    if "object" in slots:
        disliked = re.search(r"\b(?:hates?|dislikes?|detests?|loathes?|can't stand)\b", found.text) is not None
        slots["dislikes" if disliked != (found.negated and not over) else "likes"] = slots.pop("object")
    if "prefers" in slots and (other := slots.pop("over", None)):
        attributes["over"] = other.removeprefix("to ").removeprefix("over ").removeprefix("rather than ")
    if name := slots.pop("pet_name", None):
        attributes["name"] = name
    if spoken := slots.pop("languages", None):
        slots["language"] = [t for t in TONGUES.split("|") if re.search(rf"\b{t}\b", spoken)]
    negated = found.negated and (over or not {"likes", "dislikes"} & set(slots))
    return Found(
        found.start, found.end, found.kind, _BEGUN.sub("", found.text), tuple(slots.items()), found.approximate,
        negated,
        attributes=attributes,
    )  # fmt: skip
