"""Where an English sentence ends and the next begins with nothing between: "I lost my job I am very worried"."""

from __future__ import annotations

import re

from processors.reader.rules.words_en import alternatives

_OPENS = (
    r"(?:My|We|They|He|She|It's|That's|There's|But|And|So|Because|Since|While|When|If|Although|Though|However"
    r"|Sometimes|Maybe|Basically|Yes|No|What|How|Why|Where|Do|Did|Are|Can|You|Thanks)"
)
_CAPITAL = re.compile(rf"(?<=[a-z\d]) (?={_OPENS} [a-z])")
"""In the middle of a sentence a word that is no name has a capital only where the next one begins."""
_IN_A_NAME = re.compile(r"\b(?:called|named|titled|song|film|movie|book|show|band|watch(?:ed)?|saw|read)$")
_I_AM = (
    r"(?:(?:I am|I'm|im) (?:(?:so|very|really|too|just|also|now|not) )*(?:[a-z]+ed|sure|single|alone|older|sad|lonely"
    r"|upset|afraid|happy|lost|broke|[a-z]+ing (?:to|for|my|a|the|with|at|in|on)|an?|in|from|on|\d+)\b"
    r"|I was (?:(?:so|very|really|just|also) )+[a-z]+"
    r"|I (?:really |just |still |also )*(?:do not|don't|dont) know (?:what|how|why|if|where)"
    r"|I (?:really |just |still |also )*(?:miss|loved?|hated?|enjoyed|need|want) (?:him|her|them|it|some|my|help)"
    r"|I know (?:some|that|people|you|he|she|they|it)"
    r"|I (?:really |just |still )*(?:can't|cannot|couldn't) [a-z]+ (?:why|how|what|it|him|her|them|my|any)"
    r"|I have (?:to (?:do|take|go|pay|work|find)|been [a-z]+ing|an?|no|two|three) "
    r"|I (?:feel|felt) (?:(?:so|very|really|too|like|just) )*[a-z]+"
    r"|I (?:lost|quit|live|work|got|moved) (?:my|an?|in|at|as|to|with|alone)\b"
    r"|(?:due to|because of|thanks to) (?:[\w'-]+ ){1,3}?I (?:[a-z]+ed|lost|had|got|am|was|can't|cannot|could|left)\b)"
)
_ANOTHER = re.compile(rf"(?<=[a-z]) (?={_I_AM})", re.I)
_NO_VERB = re.compile(r"(?<=n't) (?=(?:i|I|it|they|he|she|we) [a-z])")
"""I didn't I had to stop: the first has its verb in the turn before."""
_LED_ON = re.compile(
    rf"\b(?:{alternatives('leads_on')}|\w+ly)$"
    r"|\b(?:the|an?|some|any|every|all|this|that|no|only) (?:[\w'-]+ )?[\w'-]+$",
    re.I,
)
"""What follows belongs to the word before it: "because I", "think I", "the job I"."""
_REACH = 40
"""Characters before the place in which that word and its article stand."""
_LEAST = 2
"""Words of a sentence before another can begin."""


def apart(text: str) -> str:
    """The text with a line break where the next sentence begins with nothing before it; its length stays."""
    text = _NO_VERB.sub("\n", _CAPITAL.sub(_broken, text))
    return _ANOTHER.sub(_broken_unless_led_on, text)


def _broken(match: re.Match[str]) -> str:
    return " " if _IN_A_NAME.search(match.string[max(0, match.start() - _REACH) : match.start()]) else "\n"


def _broken_unless_led_on(match: re.Match[str]) -> str:
    before = re.split(r"[.!?,;:\n]", match.string[max(0, match.start() - _REACH) : match.start()])[-1].strip()
    alone = len(before.split()) < _LEAST
    return " " if alone or _LED_ON.search(before) else "\n"
