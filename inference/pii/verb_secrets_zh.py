"""Secrets by the verb that gives them, in Chinese: what a password was changed to, what is filled in for a key, what
is pressed at a door, what stands on the back of a card.
"""

import re

from inference.pii.prose_secrets import KEY_ZH, SOMETHING_ELSE
from inference.pii.rules import Check, Rule
from inference.pii.secret_values import capital, code, figured, no_time, word

CREDENTIAL = "CREDENTIAL"

_QUOTE = r"['\"“‘「`]?"
_ANY = r"(?P<value>[!-~]{6,64})"
_HAN = r"\u3400-\u9fff"
_NOUN = r"(?:密码|口令)"
# 密码学, 密码管理器, 密码框: what is named after a password.
_ITSELF = r"(?!学|管理|本|框|策略|子|机|强度|规则|长度|位数|提示|字段)"
_END = r"(?=就|才|便|即|了|[ ]?(?:[,。.;!、”」)\n]|\Z))"
_NEEDS = ("码", "口令", "钥", "匙", "令牌", "凭", "key", "token", "secret")
_NUMERAL = "[零〇一二三四五六七八九幺两]"
_FIGURES = rf"(?P<value>[#*]?[0-9](?:[ -]?[0-9]){{3,7}}[#*]?|{_NUMERAL}{{4,8}})(?![0-9A-Za-z%]|[.,:/-][0-9]|{_NUMERAL})"
_STOP = r"(?=[ ]?(?:[,。.;!、”」)\n]|\Z|再|然后|加|就|都|和))"
_OF_CODES = re.compile("码|锁|按|输|门禁|撤防")


def _rule(
    name: str, pattern: str, needs: tuple[str, ...], check: Check, other: re.Pattern[str] | None = SOMETHING_ELSE,
    context: re.Pattern[str] | None = None,
) -> Rule:  # fmt: skip
    compiled = re.compile(pattern, re.IGNORECASE)
    return Rule(name, CREDENTIAL, compiled, 0.8, needs, check, context, context is not None, unless_after=other)


def _numerals(value: str, near: bool) -> float | None:
    """Score a code in digits or in numerals, no hour of the day."""
    return no_time(value, near) if re.search("[0-9]", value) else 0.85


RULES: tuple[Rule, ...] = (
    # 共享邮箱的密码昨晚改成fernweh2Kiosk了
    _rule(
        "secret changed to zh",
        rf"(?:{_NOUN}{_ITSELF}|{KEY_ZH})[^。!?\n]{{0,16}}?(?:改|换|变|设|重置|更新|轮换)(?:成|为|到|做)了?[ ]?"
        rf"{_QUOTE}{_ANY}",
        _NEEDS,
        figured,
    ),
    # VPN的预共享密钥填PuffinSaddle62
    _rule(
        "secret given to zh",
        rf"(?:{_NOUN}{_ITSELF}|{KEY_ZH})(?![ _-]?id)(?:[^。!?\n]{{0,12}}?,)?(?:就|要|请|先|直接|你|您|给它){{0,3}}"
        rf"(?:填|输入?|写|贴|粘贴|敲|给)(?:的是|上|进去|成|:)?[ ]?{_QUOTE}{_ANY}",
        _NEEDS,
        figured,
    ),
    # 我用root加Sardine-Opal-4登上去了
    _rule(
        "login of somebody zh",
        rf"(?:用|拿|以)[ ]?[A-Za-z][\w.@-]{{1,30}}[ ]?(?:加上?|和|跟|配|/|,)[ ]?{_QUOTE}(?P<value>[!-~]{{6,64}}?)[ ]?"
        rf"['\"”」]?[{_HAN}]{{0,4}}?(?:登|进|连)",
        ("登", "进", "连"),
        capital,
    ),
    # 自行车锁是6039
    _rule(
        "lock is zh",
        r"(?:自行车|单车|电动车|行李箱|旅行箱|拉杆箱|箱子|柜子|储物柜|更衣柜|挂|密码|链|转盘|抽屉|仓库|院门|后门)锁"
        r"(?:的?(?:是|为|:)|设的?(?:是)?|我设的是)[ ]?(?P<value>[0-9](?:[ -]?[0-9]){2,7})(?![0-9A-Za-z%]|[.,:/-][0-9])"
        r"(?=[ ]?(?:[,。.;!、”」)\n]|\Z))",
        ("锁",),
        code,
        None,
    ),
    # 信用卡背面三位数614
    _rule(
        "figures on the back zh",
        r"(?:卡|信用卡|visa)[^。!?\n]{0,3}?(?:背面|后面|反面|背后)[^。!?\n]{0,4}?(?:[三3四4]位)?(?:数字?|码|号)?"
        r"(?:是|为|写的是|:)?[ ]?(?P<value>[0-9]{3,4})(?![0-9A-Za-z%年月日]|[.,:/-][0-9])"
        r"(?=[ ]?(?:[,。.;!?、”」)\n]|\Z|[啊哦吧呢]))",
        ("背", "后面", "反面"),
        code,
        None,
    ),
    # 取件码3-2-4417
    _rule(
        "code of a parcel zh",
        r"(?:取件|取货|提货|取餐柜|开柜)码(?:就?是|为|:)?[ ]?(?P<value>[0-9A-Z](?:-?[0-9A-Z]){3,11})(?![0-9A-Za-z])",
        ("码",),
        code,
        None,
    ),
    # 电脑开机输moonraker就行
    _rule(
        "typed to start zh",
        r"(?:开机|锁屏|解锁|开屏|登录|登陆)[^。!?\n,]{0,6}?(?:输入?|敲|打|填)(?:的是|个)?[ ]?"
        rf"{_QUOTE}(?!(?:username|users?|e-?mail|account|continue|login|start|enter|admin|reboot)"
        r"(?![A-Za-z0-9_-]))"
        rf"(?P<value>[A-Za-z][A-Za-z0-9_-]{{4,40}}){_END}",
        ("输", "敲", "打", "填"),
        word,
        None,
    ),
    # 跟阿姨说警报器是2885再按井号, 车库键盘二七七一
    _rule(
        "door is zh",
        r"(?:警报器?|报警器|门禁|密码锁|(?:车库|大门|门口|门禁|后门)的?键盘|闸机|单元门|保险[柜箱])"
        rf"(?:的?(?:是|为|:)|[ ])?{_FIGURES}{_STOP}",
        ("警报", "报警", "门禁", "锁", "键盘", "闸", "单元门", "保险"),
        _numerals,
        None,
    ),
    # 大门的是6120，车库的是6121，都是密码
    _rule(
        "of the door zh",
        r"(?:大门|车库|后门|侧门|前门|院门|楼下|楼门|仓库|柜子|信箱|抽屉|箱子)(?:的|那个?|那道?)?(?:还|也|就)?(?:是|为|:)"
        rf"{_FIGURES}{_STOP}",
        ("门", "库", "柜", "箱", "楼下", "抽屉"),
        _numerals,
        None,
        _OF_CODES,
    ),
    # 按7728能从后门进
    _rule(
        "pressed to get in zh",
        rf"(?:按|揿|输入?)[ ]?{_FIGURES}(?:就|便|才)?(?:能|可以)?(?:从[^。!?\n,]{{1,6}})?"
        r"(?:进(?!管理|页|后台|网|系统|下一|入下|行)|开门|开锁|上楼|出门|过闸|开)",
        ("按", "揿", "输"),
        _numerals,
        None,
    ),
)
