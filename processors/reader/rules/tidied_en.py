"""An English sentence without what talk puts into it and nobody would write down."""

from __future__ import annotations

import re

from processors.reader.rules.filler_words_en import without_adding, without_leftovers
from processors.reader.rules.words_en import alternatives

_RESIDUE = re.compile(
    r",?\s*\bto be honest(?=\s*(?:,|$))|,?\s*\b(?:lo+l|lmf?ao|rofl|ha(?:ha\w*)?(?=\s*$)|haha\w*|hehe\w*|xd|omg"
    r"|tbh|imo|imho|btw|fyi|ikr|smh|ngl|idk"
    r"|ffs)\b[.,!]*"
    r"|,\s*(?:wow|whoa|(?:boy|man)\b(?! (?:and|or|of)\b|'s)|gosh|oh my \w+|yikes|yay|ugh)\b[^,]*$"
    r"|\s*[,\u2013\u2014-]\s+(?:thanks(?! to\b)|thank you|can't wait)\b.*$|\s*\(\d{1,2}\)$"
    r"|,\s*(?:probably|maybe|perhaps) not [a-z]+$"
    r"|,?\s*\b(?:but|and|so) (?:wow|boy|man|damn|yeah|yes|oh|omg|whatever|yikes|ugh)$"
    r"|,\s*(?:and |with )?no (?:fuss|drama|big deal|problem|worries|rush|hurry|regrets|complaints|questions asked)$"
    r"|,\s*(?:that's|that is|that was) (?:the|my|our) (?:goal|plan|aim|idea|dream|hope|deal)(?: anyway| at least)?$"
    r"|,?\s*\bI (?:have to|must|gotta|will) (?:admit|say|confess)(?=\s*(?:,|$))"
    r"|,\s*(?:you know|I mean|I guess|of course|to be honest|(?:like|as) I said)(?=\s*(?:,|$))",
    re.I,
)
_NEW = re.compile(
    r"(?<!n't )(?<!not )(?<!never )\b(?P<verb>got|bought|found|met|saw|have|had|'ve got|reading|watching|made"
    r"|joined|started|tried|took|did"
    r"|discovered|came across|stumbled (?:across|upon|on|over)|picked up|painted|wrote|visited|adopted|ordered"
    r"|(?:in|at|to|with|for|into)(?= this new)) this"
    r" (?!(?:year|month|week|weekend|morning|afternoon|evening|summer|winter|spring|fall|one|with|in|on|at|for"
    r"|to|from"
    r"|by|and|but|last|when|while|because|is|was)\b)(?P<next>[a-z])(?=\w* [a-z])"
)
"""What is brought up as new: "I met this guy from Leeds"."""
_JUDGED = re.compile(
    r"(?:,(?: and| but| so)?| and| but| so|(?= (?:it's|its|that's|thats|it was|that was) )) (?:it|that|this)(?:'s"
    r"|s| is| was| would be| will be| has been)"
    r" (?:(?:so|really|very|pretty|quite|just|such|all|always|not|kind of|kinda|a|an|the|my) ){0,3}"
    r"(?:good|great|nice|fun|awesome|amazing|cool|funny|hard|tough|difficult|easy|bad|crazy|weird|insane|wild|lovely"
    r"|tasty"
    r"|delicious|hilarious|awful|terrible|horrible|fantastic|wonderful|incredible|interesting|perfect|sad|boring"
    r"|beautiful|[a-z]+(?:ble|bile|ful)$"
    r"|gorgeous|best|worst|worth|like|ok|okay|fine|thing|shame|pity|bummer)\b.*$",
    re.I,
)
"""What one thinks of it, behind what happened."""
_SPOKEN = re.compile(
    r"(?<=[a-z'I] )(?:actually|also|literally|basically|honestly|kinda|kind of|obviously)\s+(?=[a-z])", re.I
)
"""What speech puts before a verb and a sentence by itself does not need."""
_WOULD_BE = r" would (?:have to |probably |definitely )*be (?=[\w\"])"
_HARD = rf"(?:{alternatives('how_it_is_to_do')})"
_HOW = (
    r"(?:(?:so|very|really|too|quite|pretty|rather|not|always|still|just|also|[a-z]+ly|a bit|a little) )*"
)
_MENDED = (
    (re.compile(r"\b(an? (?:(?!of\b)[a-z-]+ ){0,3})(wo)?men(?=$|[,;.]| (?:in|who|from|at|with|of|and|that"
                r"|named|called)\b)", re.I), r"\1\2man"),
    (re.compile(r"\b(have|had) ((?:(?:very|really|so) )?[a-z]+(?:ful|ous|ive|able|ing|y)) (life|job|childhood|marriage"
                r"|relationship)\b", re.I), r"\1 a \2 \3"),
    (re.compile(r"^((?:my|our) (?:[\w-]+ )?[\w-]+), (?=(?:is|was|are|were|did|didn't|has|have|had|does|doesn't|can"
                r"|can't)\b)", re.I), r"\1 "),
    (re.compile(r"\s*\((?:also|and|but|not|plus|or) [^()]*\)$", re.I), ""),
    (re.compile(r",? but (?:yes|yeah|no|nope)\b.{0,20}$", re.I), ""),
    (re.compile(r"(?<![\d.,:/-])\b(\d) (\d) (?=[a-z]+s\b)", re.I), r"\1 or \2 "),
    (
        re.compile(
            r"\b(?:(?:I am|I'm) old school and )?I (?:have to|must|gotta|will|would|can|do) (?:admit|say"
            r"|confess)(?: that)? "
            r"(?=(?:I|my)\b)",
            re.I,
        ),
        "",
    ),
    (re.compile(rf"^(my favou?rite(?: [\w'-]+){{0,2}}s(?: [\w'-]+){{0,3}}){_WOULD_BE}", re.I), r"\1 are "),
    (re.compile(rf"^(my favou?rite(?: [\w'-]+){{0,7}}){_WOULD_BE}", re.I), r"\1 is "),
    (
        re.compile(
            r"\b((?:watch|read|love|like|enjoy|hate|play)(?:s|d|ed|ing)?) (?:those|these) ((?:[\w-]+ ){1,3}"
            r"(?:movies|films|shows|books|games|songs|comics|stories|series|bands|documentaries|podcasts|novels))"
            r"(?: like (?:that|this|those|these))?\b",
            re.I,
        ),
        r"\1 \2",
    ),
    (
        re.compile(
            r"^(?:I know|I noticed|(?:it )?turns out|the (?:problem|issue|thing|truth|fact) is|(?:the )?(?:good"
            r"|bad|great|sad) (?:news|thing|part) is)"
            r"(?: that)? (?=(?:my|our) )",
            re.I,
        ),
        "",
    ),
    (re.compile(r"(?<=n't )((?:[a-z]+ )?)that much (?=[a-z])", re.I), r"\1much "),
    (
        re.compile(
            rf"^we(?P<have> have|'ve got| have got|'ve) (?=(?:an?|one|two|three|four|five|\d|no) (?:[\w-]+ ){{0,2}}"
            rf"(?:daughters?|sons?|boys?|girls?|kids?|children|child|baby|{alternatives('animals_kept')}s?)\b)",
            re.I,
        ),
        "I have ",
    ),
    (re.compile(rf"^it(?:'s| is) (?P<how>{_HOW}{_HARD}) (?:for|on) me to (?=[a-z])", re.I), r"I find it \g<how> to "),
    (re.compile(rf"^it was (?P<how>{_HOW}{_HARD}) (?:for|on) me to (?=[a-z])", re.I), r"I found it \g<how> to "),
    (re.compile(r"^((?:my|our) (?:[\w'-]+ ){1,3})(?:is|was) the one (?:who|that) (?=[a-z]+(?:s|ed)\b)", re.I), r"\1"),
    (
        re.compile(
            r"\b((?:I|we)(?:'m|'re| am| are| was| were)) (?:just|simply|honestly|literally) "
            r"(?!(?:about|as|like|under|over|outside|north|south|east|west|in time)\b)(?=[a-z])",
            re.I,
        ),
        r"\1 ",
    ),
    (re.compile(r"\b(I|we) (?:just still|still just) (?=[a-z])", re.I), r"\1 still "),
    (re.compile(r"\b(I|we) simply (?=[a-z])", re.I), r"\1 "),
    (re.compile(r"\b(I|we) never (?=(?:seen|been|gone|done)\b)", re.I), r"\1 have never "),
    (
        re.compile(r"\b(I|we) just (?=(?:liked|loved|wanted|needed|enjoyed|hated|preferred|missed|hoped)\b)", re.I),
        r"\1 ",
    ),
    (
        re.compile(
            r"^(?!(?:it|that|this|these|those|they|he|she|mine|which|what|one|here|there|who)\b)"
            r"((?:the )?(?!(?-i:The)\b)[\w-]+(?: [\w-]+){0,4}?) (?:is|are) (?:(?:still|definitely|also|always"
            r"|probably|by far) )*"
            r"my (?:all[- ]time |personal |absolute )?favou?rites?$",
            re.I,
        ),
        r"I like \1 best",
    ),
    (
        re.compile(
            r"^(?!(?:it|that|this|these|those|they|he|she|which|what|one|here|there|who"
            r"|some)\b)([\w-]+(?: [\w-]+){0,4}?) "
            r"(?:is|are) (?:still |definitely |also |always )?one of my (?:all[- ]time |personal )?favou?rites$",
            re.I,
        ),
        r"I love \1",
    ),
    (re.compile(r"^I think (?=I still (?:have|own|live|work)\b)", re.I), ""),
    (re.compile(r" out of (?:all of )?(?:them|those)(?: all)?$", re.I), ""),
    (re.compile(r"^I (?:still |also |can )?remember (?:back )?when (?=(?:my|our) )", re.I), ""),
    (
        re.compile(
            r",? (?:which|that) is (?:why|the (?:only )?reason(?: why)?) (?:I|we) (?:ask|asked|mention|mentioned"
            r"|said|know"
            r"|brought it up|am asking|was asking|wondered|was wondering)\b.*$",
            re.I,
        ),
        "",
    ),
    (
        re.compile(
            r",? (?:since|because|as|cause) (?:it|that|that it|they)(?:'s|s| is| was|'re| are| were)"
            r" (?:[a-z]+ly |so |very |really |too |more |much |just |quite |way )*[a-z]+(?<!ing)(?<!ed)$",
            re.I,
        ),
        "",
    ),
    (re.compile(r"\b(I|we) did used? to (?=[a-z])", re.I), r"\1 used to "),
    (re.compile(r"^I (?:posted|mentioned|wrote|typed|told you) that (?=(?:I|my)\b)", re.I), ""),
    (re.compile(r"^I know (?:that )?(?=I (?:am|was|have (?!to\b|been\b)|tend to|often|always)\b)", re.I), ""),
    (re.compile(r",? so (?:it|that|this) (?:doesn't|didn't|does not|did not|won't|never)(?: [a-z]+){1,5}$", re.I), ""),
    (re.compile(r"\b(I|we) too (?=(?!(?:was|were|am|have|had)\b)[a-z])", re.I), r"\1 "),
    (re.compile(r"\b(the|my) job I (?:told|was telling) (?:you|u)(?: all)? about\b", re.I), r"\1 job"),
    (
        re.compile(
            r"^I (?:saw|read|heard|found out|learned) (?:on (?:facebook|instagram|social media|twitter|youtube)"
            r"|online)"
            r"(?: that)? (?=my )",
            re.I,
        ),
        "",
    ),
    (re.compile(r"\b(?<!what )(?<!which )(?<!that )(I|we) use to (?=[a-z])", re.I), r"\1 used to "),
    (re.compile(r"^I (?:only |just )?(?:ask|asked|say|mention)(?: this| that| it)? because (?=(?:my|our|I"
    r"|we)\b)", re.I), ""),
    (re.compile(r",? but (?:nowadays|now(?:,? not (?:so|as|that) much(?: any ?more)?)?)$", re.I), ""),
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
