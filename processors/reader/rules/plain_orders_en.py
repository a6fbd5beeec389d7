"""How one who speaks to an assistant alone says for good what it is to do, without naming themselves: "always use
metric units", "don't use emojis", "keep your answers short".

`instructed_en` reads what is also meant so among people. An order for the text at hand, with a text behind it, or of
something that is pointed at is for once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from processors.reader.rules.found import Found
from processors.reader.rules.instructed_en import FOR_GOOD, ONE_OFF, answering, turned
from processors.reader.rules.resolved_en import resolved
from processors.reader.rules.self_contained_en import LONGEST
from processors.reader.rules.text import Sentence
from processors.reader.rules.tidied_en import tidy
from processors.reader.rules.words_en import alternatives

_MANNER = alternatives("answers", "of_manner")
_LEAD = (
    r"(?:(?:please|pls|also|and|but|ok|okay|hey|hi|so|oh|btw|by the way|one more thing|just|kindly)\b[,:]? ){0,3}"
    rf"(?P<lead>{FOR_GOOD},? )?(?:please |kindly )?"
    r"(?P<asked>I(?:'d| would) (?:like|prefer|want|love) you to |I (?:want|need|prefer) you to "
    r"|(?:can|could|would|will) you (?:please )?|you (?:should|can|must) )?(?:please )?"
)
_TAIL = r"(?P<tail>,? (?:from (?:now|here) on|from now|going forward|in (?:the )?future|henceforth|every time|always))?"
_END = r"(?:,? (?:please|pls|thanks|thank you))?$"
_FOR_EVER = re.compile(
    rf"{_LEAD}(?P<how>never ever|never|always|do not ever|don't ever|stop|quit) "
    rf"(?P<verb>(?<=stop )[a-z]+ing|(?<=quit )[a-z]+ing|{_MANNER})\b(?P<rest>.*?){_TAIL}{_END}",
    re.I,
)
_NOT = re.compile(
    r"(?:(?:please|pls|also|and|but|just|ok|okay|so)\b,? ){0,3}(?P<how>don't|do not) (?P<verb>"
    rf"{alternatives('manner_of_one')})\b(?P<rest>.*?){_TAIL}{_END}",
    re.I,
)
_FROM_NOW = re.compile(rf"{_LEAD}(?P<how>only )?(?P<verb>{_MANNER})\b(?P<rest>.*?){_TAIL}{_END}", re.I)
_HOW = re.compile(
    rf"{_LEAD}(?:(?P<verb>keep|make) (?P<answers> ?(?:all )?(?:of )?your "
    r"(?:answers|replies|responses|messages|explanations|summaries)(?: to me)?) (?P<so>(?:as )?[a-z]+(?: [\w'-]+){0,4})"
    r"|(?P<verb2>speak|talk|explain things|explain everything|write|reply|respond|be|sound)"
    r"(?P<rest>(?: to me| with me)? (?:(?:more|less|as|very|a bit|a little) ){0,3}"
    r"(?!(?:in|to|about|on|the|a|an|my)\b)[a-z]+"
    r"(?: and [a-z]+)?(?: (?:as )?possible)?(?: with me| to me| when you (?:answer|reply|talk to me))?)"
    rf"|(?P<verb3>address|call) (?P<me>me (?:by|as) [\w' -]{{2,40}}?)){_TAIL}{_END}",
    re.I,
)
_POINTS = re.compile(
    r"\b(?:this|that|these|those|it|them|him|her|here|above|below|now|today|yet"
    r"|the (?:text|e?mail|article|paragraph))\b",
    re.I,
)
_NOW_ON = re.compile(r"\b(?:from|as of) now(?: on)?\b", re.I)
_DEFINITE = re.compile(r"\b(?:the|my|our|your|his|her|their|its)\b|\d", re.I)
_IN_WRITING = re.compile(rf"\b(?:{alternatives('in_writing')})\b", re.I)
_TO_ONE = re.compile(r"(?:answer|reply|respond|apologi[sz]e|repeat yourself)\b", re.I)
_WITH_ME = re.compile(r"\b(?:me|us)\b", re.I)


def plain_order_en(sentence: Sentence, original: str, *, whole: bool, work: Sequence[int] = ()) -> Found | None:
    """Return how the assistant is to act for good by one English sentence; `whole`: it is all that the turn says;
    `work`: where the turn asks for something to be made."""
    if re.search(r"[\":\u201c_`]|\n", original) or len(original.split()) > LONGEST - 4:
        return None
    for_work = bool(work) and (work[0] < sentence.start or work[-1] > sentence.end)
    text = None if sentence.asks else _wanted(original.strip(" ,.!"), whole=whole, for_work=for_work)
    if text is None or not resolved(text.replace("{owner}", "I")):
        return None
    return Found(sentence.start, sentence.end, "preference", text)


def _wanted(text: str, *, whole: bool, for_work: bool) -> str | None:
    if ONE_OFF.search(text) or _POINTS.search(_NOW_ON.sub("", text)):
        return None
    if match := _FOR_EVER.fullmatch(text):
        how = match["how"].lower()
        if how in {"stop", "quit"} and not answering(match["verb"], "answers", "of_manner"):
            return None
        if for_work and how not in {"stop", "quit"} and _of_the_work(match):
            return None
        return _worded("stop" if how in {"stop", "quit"} else "never" if "ever" in how else "always", match)
    if match := _NOT.fullmatch(text):
        rest = match["rest"]
        if (_DEFINITE.search(rest) and not match["tail"]) or (for_work and _of_the_work(match)):
            return None
        ours = match["verb"].lower() != "use" or _WITH_ME.search(rest) or _IN_WRITING.search(rest)
        return _worded("not", match) if (rest.strip() or match["tail"]) and ours else None
    if (match := _HOW.fullmatch(text)) and (how_so := _how(match, whole=whole)):
        return how_so
    if (match := _FROM_NOW.fullmatch(text)) and (match["lead"] or match["tail"]) and match["rest"].strip():
        return _worded("", match)
    return None


def _of_the_work(match: re.Match[str]) -> bool:
    """Beside a piece of work that is asked for, an order that says neither from when nor to whom is for it."""
    phrase = match["verb"] + match["rest"]
    for_good = match.groupdict().get("lead") or match["tail"]
    return not (for_good or _WITH_ME.search(phrase) or _TO_ONE.match(phrase))


def _how(match: re.Match[str], *, whole: bool) -> str | None:
    for_good = match["lead"] or match["tail"]
    if match["verb"]:
        answers = match["answers"].partition("your ")[2]
        return f"{{owner}} wants the assistant to {match['verb'].lower()} its {answers} {match['so']}"
    if match["me"]:
        return f"{{owner}} wants the assistant to {match['verb3'].lower()} {turned(match['me'])}"
    rest = match["rest"]
    if not (for_good or _WITH_ME.search(rest) or (whole and match["verb2"].lower().startswith("explain"))):
        return None
    return f"{{owner}} wants the assistant to {match['verb2'].lower()}{turned(rest)}"


def _worded(how: str, match: re.Match[str]) -> str:
    phrase = turned(tidy(f"{match['verb'].lower()}{match['rest']}"))
    now = " from now on" if how == "" else ""
    wants = {
        "stop": "wants the assistant to stop", "never": "never wants the assistant to",
        "always": "always wants the assistant to", "not": "does not want the assistant to",
        "": "wants the assistant to",
    }[how]  # fmt: skip
    only = "only " if how == "" and match["how"] else ""
    return f"{{owner}} {wants} {only}{phrase}{now}"
