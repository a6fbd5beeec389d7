"""How one who speaks to an assistant alone says for good what it is to do: 回答短一点, 每次回答都附上来源, 别老是道歉.

`orders_zh` reads what is also meant so among people. An order for the text at hand (这段用英文写), with a text behind a
colon, or for somebody else is for once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files

from processors.reader.rules.clauses_zh import KIN, Clause
from processors.reader.rules.found import Found
from processors.reader.rules.orders_zh import FROM_NOW, reworded
from processors.reader.rules.self_contained_zh import ASKS, SUPPOSED, resolved
from processors.reader.rules.text import Sentence

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "plain_orders_zh.toml").read_text(encoding="utf-8"))
_LONGEST = 30


def _any(name: str) -> str:
    return "|".join(sorted(map(re.escape, _DATA[name].split()), key=len, reverse=True))


_OPENS = rf"(?:请|麻烦|你|您|{FROM_NOW}|另外|还有|对了|跟我|和我|对我|给我|跟我们|都|一律|就|能不能|可以|尽量|最好)"
_WRITTEN = rf"[^，]{{0,4}}(?:{_any('written')})"
_NOT = r"(?<![特区级分类性个告离])(?:别|不要|不用|不必|少|不许|甭|请勿)"
_OFTEN = r"(?:再|老是?|总是?|一直|动不动就|每次都?|一上来就|随便|那么|这么)"
_MORE = r"(?:一点儿?|一些|点儿?|些)"
_SOFTLY = r"(?:吧|就行|就好|就可以|好吗|行吗|谢谢)?$"
_HOW = re.compile(
    rf"{_OPENS}{{0,5}}(?:{_any('answers')})(?:我|问题|我的问题)?(?:的时候|时)?(?:{_OPENS}|要|再|得|的){{0,2}}(?:{_any('how')}){_MORE}(?:吧|就行|就好|好吗|谢谢)?$"
)
_IN_WHAT = re.compile(
    rf"(?:{_OPENS}){{0,4}}(?:{FROM_NOW})[^，我俺咱他她]{{0,12}}?(?:都|一律|就|请|只|全部?|统一|尽量|默认)?(?:用|以|按|写成|换成|换算成|回答|显示)(?:我)?{_WRITTEN}[^，]{{0,8}}$"
    rf"|(?:{_OPENS}){{0,4}}(?:一律|始终|一直|永远|默认|统一|每次都)(?:用|以|按|写成|换成|换算成){_WRITTEN}[^，]{{0,8}}$"
)
_EACH_TIME = re.compile(
    rf"(?:{_OPENS}){{0,3}}(?:每次|每回|凡是|平时)(?:你|您|给我|帮我)?(?:{_any('answers')})(?:的时候|时|完)?(?:都|要|请|先|得|附|带|加|给|用|只|别|不要)[^，]{{1,20}}$"
)
_NAME = rf"(?!(?>{KIN})[\u4e00-\u9fff]|{_any('not_a_name')})[\u4e00-\u9fffA-Za-z]{{1,8}}"
_OF_ONE_TEXT = re.compile(
    rf"(?:请|麻烦|你|您|另外|还有|对了|给我|能不能|可以|尽量|最好){{0,4}}(?:{_any('of_one_text')})"
)
_TIRED = re.compile(
    rf"(?:{_OPENS}){{0,4}}{_NOT}{_OFTEN}(?:跟我|对我|给我|和我)?(?:{_any('tiresome')})[^，]{{0,10}}$"
    rf"|(?:{_OPENS}){{0,4}}{_NOT}用{_WRITTEN}[^，]{{0,8}}$"
    rf"|(?:{_OPENS}){{0,4}}{_NOT}(?:跟我|和我|对我)(?:说|讲|用){_WRITTEN}[^，]{{0,6}}$"
    rf"|(?:请|你|您|以后|都){{0,4}}{_NOT}(?:叫|喊|称呼)我{_NAME}$"
)
_LANGUAGE = rf"(?:{_any('languages')}|[\u4e00-\u9fff]{{1,3}}(?<![实真人笑坏好废闲狠里电官童])话)"
_IN_LANGUAGE = re.compile(
    rf"(?:请|麻烦|你|您|就|平时|{FROM_NOW}){{0,3}}[跟和对](?:我|我们)(?:说话|聊天|讲话|交流)?(?:的时候|时)?(?:请|要|就|都)?"
    rf"(?:说|讲|用)(?:慢一点的|慢点的|标准的)?{_LANGUAGE}{_SOFTLY}"
    rf"|(?:请|麻烦|你|您|就|平时|都|{FROM_NOW}){{1,3}}用{_LANGUAGE}(?:(?:跟|和|对|给)我(?:说话?|讲话?|聊天?|交流|沟通|对话)|(?:回复?|回答|答复?)我?){_SOFTLY}"
)
"""In which language one wants to be spoken to: 请跟我说粤语."""
_SPEAKING = re.compile(
    rf"(?:{_OPENS}){{0,3}}(?:(?:跟|和|对|给)我(?:说话|讲话|聊天|解释|写|回复)|回答我|回复我|叫我)(?:的?时候?)?(?:要|请|都|尽量|就|能)?"
    rf"(?:{_NOT}|用|(?:{_any('how')}){_MORE}|直呼|称)[^，]{{0,14}}$"
)
_WISHED = re.compile(
    r"我(?:更|比较)?(?:希望|想要?|要|需要|喜欢)(?=[你您])(?:[你您])(?:以后|今后|能|可以|跟我|和我|对我|给我){0,3}"
    rf"(?P<what>(?:(?:{_any('answers')})[^，]{{0,8}}?|[^，]{{0,4}})(?:(?:{_any('how')}){_MORE}|用{_WRITTEN}|{_NOT}[^，]{{2,12}}|直呼|叫我[^，]{{1,8}}))$"
)
_FOR_GOOD = re.compile(rf"{FROM_NOW}|每次|每回|一律|始终|永远|平时|老是?|总是?|我|道歉|回答")
_ONCE = re.compile(_any("once"))
_OF_OTHERS = re.compile(rf"[他她它]|大家|我们|{KIN}|让|告诉|系统|提示|规定|要求[^，]|说明|牌子|老师|[:：“「\"]")
_SIR = re.compile(r"叫我|喊我|称呼我")
_SENSE = re.compile(r"我(?!的?(?:问题|时候))")


_PLEASE = re.compile(
    r"(?:(?<![^，,。！!？?；;\n\s]))(?:请|麻烦|你|您|就|直接|平时){1,4}"
    rf"(?=[叫喊]我{_NAME}(?:$|[，,。！!；;\n]))"
)


def called(text: str) -> str:
    """A turn without the courtesy before what one is to be called: 请叫我阿明."""
    return _PLEASE.sub(lambda m: " " * len(m.group()), text)


def plain_orders(sentence: Sentence, original: str, parts: Sequence[Clause], *, for_work: bool) -> list[Found]:
    """Return such orders in a sentence, a clause each; `original` is the sentence with its quotations; `for_work`: the
    turn asks for something to be made."""
    if sentence.asks or re.search(r"[:：“”「」\"《]", original):
        return []
    found: list[Found] = []
    for clause in parts:
        phrase = clause.raw.strip()
        if not 4 <= len(phrase) <= _LONGEST or clause.supposed or not _is_order(phrase):
            continue
        if for_work and not _FOR_GOOD.search(phrase):
            continue
        if _OF_OTHERS.search(original, 0, clause.start - sentence.start):  # for them: 我奶奶也用，别用英文
            continue
        whole = original[clause.start - sentence.start : clause.end - sentence.start].strip()
        wish = _WISHED.match(phrase)
        text = f"{{owner}}希望助手{wish['what'].replace('我', '{owner}')}" if wish else reworded(whole)
        found.append(Found(clause.start, clause.end, "preference", text))
    return found


def _is_order(text: str) -> bool:
    ones_own = _OF_OTHERS.search(text) is None or _SIR.search(text) is not None
    if _ONCE.search(text) or not ones_own or ASKS.search(text) or SUPPOSED.search(text) or not resolved(text):
        return False
    if _HOW.match(text) and not _OF_ONE_TEXT.match(text):
        return True
    return any(p.match(text) for p in (_IN_WHAT, _EACH_TIME, _TIRED, _SPEAKING, _WISHED, _IN_LANGUAGE))
