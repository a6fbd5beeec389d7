"""Whether the end of a turn asks for the value of something: a password, a code, the number of a passport."""

from __future__ import annotations

import re

_WANTS = (
    r"(?:what(?:['’]?s|[ ](?:is|was|are))|which[ ](?:one|word|code|pin|number|password)"
    r"|(?:tell|telling|send|sending|give|giving|text|remind|show|read|get)"
    r"[ ](?:me|us)|shar(?:e|ing)|paste|enter|type|provide|confirm|state|supply|spell|need|know|remember|recall"
    r"|(?:can|could|may)[ ](?:i|we)"
    r"[ ](?:have|get))"
)
_DETERMINER = r"\b(?:the|your|my|our|his|her|their|its|this|that)(?:[ ][\w'’-]{1,20}){0,4}?[ ]"
# "the password policy", "what is the password for?", "the PIN pad"
_NOT_IT = (
    r"(?!['’]s|[ -](?:managers?|hints?|polic|fields?|requirements?|length|rules?|prompt|reset|recovery|format|page"
    r"|strength|pad|box|screen|machine|in[ ]the[ ]garden|hash(?:es|ing)?|columns?|button|flow"
    r"|of[ ](?!(?:the|your|my|our|his|her|their|this|that)\b)"
    r"|on[ ](?:the|a|your)[ ](?:map|board|chip|connector|jacket))|[ ]for[ ]?\?)"
)
_SAYS_ZH = r"(?:告[诉訴]|[发發给給说說报報])(?:我|咱|俺|我们|我們|一下|下)"
_VALUE_ZH = (
    r"(?:是|[为為])?(?:多少(?![位个個次钱錢字])|几号|(?<![干做])什么(?![时時意问問原要规規格用牌算字软颜类样])"
    r"|(?<![幹做])什麼(?![时時意问問原要规規格用牌算字軟顏類樣])|啥|(?<!在)哪[个個](?!字))"
)


def asking(english: str, chinese: str) -> re.Pattern[str]:
    """A sentence that wants the value of a secret, in either language."""
    return re.compile(
        rf"\b{_WANTS}\b[^.?!\n]{{0,60}}?{_DETERMINER}{english}(?![A-Za-z]){_NOT_IT}"
        rf"|\b(?:what|which)[ ](?:[a-z]{{2,12}}[ ])?{english}[ ](?:do|does|is|are|should|shall)\b"
        rf"|\b(?:your|the|my)[ ](?:[\w'’-]{{1,20}}[ ]){{0,3}}?{english}{_NOT_IT}"
        r"(?:,?[ ](?:please|pls|again|(?:of|for|to|on)(?:[ ][\w'’-]{1,20}){1,4})){0,2}[ ]?\?"
        rf"|{chinese}(?:呢|又)?(?:[^。！!?？\n]{{0,8}}?{_VALUE_ZH}|是?[?？]|(?<=呢)(?=[ ]?\Z)"
        rf"|[^。！!?？\n]{{0,6}}?{_SAYS_ZH})"
        rf"|(?:{_SAYS_ZH}|[请請][你您]?(?:[输輸]入|提供|填[写寫]))[^。！!?？\n]{{0,12}}{chinese}(?![学學]|管理|要求|规则|規則)",
        re.IGNORECASE,
    )


# "Where do I enter the password?", "did you send him the code?": about one, and answered by no secret.
_ABOUT_ONE = re.compile(
    r"\b(?:where|why|how|when|whether|if|who|did|does|has|have|had|should|must|will|would|don['’]t|never|forgot)\b"
    r"|什么时候|什麼時候|何时"
    r"|怎么|怎麼|为什么|為什麼|谁|誰|哪里|哪裡|有没有|是不是|要不要|[换換改忘丢设設]",
    re.IGNORECASE,
)
# The same within the words that ask: "do you know who has the password?", "what's the name of the login button?"
_ASKS_OTHER = re.compile(
    r"\b(?:where|why|how|when|whether|if|who)\b|\b(?:name|title|label|colou?r|column|field|type|table|file|folder|path"
    r"|link|page|owner|reason|point|purpose|use|problem|issue|status|size|length|algorithm|step|regex|pattern|deadline)s?"
    r"[ ](?:of|for|to|behind|with|in|on|that|which)\b|在哪|哪里|哪裡|怎么|怎麼|谁|誰|为什么|為什麼",
    re.IGNORECASE,
)
# "Which app asks for the password?" A number or a word may be the secret itself.
_OTHER_THING = re.compile(
    r"\b(?:what|which)[ ](?!(?:is|was|are|were|about|if|numbers?|words?|digits?|figures|one)\b)[a-z]{1,30}\b",
    re.IGNORECASE,
)
_ASKS_ITSELF = re.compile(r"what|which|tell|send|give|text|remind|show|share", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;:，；：—–]")
_SENTENCE_END = re.compile(r"[.?!。？！\n]")


def wants(pattern: re.Pattern[str], text: str) -> bool:
    return any(not _about(text, match) and not _passed_over(text, match) for match in pattern.finditer(text))


def _about(text: str, match: re.Match[str]) -> bool:
    """Is it a question about a secret, which no secret answers?"""
    before = _SENTENCE_END.split(text[: match.start()])[-1]
    if _ABOUT_ONE.search(before) is not None or _ASKS_OTHER.search(_CLAUSE_END.split(match[0])[-1]) is not None:
        return True
    clause = _CLAUSE_END.split(before)[-1]
    return _ASKS_ITSELF.match(match[0]) is None and _OTHER_THING.search(clause) is not None


def _passed_over(text: str, match: re.Match[str]) -> bool:
    """Does a question follow a sentence that is none? "I need your PIN later. How many guests?" """
    rest = text[match.end() - 1 :]
    end = _SENTENCE_END.search(rest)
    if end is None or end[0] in "?？":
        return False
    return re.search("[?？]", rest[end.end() :]) is not None


# "I need ...", "could you send ...": a sentence that asks without a question mark.
_REQUEST = re.compile(
    r"[?？]|\b(?:need|want|please|pls|kindly|send|share|give|tell|provide|paste|reply|confirm|enter|type|state|supply|spell"
    r"|fill in|remind|what|which|could|can|may i|your turn)\b|\A\W{0,3}(?:now|next|and|your)\b"
    r"|[请請]|麻烦|麻煩|方便|需要|还差|還差|告[诉訴]|提供|[发發报報给給说說留填][一下我个個]|多少|什么|什麼|哪|呢|填",
    re.IGNORECASE,
)
# What is asked of a number, which no number answers.
_OF_A_NUMBER = re.compile(
    r"\b(?:where(?![ ](?:i|we|they|he|she|people)[ ]c)|why|how|when|whether|who|never|forgot|formats?|printed"
    r"|required|called|named|expires?|expired|expiry|holder|balance|limit|count|price|budget|length|difference|version|stored|rotated?|means?)\b"
    r"|\A\W{0,3}(?:should|did|do[ ](?:i|we)|is|are|was|were|has|had|does)\b"
    r"|在哪|哪[里裡儿兒]|哪一?页|怎[么麼样樣]|[为為]什[么麼]|[谁誰]|什[么麼][时時]候|[几幾][位个個页本]|有[没沒]有|是不是|要不要"
    r"|[换換改忘丢设設][了过過]|被封|[过過到]期|格式|余额|餘額|叫什[么麼]|第[几幾]|上限|存在|有效|多[长長]|意思",
    re.IGNORECASE,
)
_PIECES = re.compile(r"([.?!。？！\n]{1,300})")


def request_in(text: str) -> str:
    """The last sentence of a text that asks for something; empty where none does, or where it asks what no value
    answers."""
    pieces = [*_PIECES.split(text), ""]
    for words, end in zip(reversed(pieces[::2]), reversed(pieces[1::2]), strict=True):
        sentence = words + end
        if words.strip() and _REQUEST.search(sentence):
            return "" if _OF_A_NUMBER.search(sentence) else sentence
    return ""
