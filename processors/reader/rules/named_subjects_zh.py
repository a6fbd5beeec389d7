"""A Chinese clause that opens with somebody by name, or by what they are, and has no pronoun: 小雅七岁, 患者62岁."""

from __future__ import annotations

import re

_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱林何郭马罗梁宋郑谢韩唐冯董萧曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛阎潘杜戴夏"
    "汪田姜范谭廖邹陆郝崔邱秦侯孟钱尹黎武乔贺赖龚"
)
_NO_NAME = (
    r"(?:马[上路]|曾[经在住是]|夏[天季令]|黄[石山冈金河昏]|唐山|沈阳|苏[州北南]|孟买|陆[续地]|杜绝|戴着|贺州|武[汉昌]"
    r"|秦皇|邹城|田间|范围|董事|林[场业地]|丁克|胡同|何[时处地况]|罗[湖马]|谢谢|许[多久]|钱[都是]"
    r"|周[末一二三四五六日天]|吴江|徐[州汇]|郑州|杨浦|朱家|潘家|乔迁)"
)
_BY_NAME = (
    r"[小老][^时学区城镇本的说心型量组朋师板公婆家乡是了早年实百在住一二三四五六七八九十][\u4e00-\u9fff]?"
    r"|阿[^拉根尔富姆联][\u4e00-\u9fff]?"
    r"|(?![刚常渐天年人偏仅往明偷慢早好整足将满实])(?P<twice>[\u4e00-\u9fff])(?P=twice)"
    rf"|(?!{_NO_NAME})[{_SURNAMES}](?:[\u4e00-\u9fff]{{1,2}}?"
    r"|[\u4e00-\u9fff]{0,2}(?:先生|女士|小姐|总|工|教授|医生|老师|经理))"
    r"|(?!Base|BASE)[A-Z][a-z]{1,14}(?: [A-Z][a-z]{1,14})?\s?"
)
_PLAIN = r"(?:(?![是做当任在作身为我跟和])[\u4e00-\u9fff])"
_BY_ROLE = (
    rf"{_PLAIN}{{1,4}}者(?<!或者)(?<!再者)|{_PLAIN}{{0,2}}[请选事责系病客]人|[房租乘访旅]客|[对男女甲乙]方"
    rf"|{_PLAIN}{{1,6}}(?:总监|同事|经理|主任|室友|同学|邻居|房东)"
)
_ADVERBS = r"(?:今年|现年|现在|目前|已经|刚满|快|才|也|都|就|一直){0,2}"
_SAID_OF_THEM = (
    r"(?:(?:\d{1,3}|[一二两三四五六七八九十]{1,3})(?:个月|多?周?岁)|是(?![不我])|住在|现居|来自|叫"
    r"|在[^，]{1,12}(?:工作|上班|任职|上学|读书|念书|做|当)|(?:做|当|担任|从事)(?!了)"
    r"|有[\u4e00-\u9fff]{1,5}[病症史压]|对[^，]{1,9}敏)"
)
_NAMED = re.compile(rf"(?:{_BY_NAME}|{_BY_ROLE})(?:[A-Za-z]?\d{{1,6}}号?)?(?={_ADVERBS}{_SAID_OF_THEM})")


_WHOLLY = re.compile(rf"(?:{_BY_NAME}|{_BY_ROLE})(?:[A-Za-z]?\d{{1,6}}号?)?")


def is_name(text: str) -> bool:
    """Is all of this a name of somebody, or what somebody is?"""
    return _WHOLLY.fullmatch(text) is not None


def named(clause: str) -> bool:
    """Does a clause without a pronoun tell of somebody who is not its speaker?"""
    return _NAMED.match(clause) is not None
