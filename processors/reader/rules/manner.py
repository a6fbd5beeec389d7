"""How the owner wants to be answered: language, length and form (D2, D4, D9).

Said for good ("always", "from now on", "以后") it is an explicit preference; said once it is only inferred from the
request, and stays observed until it is taken up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from processors.language.profile_patterns import compiled
from processors.reader.rules.catalogue import OPEN, spec_of
from processors.reader.rules.clauses_zh import KIN
from processors.reader.rules.found import Found
from processors.reader.rules.text import Sentence
from schemas.events.memory import Source
from schemas.profile.model import Profile

_TONGUES = {
    "english": "English", "chinese": "Chinese", "mandarin": "Chinese", "french": "French", "german": "German",
    "spanish": "Spanish", "japanese": "Japanese", "korean": "Korean", "russian": "Russian", "italian": "Italian",
    "portuguese": "Portuguese", "arabic": "Arabic", "polish": "Polish", "dutch": "Dutch", "turkish": "Turkish",
    "hindi": "Hindi", "urdu": "Urdu", "swedish": "Swedish", "norwegian": "Norwegian", "danish": "Danish",
    "finnish": "Finnish", "greek": "Greek", "czech": "Czech", "hungarian": "Hungarian", "romanian": "Romanian",
    "ukrainian": "Ukrainian", "hebrew": "Hebrew", "vietnamese": "Vietnamese", "thai": "Thai", "malay": "Malay",
    "tamil": "Tamil", "bengali": "Bengali", "welsh": "Welsh", "swahili": "Swahili", "cantonese": "Cantonese",
    "英文": "English", "英语": "English", "中文": "Chinese", "汉语": "Chinese", "普通话": "Chinese", "日语": "Japanese",
    "日文": "Japanese", "法语": "French", "德语": "German", "韩语": "Korean", "俄语": "Russian",
}  # fmt: skip
_STYLES = {
    "short": "concise", "shorter": "concise", "brief": "concise", "concise": "concise", "to the point": "concise",
    "detailed": "detailed", "in detail": "detailed", "thorough": "detailed", "longer": "detailed",
    "simple": "simple", "in simple terms": "simple", "plain": "simple", "bullet points": "bullet points",
    "step by step": "step by step",
    "简单": "simple", "大白话": "simple", "仔细": "detailed",
    "简短": "concise", "简洁": "concise", "精简": "concise", "简单明了": "concise", "言简意赅": "concise",
    "详细": "detailed", "具体": "detailed", "通俗": "simple", "要点": "bullet points", "分点": "bullet points",
    "一步一步": "step by step", "分步骤": "step by step",
}  # fmt: skip
_ANSWER_EN = (
    r"(?:answers?|repl(?:y|ies)|respond|responses?|write|explain|speak"
    r"|talk|summari[sz]e|keep (?:it|them|your \w+|things))"
)
_POLITELY = re.compile(
    r"(?:(?:hi|hello|hey|please|so|ok(?:ay)?)[, ]{1,2}){0,2}(?:can|could|would|will) you\b"
    r"|你?(?:能不能|可不可以|可以|能否|麻烦)",
    re.I,
)
"""A request in the form of a question."""
_LANGUAGE_EN = re.compile(
    rf"\b{_ANSWER_EN}(?: (?:to|with) (?:me|us)| me| back| it| this| everything)? (?:only"
    rf" )?in (?P<v>{'|'.join(k for k in _TONGUES if k.isascii())})\b(?! first\b| (?:and|or|then) (?:in )?(?-i:[A-Z]))",
    re.I,
)
_STYLE_EN = re.compile(
    rf"\b{_ANSWER_EN}(?: me| it| this| your (?:answers?|replies|responses?))?(?: \w+)? (?:in |with |as |be |more )?"
    rf"(?P<v>{'|'.join(sorted((re.escape(k) for k in _STYLES if k.isascii()), key=len, reverse=True))})\b",
    re.I,
)
_PLEASE = r",? (?:please|pls|plz|thanks|thx)\b"
_SHORTLY_EN = (
    re.compile(
        r"\b(?P<v>short|shorter|brief|concise|simple|plain|detailed|longer) (?:answers?|repl(?:y|ies)|responses?"
        rf"|explanations?)(?: (?:only|for me|from you|from now on|always|if possible)){{0,2}}{_PLEASE}",
        re.I,
    ),
    re.compile(rf"^(?:just )?(?:in )?(?P<v>plain|simple) (?:words|english|language|terms){_PLEASE}", re.I),
    re.compile(
        r"(?:^|[,;.] ?|\b(?:please|and|always|could you|can you) )(?:explain|say|put|tell me|describe|write)\b"
        r"[\w ']{0,24}?"
        r" in (?P<v>plain|simple) (?:words|english|language|terms)\b",
        re.I,
    ),
    re.compile(rf"^(?:in )?(?P<v>bullet points|step by step){_PLEASE}", re.I),
    re.compile(r"(?:^|\b(?:please|and) )more (?P<v>detail)s? in your (?:answers|replies|responses)\b", re.I),
    re.compile(
        r"(?:^|[,;.] ?|\band )no (?P<v>fluff|waffle|padding|small talk|chit-?chat)(?= *(?:$|[,;.!]|please|pls))", re.I
    ),
)
"""A wish for answers in a word: it holds for all to come."""
_SHORTLY = dict.fromkeys(("fluff", "waffle", "padding", "small talk", "chit-chat", "chitchat"), "concise") | {
    "detail": "detailed"
}
_ASKS_POLITELY = re.compile(
    r"(?:(?:ok|and|so|please|also)[, ]+){0,2}(?:can|could|may|would) (?:we|you|I|the|our|my)\b", re.I
)
_STANDING_EN = re.compile(
    r"\b(?:always|(?:keep|make) (?:all )?(?:of )?your (?:answers|replies|responses)"
    r"|from (?:now|here) on|in (?:the )?future|every time|whenever"
    r"|i (?:prefer|like|want)|going forward|keep it [a-z]+ with me"
    r"|(?:speak|talk|write|reply|respond|answer)(?: only)? (?:to|with) (?:me|us)(?: only)? in"
    r"|(?:speak|talk|write|reply|respond|answer)(?: only)? in [a-z]+ (?:to|with) (?:me|us))\b",
    re.I,
)
_ANSWER_ZH = r"(?:回答|回复|答复|回我|回得|说|讲|写|解释|输出|总结|告诉我|交流)"
_TO_OTHERS_ZH = re.compile(r"(?:一[份封个下])?[写发交]?给(?![我俺咱])")
"""Behind a language, whom what is written is for: 周报用英文写给申办方."""
_LANGUAGE_ZH = re.compile(
    rf"(?:请|都|一律|以后|帮我|麻烦)?用(?P<v>{'|'.join(k for k in _TONGUES if not k.isascii())}"
    rf")(?:来)?(?:跟我|和我|给我)?{_ANSWER_ZH}"
)
_STYLE_ZH = re.compile(
    rf"{_ANSWER_ZH}[^，。]{{0,6}}?(?P<v>{'|'.join(k for k in _STYLES if not k.isascii())})(?:一?点|一些|些|地|$)"
    rf"|(?P<w>{'|'.join(k for k in _STYLES if not k.isascii())})(?:一?点|一些|地){_ANSWER_ZH}"
)
_FORMS_ZH = {
    "列表": "bullet points", "清单": "bullet points", "要点": "bullet points", "分点": "bullet points",
    "表格": "tables",
}  # fmt: skip
_FORM_ZH = re.compile(
    rf"用(?P<v>{'|'.join(_FORMS_ZH)})(?:的?(?:形式|方式|格式))?(?:来)?(?:给我|跟我|向我)?{_ANSWER_ZH}"
)
_LIKED_ZH = re.compile(
    r"(?:^|[，,；;。]|我)(?:还是|也|都|更|比较|很|最|请|以后|都要)*(?:(?P<liked>喜欢|偏爱|偏好)|想要|希望(?:得到|看到|有)|用)(?:更|比较|尽量)?"
    rf"(?P<v>{'|'.join(k for k in _STYLES if not k.isascii())})一?[点些]?的"
    rf"(?:(?:回答|回复|答复|说明|解释|总结)(?=$|[，。；！,;!])|(?:方式|语言|话){_ANSWER_ZH})"
)
"""An answer of a kind as what is liked (我喜欢简洁的回答), not the answer that somebody gave."""
_STANDING_ZH = re.compile(
    r"以后|今后|(?:回答|回复|答复|解释)(?:我|问题|我的问题)?的?时候"
    r"|[跟和对给]我(?:讲|说|解释)|回复?我|(?:^|[，,。；！])(?:回答|回复|答复|解释|说话|讲话)[^，。]{0,3}(?:尽量|都)|从现在起|每次|总是|一律|都用|都要|我(?:更|比较)?(?:喜欢|希望|偏好)|一直|之后都"
)
_TOLD_OF = re.compile(r"\b(?:I|I'd|I'll|we|we'd|he|she|they|you'd|used to|would)\s$", re.I)
"""Who answers so is somebody else than who is asked to."""
_TOLD_OF_ZH = re.compile(rf"(?:{KIN}|[他她它你您]们?|人家?|领导|老板|[让叫要]我)[^，。；]{{0,4}}$")
"""Who speaks so is somebody else, or the speaker is asked to: 医生跟我讲得很通俗."""
_SAYS_HOW_ZH = re.compile(r"得(?:很|真|挺|太|特别|非常|好)")
_DENIED = re.compile(
    r"\b(?:don't|do not|not|never|stop|can you|did|does)\b[^.,]{0,24}$"
    r"|\b(?:hate|hates|dislike|can't stand|cannot stand|sick of|tired of|fed up with|annoys? me"
    r"|drives? me mad)\b[^.;]{0,60}$"
    r"|^(?:why|how|what|who|when|are|is|were|was)\b.*$"
    r"|(?:不要|别|不用|能不能|是否|怎么)[^，。]{0,6}$",
    re.I,
)

_ASKS_FOR = re.compile(
    r"(?:(?:ok(?:ay)?|so|and|also)[,. ]{1,2})?(?:can|could|may) (?:we|I) (?:please )?(?:have|get)\b", re.I
)
"""A request in the form of a question."""


def manner_en(sentence: Sentence) -> list[Found]:
    """Return the wishes for answers in one English sentence."""
    permanent = _STANDING_EN.search(sentence.text) is not None
    found = []
    for slot, pattern, names in (("response_language", _LANGUAGE_EN, _TONGUES), ("response_style", _STYLE_EN, _STYLES)):
        match = pattern.search(sentence.text)
        lead = sentence.text[: match.start()] if match else ""
        if match and not sentence.asks and not (_DENIED.search(lead) or _TOLD_OF.search(lead)):
            value = names[match["v"].lower()]
            found.append(
                _wish(
                    sentence,
                    f"{{owner}} wants answers {'in ' if names is _TONGUES else 'that are '}{match['v']}",
                    slot,
                    value,
                    permanent,
                )
            )
    shortly = _shortly(sentence)
    return [*(f for f in found if f.slots[0][0] != "response_style"), *shortly] if shortly else found


def _shortly(sentence: Sentence) -> list[Found]:
    """The wish for answers that a sentence says in a word: "short answers please"."""
    for pattern in _SHORTLY_EN:
        match = pattern.search(sentence.text)
        if match and not (sentence.asks and not _ASKS_POLITELY.match(sentence.text)):
            words = match["v"].lower()
            value = _SHORTLY.get(words) or _STYLES[words]
            wanted = words if words in _STYLES else value
            text = f"{{owner}} wants answers that are {wanted}"
            return [_wish(sentence, text, "response_style", value, permanent=True)]
    return []


def manner_zh(sentence: Sentence) -> list[Found]:
    """Return the wishes for answers in one Chinese sentence."""
    permanent = _STANDING_ZH.search(sentence.text) is not None
    found = []
    if (match := _LANGUAGE_ZH.search(sentence.text)) and not (
        _DENIED.search(sentence.text[: match.start()]) or _TO_OTHERS_ZH.match(sentence.text, match.end())
    ):
        found.append(
            _wish(sentence, f"{{owner}}希望用{match['v']}回答", "response_language", _TONGUES[match["v"]], permanent)
        )
    if (match := _STYLE_ZH.search(sentence.text)) and not (
        _DENIED.search(sentence.text[: match.start()])
        or _TOLD_OF_ZH.search(sentence.text[: match.start()])
        or _SAYS_HOW_ZH.search(match.group())
    ):
        phrase = match["v"] or match["w"]
        found.append(_wish(sentence, f"{{owner}}希望回答{phrase}", "response_style", _STYLES[phrase], permanent))
    elif permanent and (match := _FORM_ZH.search(sentence.text)) and not _DENIED.search(sentence.text[: match.start()]):
        phrase = match["v"]
        found.append(
            _wish(sentence, f"{{owner}}希望用{phrase}回答", "response_style", _FORMS_ZH[phrase], permanent=True)
        )
    elif match := _LIKED_ZH.search(sentence.text):
        explicit = permanent or match["liked"] is not None
        found.append(_wish(sentence, f"{{owner}}希望回答{match['v']}", "response_style", _STYLES[match["v"]], explicit))
    return [] if sentence.asks else found


def manner(sentence: Sentence, profile: Profile, language: str) -> list[Found]:
    """Return the wishes of one sentence: the profile's own, and for the fields that these do not fill the general
    ones."""
    own = asked_for(sentence, profile, language)
    names = {name for f in own for name, _ in f.slots}
    general = manner_zh(sentence) if language == "zh" else manner_en(sentence)
    specs = [(f, spec_of(profile, f.slots[0][0])) for f in general]
    return [*own, *(f for f, spec in specs if spec is None or spec.name not in names)]


def said_once(found: Sequence[Found], wishes: Sequence[Found]) -> list[Found]:
    """Without the tastes (what is liked or preferred, in any words) that say one of the wishes again."""
    values = [str(value).casefold() for f in wishes for _, value in f.slots]

    def again(f: Found) -> bool:
        tastes = [str(w).casefold() for n, w in f.slots if n in OPEN]
        return f.kind == "preference" and any(value in taste for taste in tastes for value in values)

    return [f for f in found if not again(f)]


def asked_for(sentence: Sentence, profile: Profile, language: str) -> list[Found]:
    """Return the preferences that one sentence asks for in the profile's words (`fields.asked`), explicit."""
    if sentence.asks and not any(p.match(sentence.text) for p in (_POLITELY, _ASKS_FOR, _ASKS_POLITELY)):
        return []
    found = []
    for spec in profile.fields:
        for pattern in spec.asked:
            match = compiled(pattern).search(sentence.text)
            if match is None or _DENIED.search(sentence.text[: match.start()]):
                continue
            label = spec.label.get("zh" if language == "zh" else "en") or spec.name
            label_text = f"希望的{label}：" if language == "zh" else f" asked for {label}: "
            text = f"{{owner}}{label_text}{match['value']}"
            place = (sentence.start + match.start(), sentence.start + match.end())
            found.append(Found(*place, "preference", text, ((spec.name, match["value"]),)))
            break
    return found


def _wish(sentence: Sentence, text: str, slot: str, value: str, permanent: bool) -> Found:
    source: Source = "explicit" if permanent else "inferred"
    return Found(sentence.start, sentence.end, "preference", text, ((slot, value),), source=source)
