"""How an English turn says that the assistant is to act from now on: "never book anything before nine", "stop calling
me dear", "from here on answer in metric units" (D2, D4).

Said once for one answer ("book a table") it is a request, which `statements_en.request` reads.
"""

from __future__ import annotations

import re

from processors.reader.rules.found import Found
from processors.reader.rules.person_en import conjugate, expand
from processors.reader.rules.resolved_en import resolved
from processors.reader.rules.self_contained_en import LONGEST
from processors.reader.rules.text import Sentence
from processors.reader.rules.tidied_en import tidy
from processors.reader.rules.words_en import alternatives, listed

_ANSWERS = alternatives("answers")
_VERB = rf"(?:{alternatives('answers', 'acts')})"
FOR_GOOD = (
    r"(?:from (?:now|here) on|from now|going forward|in (?:the )?future|as of (?:now|today)|henceforth|as a rule"
    r"|for (?:all|every|any) (?:of )?(?:my|our) [\w' -]{2,30}?|every time|(?:whenever|when|if|any time|every time"
    r"|each time)"
    r" (?:I|we) (?!(?:have (?:[a-z]+ed|gotten|got|been|had|gone|done|seen|found)|was|were|had|did|would|could"
    r"|won|got|lost|went|became|may|can(?! ?not|'t)|[a-z]+ed)\b)[a-z]+"
    r"(?: (?!(?:I|we)(?:'d|'ll)?\b)[\w'-]+){0,6}?)"
)
_ORDER = re.compile(
    rf"(?:^|[,;:] |\b(?:and|so|but|then|please),? |[-\u2013\u2014] )(?P<lead>{FOR_GOOD},? )?(?:(?:so|and|then|but"
    rf"|just|also|please|pls|the rule is),? ){{0,6}}"
    r"(?:(?:can|could|would|will|must|should) you |I(?:'d| would)? (?:want|need|like|prefer) you to |you (?:must"
    r"|should|can) |(?P<matters>it(?:'s| is) (?:[a-z]+ )?(?:important|vital|essential|crucial"
    r"|critical)(?: that)? you ))?"
    rf"(?:please |kindly )?(?:(?P<how>never ever|never|always|don't ever|do not ever|don't|do not|stop|quit"
    rf"|no longer) )?(?:please )?"
    rf"(?P<verb>(?<=stop )[a-z]+ing|(?<=quit )[a-z]+ing|{_VERB})\b(?P<rest>[^\n]*)",
    re.I,
)
ONE_OFF = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|this (?:time|one|week|morning|afternoon|evening|year|month|text|mail"
    r"|email"
    r"|paragraph|sentence)|for now|right now|just now|a sec|a moment|yet|until (?:then|tomorrow))\b",
    re.I,
)
_OF_SPEAKER = re.compile(r"\b(?:I|me|my|mine|us|our|you|your)\b")
_STANDS_FOR_GOOD = re.compile(
    r"\b(?:ever|again|any ?more|any longer|any\w*|unless|without|at all|whenever|every|each|always|all)\b", re.I
)
_TALK = re.compile(
    r"(?:tell (?:any(?:one|body)|no one|nobody|everyone)|tell (?:when|if|whether|how|who|what|where)|worry"
    r"|forget|get me wrong|bother|mind|let me (?:get|be|know|see)|tell me (?:you|that|it|he|she|the|about"
    r"|what|how)|ask"
    r" (?:me )?(?:why|how)|say (?:that|it|a word|anything)|take (?:it|this|that|me)|give (?:up|me (?:that"
    r"|a break|any))"
    r"|make (?:me|it)|call it|leave (?:me|it)|go there|use (?:it|that|this))\b",
    re.I,
)
"""What one says without meaning it for later."""
_ENDS = re.compile(
    r"[;(]| (?:please|pls|thanks) (?=(?:I|we|he|she|they|it|my|our)\b)"
    r"| [-\u2013\u2014]+ |,? (?:because|cuz|since|so(?! that)|but|as (?:I|my|we|it))\b"
    r"|, (?!(?:not|never|no|and|or|in|on|at|for|with|to|from|by|even|only|unless|except|especially|always|ever"
    r"|anywhere|please)\b)",
    re.I,
)
_WITH_ANSWERS = re.compile(
    rf"(?!(?:remind|book|schedule|send|text|email|message|suggest|recommend)\b)(?:{_ANSWERS}|speak|talk|call)\b.*"
    r"\b(?:whenever|every time|any time|each time) (?:I|we|my|our)\b", re.I
)
"""How it is to answer in a case that comes again."""
_EVERY_TIME = re.compile(r"\b(?:in|under|for|after|before|at|on|to) every(?:thing| \w+)\b|\b(?:each"
r"|every) time$", re.I)
_NONE = re.compile(
    r"(?P<polite>(?:please|pls|absolutely|strictly|definitely),? )?(?P<what>no (?!(?:the|my|our|an?|it|I|we|he|she"
    r"|they|you|one|this"
    r"|that)\b)(?:more )?"
    r"[a-z][\w'-]*(?: [\w'-]+){0,5}?)"
    r"(?P<mark>,? (?:please|pls|ever|anywhere|from (?:now|here) on|any ?more|when you [\w' -]{3,40}))*$",
    re.I,
)
_NO_THING = re.compile(
    r"no (?:more )?(?:problem|worries|idea|need|way|one|thanks?|thank|rush|hurry|matter|doubt|wonder|clue|chance"
    r"|reason|luck"
    r"|surprise|longer|offen[cs]e|reply|answer|sign|news|joke|kidding|idea|good)\b",
    re.I,
)
_YOU = re.compile(
    r"(?P<after>\b(?:ask|tell|give|show|send|to|for|with|from|of|about) )?\b(?:(?P<your>your)"
    r"|you)\b(?: (?P<verb>[a-z']+))?", re.I
)
_ALL_OF = re.compile(
    rf"(?P<lead>{FOR_GOOD},? )(?P<what>(?:every|all|any|each) [\w' -]{{3,60}}?) (?:should|must|has to|have to"
    rf"|needs? to) (?P<be>be [^\n]+)",
    re.I,
)


_UNREAL = re.compile(
    r"(?:and |but |so |well,? )?(?:if|suppose|imagine) (?:I|we) (?:won|were|had|could|ever|got|became"
    r"|[a-z]+ed)\b", re.I
)
_BEFORE_NO = re.compile(
    r"(?:^|, | so | and )(?=(?:please |pls |absolutely |strictly |definitely )?no )", re.I
)
_ALL_BE = re.compile(
    r"(?:^|[,;] |\b(?:and|so) )(?:could|can) (?P<what>(?:all|every|each)(?: of)? (?:(?:your|the) )?"
    rf"(?:{alternatives('written_for_one')})) (?P<be>be [^?,;]{{2,60}})",
    re.I,
)
"""What is written for the speaker is to be so."""


_OF_ANOTHER = re.compile(
    r"\b(?:he|she|they|it|people|someone|who)(?:'ll|'d)? (?:(?:will|would|should|can|could|may|might"
    r"|just) )?[^,.;]{2,40}? "
    r"(?:and|or) $",
    re.I,
)
"""She will come back and never leave you: what somebody else does."""


def instruction_en(sentence: Sentence, original: str) -> Found | None:
    """Return how the assistant is to act for good by one English sentence, None where it says nothing of that."""
    if '"' in original or (sentence.asks and not (re.search(r"\byou\b", original) or _ALL_BE.match(original))):
        return None
    for order in [] if _UNREAL.match(original) else _ORDER.finditer(original):
        if _OF_ANOTHER.search(original, 0, order.start("how") if order["how"] else order.start("verb")):
            continue
        if (text := _wanted(order)) is not None:
            end = order.start("rest") + len(_whole(order["rest"]))
            return _found(sentence, order.start("how") if order["how"] else order.start("verb"), end, text)
    if (every := _ALL_OF.search(original)) and not ONE_OFF.search(original):
        what = re.sub(r"\byou (\w+)", lambda m: f"the assistant {conjugate(m[1])}", every["what"], count=1)
        phrase = f"{what} to {_whole(every['be'])}"
        text = f"{{owner}} wants {turned(phrase)}{_condition(every['lead'])}"
        return _found(sentence, every.start(), every.end(), text)
    if request := _ALL_BE.search(original):
        what = re.sub(r"\byour\b", "the assistant's", f"{request['what']} to {_whole(request['be'])}".strip())
        text = f"{{owner}} wants {turned(what[0].lower() + what[1:])}"
        return _found(sentence, request.start(), request.end(), text) if resolved(what) else None
    for part in _BEFORE_NO.finditer(original):
        phrase = _whole(original[part.end() :], polite=True)
        none = _NONE.match(phrase)
        if none and (none["mark"] or none["polite"]) and not (_NO_THING.match(none["what"]) or ONE_OFF.search(phrase)):
            wanted = re.sub(r",? ?\b(?:please|pls)\b,? ?", "", phrase, flags=re.I)
            wanted = wanted.lower() if wanted.isupper() else f"{wanted[0].lower()}{wanted[1:]}"
            text = f"{{owner}} wants {turned(wanted)}"
            return _found(sentence, part.end(), part.end() + none.end(), text) if resolved(wanted) else None
    return None


def _found(sentence: Sentence, start: int, end: int, text: str) -> Found:
    return Found(sentence.start + start, sentence.start + end, "preference", text)


def _whole(rest: str, *, polite: bool = False) -> str:
    """What belongs to what is to be done; with `polite` also how it is asked."""
    end = _ENDS.search(rest)
    phrase = (rest[: end.start()] if end else rest).rstrip(" ,.:-")
    if polite:
        return phrase
    return re.sub(r",? (?:please|pls|thanks?|thank you|ok(?:ay)?|will you|would you)$", "", phrase, flags=re.I)


def _wanted(order: re.Match[str]) -> str | None:
    how, verb = (order["how"] or "").lower(), order["verb"].lower()
    rest = expand(_whole(order["rest"]))
    phrase = tidy(f"{verb}{rest}")
    lead = expand(order["lead"] or "")
    for_good = bool(lead or order["matters"]) or _WITH_ANSWERS.match(phrase) is not None
    standing_wish = for_good or _is_permanent(how, phrase, polite="please" in order.group().lower())
    if (
        not standing_wish
        or not 2 <= len(phrase.split()) <= LONGEST - 6
        or ONE_OFF.search(phrase)
        or _TALK.match(phrase)
    ):
        return None
    if re.fullmatch(r"(?:tell|show|give|ask|send) (?:me|us)", phrase):
        return None  # of what was said before
    if verb == "call" and not how.startswith(("don", "do", "never")) and re.match(r" me [A-Z]", rest):
        return None  # a name, which is a value
    whole = f"{phrase}{_condition(lead)}"
    return _worded(how, whole) if resolved(f"the assistant {whole}") else None


def _is_permanent(how: str, pattern: str, *, polite: bool) -> bool:
    """Is it said for good without a lead that says so?"""
    ours = _OF_SPEAKER.search(pattern) is not None
    if how in {"stop", "quit"}:
        return ours or answering(pattern, "answers")
    if how == "always" or "ever" in how:
        return ours or polite or re.match(rf"(?:{_ANSWERS})\b", pattern) is not None
    return (_STANDS_FOR_GOOD if how else _EVERY_TIME).search(pattern) is not None


def answering(text: str, *lists: str) -> bool:
    """Is the first word the gerund of a verb of these lists?"""
    stem = text.split(" ")[0].lower().removesuffix("ing")
    verbs = [verb.replace("[sz]", s) for name in lists for verb in listed(name) for s in "sz"]
    return any(stem in (verb, verb.removesuffix("e"), f"{verb}{verb[-1]}") for verb in verbs)


def _worded(how: str, text: str) -> str:
    text = turned(text)
    if how in {"stop", "quit"}:
        return f"{{owner}} wants the assistant to stop {text}"
    if how.startswith("never") or how.endswith("ever"):
        return f"{{owner}} never wants the assistant to {text}"
    if how in {"don't", "do not"}:
        return f"{{owner}} does not want the assistant to {text}"
    return f"{{owner}} {'always wants' if how == 'always' else 'wants'} the assistant to {text}"


def _condition(lead: str) -> str:
    """When it is to be so, behind what is to be done."""
    phrase = lead.strip(" ,")
    if not re.match(r"(?:when|if|any time|every time|each time|for)", phrase, re.I):
        return " from now on" if phrase else ""
    return f" {phrase[0].lower()}{phrase[1:]}"


def turned(text: str) -> str:
    """You, who is told, is the assistant."""

    def it(match: re.Match[str]) -> str:
        after, verb = match["after"] or "", match["verb"] or ""
        if match["your"] or after or not verb:
            return f"{after}{'its' if match['your'] else 'it'}{f' {verb}' if verb else ''}"
        return "it is" if verb == "are" else f"it {conjugate(verb)}"

    return _YOU.sub(it, text.replace("you're", "you are"))
