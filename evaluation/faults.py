"""Faults of a memory's wording that a program can count, English and Chinese.

Each looks at the memory alone, or beside the turns it is from. They find less than a reader does, and sometimes
something that is none: counts to compare two readings of the same turns by, no share of good memories.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from evaluation.talk import Speech, repeats

_QUOTED = re.compile(r"“[^”]*”|「[^」]*」|《[^》]*》|\"[^\"]*\"")
_EMOJI = "[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f]"
_KIN = (
    r"(?:wife|husband|partner|mother|father|mom|mum|dad|parents?|sister|brother|siblings?|son|daughter|child|children|kids?"
    r"|friends?|boss|manager|colleague|coworker|neighbou?r|aunt|uncle|cousin|niece|nephew|grand\w+|boyfriend|girlfriend"
    r"|doctor|teacher|team|people|man|woman|boy|girl|baby|dog|cat|puppy|students?|patients?|family)"
)
_OPENS_EN = re.compile(r"^[\w.' -]{1,40}?(?: said| asked| answered| mentioned| replied)\b[^:]{0,80}:")
_OPENS_ZH = re.compile(r"^[^，。：]{1,12}(?:说|询问|请求|提到|回答[^：]{0,80})[:：]")
_RESIDUE_EN = re.compile(
    rf"{_EMOJI}|\[(?:image|photo|video|gif|sticker)\b|https?:|\bRe:? [A-Z]\w+[:,]"
    r"|\b(?:lol|lmao|haha\w*|hehe\w*|omg|btw|tbh|idk)\b"
    r"|(?:^|[:,] )(?:yea|yeah|yep|yes|nope|oops|wow|hmm+|um+|uh|oh|ok|okay|well|aww*|ugh|anyway|hi|hello|hey)\b[ ,.!-]",
    re.IGNORECASE,
)
_RESIDUE_ZH = re.compile(
    rf"{_EMOJI}|\[[\u4e00-\u9fff]{{1,4}}\]|[Rr][Ee]\s?[\w\u4e00-\u9fff]+[:：\s]|[哈呵嘿]{{2,}}|呜呜|hh+|233+|在吗|在么|亲亲|~|～|[？?！!]{{2,}}|…|"
    r"(?:^|[：，])(?:嗯+|哦+|啊|唉|诶|哎|额|好的|好吧|对了|谢谢|你好|您好)(?:[，,啊呀吧]|$)"
)
_POINTS_EN = re.compile(
    r"\b(?:he|she|it|they|him|her|his|hers|its|them|their|theirs|this|these|those|that one)\b", re.IGNORECASE
)
_OF_OWNER = re.compile(r"\b(?:they|them|their|theirs)\b", re.IGNORECASE)
"""Who is named first in the memory is they."""
_NAMES_EN = re.compile(rf"(?i:\b{_KIN}\b)|(?<!^)(?<![.!?] )\b[A-Z][a-z]+\b")
_THAT_EN = re.compile(
    r"\b(?:that|this|those|these)(?= (?:is|was|are|were|[a-z]+)\b)|\bthere(?= (?:for|with|to|on|in|last)\b)",
    re.IGNORECASE,
)
_POINTS_ZH = re.compile(r"[他她它]们?|这[个种些样次家位里儿么]?|那[个种些样次家位里儿么时]?")
_NAMES_ZH = re.compile(
    r"[爸妈爹娘哥姐弟妹]|父母|男友|女友|朋友|老公|老婆|丈夫|妻子|同事|同学|老师|导师|室友|医生|儿子|女儿|孩子|婆婆|公公|npy|对象"
)
_LEFT_EN = re.compile(r"\b(?:I|I'\w+|me|my|mine|myself|we|we'\w+|our|us|you|your|you'\w+|u|ur)\b")
_LEFT_ZH = re.compile(r"[我俺咱]|本人|[你您]")
_GRAMMAR_EN = re.compile(
    r"\b(?:donts?|cants?|wonts?|didnts?|ims?|ives|don'ts|can'ts)\b"
    r"|\b(?:does|do|did|can|will|should) (?:[A-Z]\w+|agent_\d|User) (?:am|is|has|\w+[^s]s)\b"
    r"|\b(?:both|all|one|some|each) of [\w.]+'s\b(?= [a-z]*$|[,.]|$)|\b[Uu]ser (?:am|are|have|do|don't|were|borns)\b"
    r"|\band others (?:is|has|was|does|don't|am|'s)\b|\w-[Uu]ser\b|\b(?:an|a) User\b",
)
_GRAMMAR_ZH = re.compile(r"用户[^，。；]{0,4}用户|给用户用|用户等人的等|的的|，，|：，")
_CUT_EN = re.compile(
    r"(?:\b(?:and|or|but|because|so|that|the|a|an|of|to|with|for|my|if|when|who|which|than|at|by|from|as)|[,;:(-])\s*$"
)
_VERB_EN = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|must|should|may|might|not|\w+(?:s|ed|en|t|ew|ank|ame|ook|old|ade|ent|ung|ore|oke|ove|ote|ound))\b"
)
_CUT_ZH = re.compile(r"(?:因为|所以|但是|而且|如果|虽然|和|的时候|跟|对|把|被|[，、：（])$")
_EMPTY_EN = re.compile(
    r"\b(?:thank(?:s|ful)?|welcome|congrat\w*|good luck|take care|sorry|glad|nice to|no idea|not sure)\b"
    r"|\bsounds? (?:like|good|great|fun|nice)\b|\bagrees?\b(?!d? (?:to|on|with the))"
    r"|\bhopes? (?:that )?(?:you|it|he|she|they|things|\w+ (?:can|is|are|has|have|get))\b"
    r"|\bgreat (?:idea|job|day|night|chat)\b|\b(?:chatting|talking (?:to|with)|guess(?:es)?|wonders?)\b"
    r"|\b(?:doesn't|don't|did not|didn't) know\b"
    r"|\b(?:everyone|everybody|people|we all|life|love) (?:should|can|must|needs?|is|are|has|have)\b",
    re.IGNORECASE,
)
_EMPTY_ZH = re.compile(
    r"谢谢|感谢|抱抱|加油|祝|希望(?:你|您|楼|洞|一切)|真棒|太好了|辛苦|欢迎|恭喜|心疼|同感|同意|赞同|路过|围观|支持|不知道|人生|缘分|总会|都会好"
)
_ASKS = re.compile(r"[?？]\s*$|[吗呢]$|\b(?:asked|询问)[:：]")
_OVERLONG = {"en": 180, "zh": 60}


def faults(language: Speech, text: str, who: str, sources: Sequence[str]) -> list[str]:
    """The kinds of faults of one memory; `who` is its speaker's name, `sources` the turns it is from."""
    unquoted = _QUOTED.sub('""', text)
    found = _of_english(unquoted, who) if language == "en" else _of_chinese(unquoted)
    shared = {
        "near copy": repeats(language, sources, text),
        "question": _ASKS.search(unquoted) is not None,
        "over-long": len(text) > _OVERLONG[language],
    }
    return [kind for kind, there in (*found, *shared.items()) if there]


def _of_english(text: str, who: str) -> Iterable[tuple[str, bool]]:
    bare = re.sub(re.escape(who), "User", text, flags=re.IGNORECASE) if who else text
    pointing = _POINTS_EN.search(_OF_OWNER.sub("", bare) if bare.startswith("User") else bare)
    named = _NAMES_EN.search(bare.replace("User", "owner"), 0, pointing.start()) if pointing else None
    yield "wrapper", _OPENS_EN.search(bare) is not None
    yield "residue", _RESIDUE_EN.search(bare.removeprefix("User ")) is not None
    yield "unresolved reference", (pointing is not None and named is None) or _THAT_EN.search(bare) is not None
    yield "I or you left", _LEFT_EN.search(bare) is not None
    yield "grammar", _GRAMMAR_EN.search(bare) is not None
    yield "name for every pronoun", bare.count("User") > 2
    yield "fragment", _CUT_EN.search(bare) is not None or _VERB_EN.search(bare) is None
    yield "platitude or courtesy", _EMPTY_EN.search(bare) is not None


def _of_chinese(text: str) -> Iterable[tuple[str, bool]]:
    pointing = _POINTS_ZH.search(text)
    named = _NAMES_ZH.search(text, 0, pointing.start()) if pointing else None
    yield "wrapper", _OPENS_ZH.search(text) is not None
    yield "residue", _RESIDUE_ZH.search(text) is not None
    yield "unresolved reference", pointing is not None and named is None
    yield "I or you left", _LEFT_ZH.search(text) is not None
    yield "grammar", _GRAMMAR_ZH.search(text) is not None
    yield "fragment", _CUT_ZH.search(text) is not None or len(text) < 5
    yield "platitude or courtesy", _EMPTY_ZH.search(text) is not None
