"""What makes an English sentence stand alone: nothing in it points outside, it is of its speaker, and it says more than
courtesy, opinion or the moment.

Sentences are still in the first person here ("I moved my piano"): owners are named last.
"""

from __future__ import annotations

import re

from processors.reader.rules.person_en import conjugate
from processors.reader.rules.resolved_en import resolved
from processors.reader.rules.text import QUOTED
from processors.reader.rules.words_en import alternatives

LONGEST = 28
"""Words of a statement."""
SHORTEST = 3

YOU = re.compile(r"\by(?:ou|a|all)\b|\byou(?:r|rs|'\w+|rself)\b|\bu\b|\bur\b", re.I)
_TALKED_OF = re.compile(
    r"(?:I|we) (?:(?:am|was|have|had|do|did|can|could|will|would|don't|didn't|haven't|can't|couldn't|wouldn't|really"
    r"|just|also|still|never|always|only|not|totally|definitely|kind of|kinda|even|already|sometimes|often|been|be|too"
    r"|so|very|pretty|super|quite) ){0,4}"
    r"(?:think|thinks|thought|guess|guessed|know|knew|known|hope(?! to)|hoping(?! to)|agree|agreed|wonder|wondered"
    r"|wondering"
    r"|see|hear|heard|understand|understood|believe|believed|feel|felt|feeling|mean|meant|suppose|bet|wish|imagine"
    r"|remember|forget|forgot|say|said|saying|appreciate|thank|assume|assumed|doubt|recommend|suggest|sure|glad|sorry"
    r"|curious|afraid|happy|excited|here|looking forward"
    r"|look(?! (?:after|for|at (?:the |my )?[a-z]+ (?:before|every|each|when|while))\b)|admit|figured?|swear|promise"
    r"|read(?= (?:that|about|somewhere|it|this|on|in|how|where|something|the|an? (?:article|post|study"
    r"|story))\b|$)|sense|relate|care|mind"
    r"|let)\b",
    re.I,
)
"""What one thinks, feels, says: of the moment, or of the talk itself."""
_TALKED_OF_AMONG_PEOPLE = re.compile(
    r"(?:I|we) (?:(?:am|was|have|had|do|did|can|could|will|would|don't|didn't|haven't|can't|couldn't|wouldn't|really"
    r"|just|also|still|never|always|only|not|totally|definitely|kind of|kinda|even|already|sometimes|often|been|be|too"
    r"|so|very|pretty|super|quite|a (?:little|bit)|(?!really\b)[a-z]{3,}ly) ){0,4}"
    r"(?:think|guess|know|knew|hope(?! to)|agree|wonder|see|hear|heard|understand|believe|feel|felt|mean|meant|suppose"
    r"|wish(?:ed)?|imagine|remember|forget|forgot|say|said|appreciate|assume|doubt|mention(?:ed)?|fathom|apologi[sz]e"
    r"|referring|speaking|asking|surprised|amazed|shocked|stunned|saddened|impressed|thankful|grateful|pumped|suspect(?:ed)?|alright"
    r"|all right|(?<=just )learn(?:ed|t)|found (?:out|that)|hearing|(?:saw|read|heard|watched)"
    r" (?:that|there|how|where|on (?:youtube|tv|the news|reddit|twitter|facebook)|online|somewhere))\b",
    re.I,
)
"""The same between people, who tell each other what they heard, and answer what the other said."""
_HEDGED = re.compile(
    r"I (?:think|guess|believe) (?:(?:I am|we are) going to (?!check|look|see|go with|have to|be)"
    r"(?=.*\b(?:my|our|next|this (?:year|month|week|summer|winter|spring|fall|autumn)|in \w+)\b)"
    r"|(?:that )?(?:one of )?my (?:all[- ]time |personal )?favou?rites? [\w' -]{2,30}? (?:is|are|was|were)\b"
    r"(?! (?:when|how|the|his|her|its|their)\b))"
    r"|I (?:don't|do not) (?:really )?know (?:anyone|anybody|many people)\b(?! (?:who|that|else)\b)"
    r"|I (?:[a-z]+ly |always |still )*look forward to [^,;]{3,60} (?:every|each) [a-z]+"
    r"|I (?:[a-z]+ly |still |always )*remember (?:[a-z]+ing\b(?! (?:it|that|this|about|the)\b)|when (?:I|we|my)\b)"
    r"(?=.*\b(?:my|our|when (?:I|we)|as an? (?:kid|child|teen|boy|girl))\b)"
    r"|I (?:have )?(?:also |even |often |recently )?thought (?:about|of) (?:trying to [a-z]+|[a-z]+ing) "
    r"(?!(?:it|that|this|them|so|how|about)\b)"
    r"|I (?:think|guess|fear) (?:that )?I (?:might|may|will) (?:soon |also )?[a-z]+ (?:my|our)\b",
    re.I,
)
"""A plan or a taste that somebody is not sure of is worth telling as they say it, and so is that they know nobody."""
_LASTING = re.compile(
    r"\b(?:since|always|usually|every|often|lately|for (?:\w+ )?(?:years|months|weeks)|afraid of|sure that"
    r"|comfortable (?:with|around|[a-z]+ing))\b",
    re.I,
)
_ABOUT_ONES_OWN = re.compile(
    r"I (?:(?:just|really|still|also|am|have been|do|always|often|kind of|\w+ly) ){0,4}(?:feel|feeling|felt) "
    r"(?:(?:so|very|really|quite|pretty|too|a bit|a little|\w+ly) ){0,2}"
    r"(?!(?:like|that|as|it|this|for|good|better|bad for)\b)[a-z]+"
    r"(?: and [a-z]+)? (?:with|about|of|by|over|in|because of) (?:work|school|college|university|Christmas"
    r"|my (?!(?:own )?(?:opinion|mind|point|question|answer)\b)[a-z])",
    re.I,
)
"""What of one's own makes one feel so: it lasts as long as that does."""
_FEELS = re.compile(r"I (?:\w+ ){0,2}(?:feel|felt|am|(?:have|had) (?:\w+ )?been)\b", re.I)
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
    rf"\b(?:am|are) (?:\w+ )?(?!(?:{alternatives('goes_on_for_long')})\b)\w+ing\b[^,;]*"
    r"\b(?:right now|at the moment|tonight|as we speak)\b"
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
    rf"(?:(?:after|before|during|in|on|at|for|with|over|since|until|because of|due to|thanks to|despite|as|growing up) "
    rf"(?:(?!(?:{alternatives('opens_the_talk')})\b)[\w'-]+ ?){{1,5}},? "
    r"(?<!with )(?<!and )(?<!of )(?<!to )(?<!for )(?<!in )(?<!on )(?<!at )(?<!from )(?<!by )(?<!or )(?<!the )"
    r"(?=(?:I|we)(?:'\w+)? [a-z]|(?:my|our) (?:[\w-]+ ){1,2}(?:is|are|was|were|has|have|had|will|can|taught|took|made"
    r"|[a-z]+(?:s|ed)|[a-z]+ (?:with|at|in|on|to|for))\b)"
    r"|(?:(?:on|in|at|for|since|over|during|by|after|until|the|a|an|last|next|this|other|few|couple of|past|early"
    r"|late|ever|every|one|two|three|four|five|\d+|[a-z]+days?|january|february|march|april|may|june|july|august"
    r"|september"
    r"|october|november|december|days?|weeks?|months?|years?|weekend|morning|afternoon|evening|night|summer|winter"
    r"|spring|fall|christmas|ago|yesterday|today|recently|lately|sometimes|usually|once|earlier|tomorrow|tonight"
    r"|pandemic|starting|from|as of)\b[ ,]{1,2}){1,6}"
    r"|(?:while|when) (?:in|at) (?-i:(?:the )?[A-Z])[\w' -]{2,30}?,? "
    r"|(?:when|while|since|after|before|until) (?:I|we|my (?:[\w-]+ )?[\w-]+) [\w' -]{3,50}?"
    r"(?<!that)(?<!which)(?<!what)"
    r"(?<!who)(?<!and)(?<!but)(?<!how)(?<!where)(?<!because)(?<!think)(?<!if),? "
    r"(?=(?:I|we)(?:'\w+)? [a-z]|(?:my|our) [a-z]+ (?:[a-z]+(?:s|ed)|taught|took|made|got|had"
    r"|left|gave|told|went|came|bought|lost|brought|let)\b))?"
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
_OWN_PLURAL = re.compile(r"\b(?:my|our) [a-z]+s$")
"""Mostly my feelings: a noun, and no verb."""
GERUND = re.compile(
    r"(?!(?:\w*thing|during|morning|evening|meeting|wedding|building|according|including|spring|string|king|ring"
    r"|opening|ending)\b)"
    r"[a-z]{2,14}ing\b",
    re.I,
)
_SUBJECT = re.compile(
    r"(?:the|an?|(?!There\b)(?-i:[A-Z])[\w'-]+|(?:one|\d+) of|(?:neither|none|both|two|some|most|all) of"
    r"|[a-z]{2,14}ing)\b",
    re.I,
)
_MENTIONS = re.compile(r"\b(?:[Ii]|me|my|mine)\b")
_OF_SPEAKER = re.compile(
    r"^What I (?:will|do)\b|\b(?:my|mine)\b|^(?:some|most|all|none|both|half|one|two) of our\b"
    r"|\bthe (?:only|first|last|best|worst) [\w' -]{2,30}? (?:that )?I (?:ever |really |actually |still |can )*"
    r"(?:like|love|enjoy|watch|play|follow|read|eat|drink|speak|own|have|had|use|know how|went|tried|saw|learned)\b"
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

_PARTICULAR = re.compile(r"\d|(?<=[a-z,'] )(?!I\b)[A-Z][\w'-]*")
_UNQUOTED = re.compile(r"\"|(?<![\w'])'(?!(?:cause|cos|til|till|em|twas|tis|bout|round|n)\b|\d)\w")
"""A quotation that is cut off."""


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
    if (opens is None or opens["who"].lower() not in {"i", "we"}) and not FINITE.search(_OWN_PLURAL.sub("", text)):
        return False
    phrase = text[opens.start("who") :] if opens else text
    talked = _TALKED_OF.match(phrase) or (in_group and _TALKED_OF_AMONG_PEOPLE.match(phrase))
    lasts = _FEELS.match(phrase) is not None and _LASTING.search(phrase) is not None
    if talked and not (lasts or _HEDGED.match(phrase) or _ABOUT_ONES_OWN.match(phrase)):
        return False
    return not any(p.match(phrase) for p in (_CUT_SHORT, _MODAL, _GENERAL, _OF_NOTHING))


def reports(text: str) -> bool:
    """May what is said of somebody of the speaker's be told: does it point at nothing outside, and speak to nobody?"""
    return len(text.split()) <= LONGEST and resolved(text) and not YOU.search(text)


def asks_for(text: str) -> bool:
    """May a wish or a request be told: as `reports` says, or because it names a number or a name?"""
    short = len(text.split()) <= LONGEST and YOU.search(text) is None
    return reports(text) or (short and _PARTICULAR.search(text) is not None)


_FRONTED = re.compile(
    r"(?:growing up|before|after|during|when|while|since|until|because|in|on|at|for|with|due to|thanks to|despite)\b"
    r"[^,;]{2,50}, we\b",
    re.I,
)


def as_owner(text: str) -> str:
    """Name the owner as the subject of what was said without one; other statements stand as said."""
    if re.match(r"(?:I|we|my|our)\b", text, re.I) or _MENTIONS.search(text) or _FRONTED.match(text):
        return text[0].upper() + text[1:]
    return f"{{owner}} {conjugate(text[0].lower() + text[1:])}"
