"""A Chinese sentence or clause without what chat leaves in it; the counterpart of `tidied_en`."""

from __future__ import annotations

import re

from processors.reader.rules.clauses_zh import KIN, WRITER

_ADDRESSED = re.compile(
    r"^\s*(?:[Rr][Ee]\s{1,3}[A-Z][a-z]{0,12}\s?(?=[\u4e00-\u9fff])|@[\w\u4e00-\u9fff-]{1,20}[:：\s]\s*)"
)
_RESIDUE = re.compile(
    r"(?:https?|www)[!-~]*|#\d{4,}|[（(](?:逃|笑|哭|雾|大雾|划掉|狗头|捂脸|不是)?[)）]|[\^√♂♀]+|[（(][^（()）\u4e00-\u9fffA-SU-Za-z\d，。：:]{2,14}[)）]|[（(]T[_＿﹏]T[)）]|@[\w\u4e00-\u9fff-]{1,20}|2333+|[QT]_?[QT](?![A-Za-z])|(?<![A-Za-z])hh(?![A-Za-z])"
)
_MARKS = re.compile(r"…+|\.{2,}|。{2,}|·{2,}|[!！?？]+$")
_OPENING = re.compile(
    r"(?:(?:(?:冷静|弱弱|认真|小声|诚心|理性|匿名|深夜|紧急|真诚)?(?:发问|求问|提问|一问|求助|吐槽|讨论|如题|求建议)(?=[：:，,、\s])[：:\s]?|嗯+|恩+|哦+|噢|啊+|唉+|哎+|诶|欸|额+|呃|哇塞|哇+|嗨|喂|好吧|好啊|好呀|好的|好(?![得了多几久])|是的|是啊|对了|对的|对(?:啊|(?=[，,、\s]))|没错|(?:没有|有|没|不是|会|不会|能|可以)(?=[，,])|早上好|早安|晚安"
    r"|[上中下]午好|晚上好|谢谢(?:[你您啦了]|大家|各位|师傅|老师|医生|大夫)?|感谢|多谢|你好|您好|哈喽|在吗|在么|话说|说来话不?长|说实话|老实说|其实|反正|总之|而且|并且|然后|然而|所以|因此"
    r"|于是|但是?|不过|可是|只是|就是|而(?=[我俺咱])|可(?=[我俺](?:是|有|没|不|还|也|在))|且|另外|还有|虽然|因为|至于|毕竟|(?:比如|例如)说?(?=我)|那个(?=[，,])|那么|那(?=[，,、\s我你您咱就也还]|[\u4e00-\u9fff]{1,2}我)|救命|呜|(?:泪|睡觉|抓狂|吃惊|偷笑|可怜|鼓掌|爱心|太开心|晕|汗|怒|衰)+(?=我)|天[啊哪]|我去(?=[，,！!\s])|我天(?=[，,！!\s])"
    r"|真的|同(?=[，,])|蹲|顶|(?:还有)?[个件]事[儿情]?(?=[，,])|(?:[大小]?[姐哥]|叔叔?|阿?姨|老板|老师|师傅|医生|大夫|教练|亲)(?=我|[，,\s][^，]{0,6}我))(?=[，,、\s]|[\u4e00-\u9fff])[，,、\s]*)+"
)
_PARTICLES = "啊呀哦噢呢吧嘛啦哈哎唉诶欸呗咯喽哇耶额㗎啰喎"
_OPENS, _CLOSES = re.compile(r"[（(]"), re.compile(r"(?<![\da-zA-Z])[）)]")
_PAREN = re.compile(r"^[（(]|[)）]$")
_WRITER = re.compile(
    rf"{WRITER}(?:自己|本人)?\s?(?:(?P<is>[男女]生?(?=[，,\s]|$))|[，,\s]+(?:我的?)?(?P<theirs>{KIN}))?"
)
_OWN_SHOWN = re.compile(
    rf"(?P<whose>(?:我们?|咱们?|俺)(?:{KIN})?)[这那](?![边里儿会时么样种些次回天年周月几两一二三段阵下辈人就是都也不还没有太真叫算可话]"
    r"|才|学期|方面|点|个[人月]?(?:，|$|人|月))(?:[个台辆家套间只批帮份张部双支棵头匹栋](?=[\u4e00-\u9fffA-Za-z]))?(?=[\u4e00-\u9fffA-Za-z])"
)
"""What the speaker has needs no pointing at: 我这车."""
_OWN_SIDE = re.compile(r"(?P<whose>我们?|咱们?|俺)[这那][边里儿](?=[\u4e00-\u9fffA-Za-z])(?![是有也都就还没不])")
_AS_FOR = re.compile(r"[这那](?<=[\u4e00-\u9fff]{3})(?<![去到来在从给是有，][这那])一?块儿?(?=$|，)")
"""A field of work is named before it: 我管售后这块."""
_TAKEN = re.compile(r"(?P<taken>[吃用服]的药)(?=[\u4e00-\u9fff]{2,8}[片丸液素药](?:$|，))(?![是都也有还没不])")
"""People leave out the verb: 现在吃的药护心片."""
_OWN_PAUSE = re.compile(r"^([我俺咱]们?)(?:[啊呀呢嘛]，?|，(?=[^，]))(?!啊|一[个名位])")


def _self_named(match: re.Match[str]) -> str:
    """The writer's name for themselves as the first person."""
    if match["theirs"]:
        return f"我的{match['theirs']}"
    return f"我是{match['is'][0]}生" if match["is"] else "我"


def tidy(statement: str) -> str:
    """Return a sentence or clause without what chat leaves in it: whom it answers, faces, dots, particles; and without
    pointing at what is the speaker's."""
    text = _OWN_SIDE.sub(r"\g<whose>", _OWN_SHOWN.sub(r"\g<whose>的", _ADDRESSED.sub("", statement)))
    text = _MARKS.sub("，", _RESIDUE.sub(" ", text))
    text = _WRITER.sub(_self_named, text)
    text = re.sub(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff]|(?:npy|bf|gf|[dl]z)(?![A-Za-z]))", "，", text)
    text = re.sub(r"\s*[，,]+[\s，,]*", "，", text).strip(" ，,、；;。：:")
    text = re.sub(r"(?<![酒网贴书水氧])吧(?=，)|(?<=[\u4e00-\u9fff])[啊呀哈嘛啦诶欸喔咯喽](?=，)", "", text)
    text = _TAKEN.sub(r"\g<taken>是", _OWN_PAUSE.sub(r"\1", _AS_FOR.sub("", text)))
    return _without_ending(_PAREN.sub("", text)).strip(" ，,、")


def _without_ending(text: str) -> str:
    """A text without the particles at its end, and each 了 among them; that of 不了 is part of a verb."""
    if not text.endswith(tuple(_PARTICLES)):
        return text
    end = len(text)
    while end and (text[end - 1] in _PARTICLES or (text[end - 1] == "了" and text[end - 2 : end - 1] != "不")):
        end -= 1
    return text[:end]


def without_open_brackets(text: str) -> str:
    """Return a statement up to a bracket whose other half is not in it; a number's own ("1）") is none."""
    if len(_OPENS.findall(text)) == len(_CLOSES.findall(text)):
        return text
    cut = min((m.start() for m in (_OPENS.search(text), _CLOSES.search(text)) if m is not None), default=len(text))
    return text[:cut].rstrip(" ，,、") or text


def opened(text: str) -> str:
    """Return a clause without the interjections and connectives before it."""
    match = _OPENING.match(text)
    rest = text[match.end() :] if match else text
    return rest if len(rest) > 3 else text
