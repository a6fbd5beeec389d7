"""What makes an English sentence stand alone: nothing in it points outside, it is of its speaker, and it says more than
courtesy, opinion or the moment.

Sentences are still in the first person here ("I moved my piano"): owners are named last.
"""

from __future__ import annotations

import re

from processors.reader.rules.filler_words_en import without_adding, without_leftovers
from processors.reader.rules.others import KIN_EN
from processors.reader.rules.person_en import conjugate
from processors.reader.rules.text import QUOTED
from processors.reader.rules.words_en import alternatives

LONGEST = 28
"""Words of a statement."""
SHORTEST = 3

_RESIDUE = re.compile(
    r",?\s*\b(?:lo+l|lmf?ao|rofl|ha(?:ha\w*)?(?=\s*$)|haha\w*|hehe\w*|xd|omg|tbh|imo|imho|btw|fyi|ikr|smh|ngl|idk"
    r"|ffs)\b[.,!]*"
    r"|,\s*(?:wow|whoa|(?:boy|man)\b(?! (?:and|or|of)\b|'s)|gosh|oh my \w+|yikes|yay|ugh)\b[^,]*$"
    r"|\s*[,\u2013\u2014-]\s+(?:thanks(?! to\b)|thank you|can't wait)\b.*$|\s*\(\d{1,2}\)$"
    r"|,\s*(?:probably|maybe|perhaps) not [a-z]+$"
    r"|,\s*(?:and |with )?no (?:fuss|drama|big deal|problem|worries|rush|hurry|regrets|complaints|questions asked)$"
    r"|,\s*(?:that's|that is|that was) (?:the|my|our) (?:goal|plan|aim|idea|dream|hope|deal)(?: anyway| at least)?$"
    r"|,?\s*\bI (?:have to|must|gotta|will) (?:admit|say|confess)(?=\s*(?:,|$))"
    r"|,\s*(?:you know|I mean|I guess|of course|to be honest|(?:like|as) I said)(?=\s*(?:,|$))",
    re.I,
)
_NEW = re.compile(
    r"\b(?P<verb>got|bought|found|met|saw|have|had|'ve got|reading|watching|made|joined|started|tried|took|did"
    r"|discovered|came across|stumbled (?:across|upon|on|over)|picked up|painted|wrote|visited|adopted|ordered"
    r"|(?:in|at|to|with|for|into)(?= this new)) this"
    r" (?!(?:year|month|week|weekend|morning|afternoon|evening|summer|winter|spring|fall|one|with|in|on|at|for|to|from"
    r"|by|and|but|last|when|while|because|is|was)\b)(?P<next>[a-z])(?=\w* [a-z])"
)
"""What is brought up as new: "I met this guy from Leeds"."""
YOU = re.compile(r"\by(?:ou|a|all)\b|\byou(?:r|rs|'\w+|rself)\b|\bu\b|\bur\b", re.I)
_TALKED_OF = re.compile(
    r"(?:I|we) (?:(?:am|was|have|had|do|did|can|could|will|would|don't|didn't|haven't|can't|couldn't|wouldn't|really"
    r"|just|also|still|never|always|only|not|totally|definitely|kind of|kinda|even|already|sometimes|often|been|be|too"
    r"|so|very|pretty|super|quite) ){0,4}"
    r"(?:think|thinks|thought|guess|know|knew|known|hope(?! to)|hoping(?! to)|agree|agreed|wonder|wondered|wondering"
    r"|see|hear|heard|understand|understood|believe|believed|feel|felt|feeling|mean|meant|suppose|bet|wish|imagine"
    r"|remember|forget|forgot|say|said|saying|appreciate|thank|assume|assumed|doubt|recommend|suggest|sure|glad|sorry"
    r"|curious|afraid|happy|excited|here|look|looking forward|admit|figured?|swear|promise|read|sense|relate|care|mind"
    r"|let)\b",
    re.I,
)
"""What one thinks, feels, says: of the moment, or of the talk itself."""
_TALKED_OF_AMONG_PEOPLE = re.compile(
    r"(?:I|we) (?:(?:am|was|have|had|do|did|can|could|will|would|don't|didn't|haven't|can't|couldn't|wouldn't|really"
    r"|just|also|still|never|always|only|not|totally|definitely|kind of|kinda|even|already|sometimes|often|been|be|too"
    r"|so|very|pretty|super|quite|(?!really\b)[a-z]{3,}ly) ){0,4}"
    r"(?:think|guess|know|knew|hope(?! to)|agree|wonder|see|hear|heard|understand|believe|feel|felt|mean|meant|suppose"
    r"|wish|imagine|remember|forget|forgot|say|said|appreciate|assume|doubt|mention(?:ed)?|fathom|apologi[sz]e"
    r"|referring|speaking|asking|surprised|amazed|shocked|stunned|saddened|impressed|thankful|grateful|pumped|alright"
    r"|all right|(?<=just )learn(?:ed|t)|found (?:out|that)|hearing|saw (?:that|there|how|where))\b",
    re.I,
)
"""The same between people, who tell each other what they heard, and answer what the other said."""
_HEDGED = re.compile(
    r"I (?:think|guess|believe) (?:(?:I am|we are) going to (?!check|look|see|go with|have to|be)"
    r"(?=.*\b(?:my|our|next|this (?:year|month|week|summer|winter|spring|fall|autumn)|in \w+)\b)"
    r"|my (?:all[- ]time )?favou?rite [\w' -]{2,30}? (?:is|are)\b(?! (?:when|how|the)\b))"
    r"|I (?:don't|do not) (?:really )?know (?:anyone|anybody|many people)\b(?! (?:who|that|else)\b)",
    re.I,
)
"""A plan or a taste that somebody is not sure of is worth telling as they say it, and so is that they know nobody."""
_LASTING = re.compile(
    r"\b(?:since|always|every|often|lately|for (?:\w+ )?(?:years|months|weeks)|afraid of|sure that)\b", re.I
)
_FEELS = re.compile(r"I (?:\w+ ){0,2}(?:feel|felt|am)\b", re.I)
"""A feeling that lasts is worth telling."""
_MODAL = re.compile(
    r"(?:I|we|my [\w' -]{1,40}?) (?:\w+ )?(?:would(?! (?:like|love|prefer|rather))|wouldn't|could(?!n't)|should|might"
    r"|ought|(?-i:may)|must)\b",
    re.I,
)
_GENERAL = re.compile(
    r"\bwe (?:all|(?:can|can't|do|don't|need|have to|should|must|know|see)\b"
    r"(?!.*(?:\b(?:any ?more|any longer|my|our|us|since|till?|until|together|on \w+days?)\b|\d"
    r"|(?<=[a-z,'] )(?-i:[A-Z]\w))))\b",
    re.I,
)
"""What holds for all: not what names a time, a number or somebody."""
MOMENT = re.compile(
    r"\b(?:am|are) (?:\w+ )?\w+ing\b[^,;]*\b(?:right now|at the moment|tonight|as we speak)\b"
    rf"|\bI am (?:\w+ )?(?:{alternatives('outbursts')})\b|\bneed\b[^,;]*\bby (?:tonight|today|now|noon)\b",
    re.I,
)
_OF_NOTHING = re.compile(
    r"(?:my|our) (?:guess|point|bad|pleasure|god|goodness|gosh|apolog\w+|mistake|opinion|bet|condolences|thoughts"
    r"|prayers|question|favou?rite part|advice|suggestion|answer|best|turn|word|minds?)\b"
    r"|(?:I|we) (?:have |had )?(?:got )?(?:(?:some|a bit of|good|bad|big|small|great|other) )*news\b"
    r"|(?:my|our) (?:\w+ )?news (?:is|was)(?: [\w'-]+){1,2}$|(?:my|our) [\w' -]{2,40} says? (?:hi|hello|hiya)\b"
    rf"|(?:my|our) (?:[\w'-]+ ){{1,3}}(?:{alternatives('gestures')})$",
    re.I,
)
_OPENS = re.compile(
    r"(?:(?:(?:on|in|at|for|since|over|during|by|after|until|the|a|an|last|next|this|other|few|couple of|past|early"
    r"|late|ever|every|one|two|three|four|five|\d+|[a-z]+days?|january|february|march|april|may|june|july|august"
    r"|september"
    r"|october|november|december|days?|weeks?|months?|years?|weekend|morning|afternoon|evening|night|summer|winter"
    r"|spring|fall|christmas|ago|yesterday|today|recently|lately|sometimes|usually|once|earlier|tomorrow|tonight"
    r"|pandemic|starting|from|as of)\b[ ,]{1,2}){1,6}"
    r"|(?:while|when) (?:in|at) (?-i:(?:the )?[A-Z])[\w' -]{2,30}?,? "
    r"|(?:when|while|since|after|before|until) (?:I|we|my (?:[\w-]+ )?[\w-]+) [\w' -]{3,50}?"
    r"(?<!that)(?<!which)(?<!what)"
    r"(?<!who)(?<!and)(?<!but)(?<!how)(?<!where)(?<!because)(?<!think)(?<!if),? (?=(?:I|we)(?:'\w+)? [a-z]))?"
    r"(?P<who>I|we|my|our)\b",
    re.I,
)
"""The speaker as the subject, a time before it or not."""
FINITE = re.compile(
    r"\b(?:am|is|are|was|were|has|have|had|do|does|did|can|could|will|would|won't|can't|don't|doesn't|didn't|isn't"
    r"|aren't|wasn't|[a-z]{2,}(?:ed|es|s)|got|made|went|came|took|saw|met|found|left|lost|won|gave|told|kept|began"
    r"|grew|cost"
    r"|put|said|held|ran|fell|felt|broke|bought|brought|taught|thought|wrote|drove|ate|drank|slept|spent|sold|sent|paid"
    r"|built)\b|'s (?:an?|the|not|been|gone|\w+ing|\w+ed)\b"
)
GERUND = re.compile(
    r"(?!(?:\w*thing|during|morning|evening|meeting|wedding|building|according|including|spring|string|king|ring"
    r"|opening|ending)\b)"
    r"[a-z]{2,14}ing\b",
    re.I,
)
_SUBJECT = re.compile(
    r"(?:the|an?|(?!There\b)(?-i:[A-Z])[\w'-]+|(?:one|\d+) of|(?:neither|none|both|two|some|most|all) of"
    r"|[a-z]{2,14}ing)\b", re.I
)
_MENTIONS = re.compile(r"\b(?:I|me|my|mine)\b")
_OF_SPEAKER = re.compile(
    r"^What I (?:will|do)\b|\b(?:my|mine)\b"
    r"|(?<!to )(?<!for )(?<!struck )(?<!surprised )(?<!amazed )\bme\b"
)
"""I saw, I am sure, it seems to me: what is told is not of the speaker."""
_CUT_SHORT = re.compile(
    r"(?:I|we) (?:have |had )?(?:told|asked) (?:the |my |our )?[\w'-]+(?: [\w'-]+)?$|.*[:,] ?“”\W*$|"
    r"(?:I|we) (?:have |had )?(?:told|asked|said|say) “”|"
    r"(?:my|our) [\w'-]+ (?:always |once )?(?:said|says|told (?:me|us)|tells (?:me|us)) “”$|"
    r".*\b(?:said|says?|told|tells?|asked|asks)$|"
    r"(?:I|we) (?:am|are|was|were),|(?:the|an?|some) (?:\w+ ){1,3}(?:beside|next to|behind|opposite) (?:me|us)\b|"
    r"(?:I|we) (?:have|had) been (?:round|over|up|back)(?: (?:once|twice|again|already|before))?$|"
    r"(?:my|our) (?:[\w'-]+ ){1,2}?(?:does|do|did|is|was|has|can|would)(?:n't| not)?(?: (?:but|and|though|so|too"
    r"|any ?more|any longer)\b|$)",
    re.I,
)
"""An answer whose predicate is in the turn before: "my brother does but ..."."""

# What points outside of the statement, and what it may point at within.
_PERSON = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.I)
_THING = re.compile(r"\b(?!(?<=[a-z] )(?-i:I)t)(?:it|its|itself|it's)\b", re.I)
_SEVERAL = re.compile(r"\b(?:they|them|their|theirs|themselves|they're|they've|they'd)\b", re.I)
_OBJECT = re.compile(r"\b(?!(?<=[a-z] )(?-i:I)t)(?:it|them|him)\b", re.I)
"""It within a title has a capital: "Wreck It Ralph"."""
_BEFORE_THAT = (
    "did|do|does|done|doing|of|for|like|about|with|after|before|by|from|at|in|on|to|than|love|loved|hate|hated|try|tried"
    "|had|have|get|got|saw|seen|watch|watched|read|use|used|need|want|remember|said"
)
_SHOWN = re.compile(
    r"\b(?:this|these|those)\b(?! (?:year|month|week|weekend|morning|afternoon|evening|summer|winter|spring|fall|autumn"
    r"|christmas|monday|tuesday|wednesday|thursday|friday|saturday|sunday|days)\b)"
    r"|\b(?:that|which)\s*$"
    r"|\bthat(?:'s| (?:is|was|were|would|will|can|could|did|does|has|had|one|way|kind|sort|much|part))\b"
    rf"|\b(?:{_BEFORE_THAT}) that\b(?! (?:I|my|we|the|he|she|it|they)\b)"
    r"|\b(?:when|if|because|since|after|before|while|and|but|so|how \w+) that (?:came|happen\w*|ha[sd]|must|should"
    r"|might|makes?|made|means?|sounds?|looks?|seems?)\b"
    r"|\b\w+ that (?:in|out|up|on|off|over|down|back)\b(?=\s*(?:$|[,;]))"
    r"|\b(?:has|have|had|own|owns|found) that (?=[a-z]+ (?:in|on|at|by|near|with|from|of)\b)"
    r"|(?<!since )(?<!by )(?<!until )(?<!just )\bthen(?=\s*(?:[,;]|$))"
    r"|\bone of (?:mine|ours)\b"
    r"|(?<!of )(?<!is )(?<!was )(?<!are )(?<!were )(?<!the )(?<!stays )(?<!stay )(?<!coal )(?<!gold )(?<!a )\bmine\b"
    r"|\b(?:(?:an)?other|that|which|the|next|last|a \w+|\w+er) ones?\b|\b(?:the|an)other\s*$"
    r"|\bthe (?:same|latter|former)(?:\s*$|\s*[,;]| (?:with|for|as|here|goes)\b)"
    r"|\bbetween\b(?!.*\band\b)|\b(?:too|so|such)\s*$|\bthe choice\b|\bsome\s*$|\bdo(?:es)? so\b"
    r"|\bthat (?:before|either|yet)$|\bthat lot\b|\band something\s*$|\bit(?:'s| is) (?:him|her|them)\b"
    r"|(?<!'s )(?<!is )(?<!are )(?<!was )(?<!were )(?<!of )\b(?:hers|theirs)\b"
    r"|\bthere\b(?!(?:'s| is| are| was| were|fore|'re)\b)|\bhere\b",
    re.I,
)
_ONE = re.compile(
    r"\b(?:the [\w'-]+|lost|had|have|has|got|gets?|bought|needs?|wants?|saw|made|found|took|takes?|used?|ordered|sold"
    r"|gave|keeps?|kept|owns?|tried|broke) ones?\b(?= *(?:$|[,;.]|(?:in|on|at|for|from|before|after|last|this|since"
    r"|when|because|and|but|so|too|by|until|again|already|now|yet)\b))",
    re.I,
)
"""One of what was named before: "we lost one in March"."""
_OF_A_KIND = re.compile(r"\bthe (?!only\b|number\b)[\w'-]+ one\b(?! (?:of|in|to|who|that|among)\b)", re.I)
"""Which of those that were named: "the red one"."""
_PARTS = re.compile(
    r"[,;:(]|\b(?:\w+ing|and|but|so|or|because|since|when|while|after|before|until|till|if|who|whose|which|that|where|then|as|with"
    r"|to(?! (?:it|them|him)\b))\b",
    re.I,
)
"""Where a part of a statement ends: what is named within one is not what a verb of the same part is done to."""
_JUDGED = re.compile(
    r"(?:,(?: and| but| so)?| and| but| so) (?:it|that|this)(?:'s| is| was| would be| will be| has been)"
    r" (?:(?:so|really|very|pretty|quite|just|such|all|always|not|kind of|kinda|a|an|the|my) ){0,3}"
    r"(?:good|great|nice|fun|awesome|amazing|cool|funny|hard|tough|difficult|easy|bad|crazy|weird|insane|wild|lovely"
    r"|tasty"
    r"|delicious|hilarious|awful|terrible|horrible|fantastic|wonderful|incredible|interesting|perfect|sad|boring"
    r"|beautiful"
    r"|gorgeous|best|worst|worth|like|ok|okay|fine|thing|shame|pity|bummer)\b.*$",
    re.I,
)
"""What one thinks of it, behind what happened."""
_SPOKEN = re.compile(
    r"(?<=[a-z'I] )(?:actually|also|literally|basically|honestly|kinda|kind of|obviously)\s+(?=[a-z])", re.I
)
"""What speech puts before a verb and a sentence by itself does not need."""
_MENDED = (
    (re.compile(r"^another (?=[\w-]+(?: [\w-]+)? of (?:mine|ours)\b)", re.I), "A "),
    (re.compile(r"\bbeing this (?=[a-z]+(?:ed|y|d|l|s|k)\b)"), "being so "),
    (re.compile(r"^what I ((?:do |really )?have) is (?!that\b|to\b)", re.I), r"I \1 "),
    (re.compile(r"\b((?:I am|I'm|Im|we are|we're) )more (?=into\b)(?!.*\bthan\b)", re.I), r"\1"),
    (re.compile(r"\b((?:my|our) [a-z]+)'s (?=(?:are|were)\b)", re.I), r"\1s "),
    (re.compile(rf"\b((?:my|our) (?:{alternatives('one_relative')}))s (?=(?:{alternatives('ones_things')})\b)", re.I),
     r"\1's "),
)  # fmt: skip
"""What somebody compares or adds in talk stands by itself, and an apostrophe is where it belongs."""
_ASIDE = re.compile(
    r"\((?:(?:and|but|so|well) )?(?:I|i|we) (?:think|guess|hope|mean|believe|suppose|wish|know|swear|bet)\b"
    r"[^()]{0,200}\)"
)
"""What the speaker thinks of what they say."""
_OF_BEFORE = re.compile(
    r"^(?:that|those) (?!(?:is|was|said|way|being)\b)[a-z]"
    r"|\b(?:the|that) (?:show|movie|film|book|song|album|game|series|episode|story|article|video|clip|photo|picture"
    r"|restaurant|hotel|event|guy|girl|lady|thing|one|idea|joke|trailer|ending|plot|sequel|actor|actress|character)"
    r"(?= *(?:$|[,;.]|\b(?:at|a|once|twice|several|many|and|but|so|too|again|yet|lately|either|anyway"
    r"|because|when|is|are|was|were|has|had)\b))",
    re.I,
)
"""A thing that was named in the talk before, not in the statement."""
_ONE_NAMED = re.compile(
    r"\b(?:an?|my|our|another|the) (?!(?:lot|bit|while|few|bunch)\b|little(?! [a-z]{4}))(?:[\w'-]+ ){0,2}[a-z]{2,}",
    re.I,
)
_MANY_NAMED = re.compile(
    r"\b(?:my|our|the|some|two|three|four|five|\d+|many|several|most|all|both|few|more|of|with)"
    r" (?:[\w'-]+ ){0,2}[a-z]+s\b"
    r"|\b(?:parents|kids|children|people|family|siblings|grandparents)\b|\b\w+[^s\W]s\b",
    re.I,
)
KIN = re.compile(rf"\b(?:{KIN_EN}|dog|cat|baby|puppy|kitten)s?\b", re.I)
_NAME = re.compile(r"(?<=[a-z,'] )[A-Z][a-z]+\b")
_PARTICULAR = re.compile(r"\d|(?<=[a-z,'] )(?!I\b)[A-Z][\w'-]*")
_UNQUOTED = re.compile(r"\"|(?<![\w'])'(?!(?:cause|cos|til|till|em|twas|tis|bout|round|n)\b|\d)\w")
"""A quotation that is cut off."""


def tidy(statement: str) -> str:
    """Return a sentence without the words that chat leaves in it."""
    text = _JUDGED.sub("", _SPOKEN.sub("", " ".join(_RESIDUE.sub(" ", " ".join(statement.split())).split())))
    text = _NEW.sub(lambda m: f"{m['verb']} {'an' if m['next'] in 'aeiou' else 'a'} {m['next']}", text)
    for pattern, better in _MENDED:
        text = pattern.sub(better, text)
    text = " ".join(_ASIDE.sub("", text).split())
    if text.count("(") != text.count(")"):
        text = text.partition("(")[0]
    text = without_adding(re.sub(r"\s+([,;.])", r"\1", text).strip(" ,;:.-\u2013\u2014"))
    return without_leftovers(text).rstrip(" ,;:-\u2013\u2014")


def resolved(text: str) -> bool:
    """Does everything that the text points at stand in the text before it?"""
    if _SHOWN.search(text):
        return False
    if named_before(text):
        return False
    if (object_match := _OBJECT.search(text)) is not None:
        behind = _earlier(" ".join(text[: object_match.start()].split()[2:]))  # not the subject of its own verb, not its object
        if not (_names_thing(behind) if object_match.group().lower() == "it" else _names_several(behind)):
            return False
    if (one := _ONE.search(text)) is not None:
        behind = _earlier(text[: one.start()])
        if not (_names_thing(behind) or _names_several(behind)):
            return False
    if (one := _OF_A_KIND.search(text)) is not None and not _names_thing(text[: one.start()]):
        return False
    for pointing, names in ((_PERSON, _names_person), (_THING, _names_thing), (_SEVERAL, _names_several)):
        match = pointing.search(text)
        if match is not None and not names(text[: match.start()]):
            return False
    return True


def _earlier(before: str) -> str:
    """The parts before the one in which `before` ends."""
    ends = [part.start() for part in _PARTS.finditer(before)]
    return before[: ends[-1]] if ends else ""


def named_before(text: str) -> bool:
    """Does the text speak of "the show" or "that book", which the talk before it named?"""
    known = _OF_BEFORE.search(text)
    return known is not None and not _names_thing(text[: known.start()])


def _names_person(before: str) -> bool:
    return bool(KIN.search(before) or _NAME.search(before))


def _names_thing(before: str) -> bool:
    return bool(_ONE_NAMED.search(before) or _NAME.search(before))


def _names_several(before: str) -> bool:
    return bool(_MANY_NAMED.search(before) or KIN.search(before))


def is_self_contained(text: str, *, in_group: bool = False) -> bool:
    """Is this a whole statement of the speaker's that needs nothing beside it?

    `in_group`: said among people, where more is about the talk and what others are.
    """
    text = QUOTED.sub("“”", text)
    if _UNQUOTED.search(text) or YOU.search(text) or not resolved(text) or not SHORTEST <= len(text.split()) <= LONGEST:
        return False
    opens = _OPENS.match(text)
    of_speaker = _OF_SPEAKER if in_group else _MENTIONS
    if opens is None and not (_SUBJECT.match(text) and of_speaker.search(text)):
        return False
    if (opens is None or opens["who"].lower() not in {"i", "we"}) and not FINITE.search(text):
        return False
    phrase = text[opens.start("who") :] if opens else text
    talked = _TALKED_OF.match(phrase) or (in_group and _TALKED_OF_AMONG_PEOPLE.match(phrase))
    if talked and not (_HEDGED.match(phrase) or (_FEELS.match(phrase) and _LASTING.search(phrase))):
        return False
    return not any(p.match(phrase) for p in (_CUT_SHORT, _MODAL, _GENERAL, _OF_NOTHING))


def reports(text: str) -> bool:
    """May what is said of somebody of the speaker's be told: does it point at nothing outside, and speak to nobody?"""
    return len(text.split()) <= LONGEST and resolved(text) and not YOU.search(text)


def asks_for(text: str) -> bool:
    """May a wish or a request be told: as `reports` says, or because it names a number or a name?"""
    short = len(text.split()) <= LONGEST and YOU.search(text) is None
    return reports(text) or (short and _PARTICULAR.search(text) is not None)


def as_owner(text: str) -> str:
    """Name the owner as the subject of what was said without one; other statements stand as said."""
    if re.match(r"(?:I|we|my|our)\b", text, re.I) or _MENTIONS.search(text):
        return text[0].upper() + text[1:]
    return f"{{owner}} {conjugate(text[0].lower() + text[1:])}"
