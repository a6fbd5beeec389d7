"""Secrets by the thing that has one, in Chinese: a network, a door, a lock, a screen, an account. No word for a secret
stands beside them, so the value must look like nothing else: no price, hour, year, count, product or machine.
"""

import re

from inference.pii.everyday_secrets_zh import phrase
from inference.pii.rules import Check, Rule
from inference.pii.secret_values import figured, network_key, no_amount, no_sum, symbolic, unspoken

CREDENTIAL = "CREDENTIAL"

_QUOTE = r"[ ]?['\"“‘「`]?"
_ANY = r"(?P<value>[A-Za-z0-9!@#$][!-~]{5,63})"
_HAN = r"\u3400-\u9fff"
_NETWORK = r"(?:wi-?fi|无线(?:网络?)?|热点|WLAN)"
_IS = (
    r"(?:(?:现在|已经|一直|还|仍然?|就|都|也|我|我们|他|她){0,2}(?:是|为|:)|(?:被?我|我们|他|她|已经|就|又|刚|都"
    r"|给){0,3}"
    r"(?:设|改|换|调|拨|定)(?:成|为|到|在)(?:了)?)"
)
_LOCK = (
    r"(?:(?:行李|旅行|拉杆|手提|皮|密码|钱|首饰)箱|保险[箱柜]|(?:储物|更衣|寄存|钥匙|快递|鞋|文件|档案)[柜盒箱]"
    r"|钥匙盒|密码盒|柜子|抽屉"
    r"|(?:儿童|家长|童|车|单车|自行车|电动车|行李|链|挂|转盘|号码|应用|屏幕|门|日记|智能)锁|锁屏|锁机|日记本"
    r"|撤防|布防)"
)
_DOOR = (
    r"(?:(?:大|侧|前|后|院|楼|铁|院子|单元|车库|小区|地库|地下室|校|店|库房|仓库)门|门禁|闸机|车库|车棚|仓库"
    r"|洗衣房|健身房|储藏室|地下室|库房"
    r"|垃圾房|自行车棚|单车棚|闸口|道闸|楼道|大堂|天台)"
)
_CODE = (
    r"(?P<value>[#*]?[0-9](?:[ -]?[0-9]){2,7}[#*]?|[零〇一二三四五六七八九幺两]{4,8}"
    r"|[A-Z]{1,2}[0-9]{2,6}[A-Z]?)(?![0-9A-Za-z%°]|[.,:/-][0-9])"
)
_STOP = r"(?=[ ]?(?:[,。.;!、”」)\n]|\Z|了|就|再|然后|加|跟|和|没|啊|哦|吧))"
_NUMERALS = re.compile("[零〇一二三四五六七八九幺两]{4,8}")


def _rule(
    name: str, pattern: str, needs: tuple[str, ...], check: Check, context: re.Pattern[str] | None = None,
    other: re.Pattern[str] | None = None,
) -> Rule:  # fmt: skip
    compiled = re.compile(pattern, re.IGNORECASE)
    return Rule(name, CREDENTIAL, compiled, 0.8, needs, check, context, context is not None, unless_after=other)


def _no_amount(value: str, near: bool) -> float | None:
    """Score a code in digits or in numerals that is no round sum, year or hour."""
    return 0.8 if _NUMERALS.fullmatch(value) else no_amount(value, near)


def _latin(value: str, near: bool) -> float | None:
    """Score Latin letters that a machine in a Chinese sentence is unlocked with: two words joined by a dot, too."""
    dotted = re.fullmatch(r"[A-Za-z]{4,20}[._-][A-Za-z]{5,20}", value)
    return 0.75 if dotted else unspoken(value, near)


def _no_sum(value: str, near: bool) -> float | None:
    """Score what a lock is set to: digits or numerals, no round sum, no year."""
    return 0.8 if _NUMERALS.fullmatch(value) else no_sum(value, near)


RULES: tuple[Rule, ...] = (
    # 家里wifi是xiaoyu0823, wifi被邻居蹭了，我改成zanghonghua3了; what it is called (叫) is its name.
    _rule(
        "network is zh",
        rf"{_NETWORK}(?!名)(?:[^。!?\n,]{{0,14}}?{_IS}|[^。!?\n]{{0,14}}?,[^。!?\n,]{{0,6}}?(?:设|改|换)(?:成|为)了?)"
        rf"{_QUOTE}{_ANY}",
        ("wi", "wlan", "无线", "热点"),
        network_key,
    ),
    _rule(
        "online with zh",
        rf"(?:上网|联网|连网|连wi-?fi|连无线|蹭网)[^。!?\n,]{{0,4}}?(?:用|输入?|填){_QUOTE}{_ANY}",
        ("网", "连"),
        network_key,
    ),
    _rule(
        "written on it zh",
        rf"(?:贴着|写着|印着|写的是|印的是|贴的是|贴了){_QUOTE}{_ANY}",
        ("贴", "写", "印"),
        network_key,
        re.compile(rf"路由|光猫|盒子|{_NETWORK}", re.IGNORECASE),
    ),
    # 行李箱还是419，跟以前一样; 孩子的iPad锁屏还是112233
    _rule("lock is zh", rf"{_LOCK}[^。!?\n,0-9]{{0,4}}?{_IS}[ ]?{_CODE}{_STOP}",
          ("箱", "柜", "盒", "锁", "抽屉", "日记"), _no_sum),
    _rule("lock and code zh", rf"{_LOCK}[,:][ ]?{_CODE}(?=[ ]?(?:就|便|才|能)|[,、]?(?:然后|再)|[ ]?[。!]?\Z)",
          ("箱", "柜", "盒", "锁", "抽屉"), _no_amount),
    # 洗衣房3390，车棚3391; 仓库，90210，然后拉把手
    _rule(
        "code of a room zh",
        rf"{_DOOR}(?:[,:][ ]?|[ ])?(?P<value>[#*]?[0-9]{{4,6}}[#*]?)(?![0-9A-Za-z%°]|[.,:/-][0-9])"
        rf"(?=[ ]?(?:[,。;!、)\n]|\Z|再|然后|加|和))",
        ("门", "闸", "库", "棚", "房", "室", "楼", "堂", "天台"),
        _no_amount,
    ),
    # 侧门要输4096才能进 is found by what is typed; here by what needs it.
    _rule(
        "door needs zh",
        rf"(?:{_DOOR}|{_LOCK})[^。!?\n,0-9]{{0,4}}?(?:要|得|需要|只要|认|吃|用){{1,2}}(?:输入?|按|拨|填"
        rf"|打)?[ ]?{_CODE}"
        r"(?=[ ]?(?:才|就|便|能|可以|打?开|进|解|[。!]?\Z))",
        ("要", "得", "认", "吃", "用"),
        _no_amount,
    ),
    # 爷爷的助听器要PIN码，他选了1944: chosen behind a word for a secret, so a year will do.
    _rule(
        "code chosen zh",
        r"(?:密码|口令|PIN码?|暗号)(?!学|管理|本)[^。!?\n]{0,12}?(?:选|挑|定|取|起|编|设|用|填|报)(?:了|的是?"
        r"|的还是)[ ]?"
        r"(?P<value>[#*]?[0-9](?:[ -]?[0-9]){3,7}[#*]?)(?![0-9A-Za-z%°年月日位个次天元块]|[.,:/-][0-9])"
        r"(?=[ ]?(?:[,。.;!、”」)\n]|\Z|这|那|当|做))",
        ("码", "口令", "pin", "暗号"),
        lambda value, near: 0.8,
    ),
    # 按7741再按确认就能撤防
    _rule(
        "pressed for opening zh",
        rf"(?:按|输入?|揿|拨)[ ]?{_CODE}[^。!?\n]{{0,10}}?(?:撤防|布防|解除|解锁|开锁|开门|开闸|消警|进门|进楼)",
        ("按", "输", "揿", "拨"),
        _no_amount,
    ),
    # 密码是狗的名字加77，就是doudou77; 支付密码改成了老房子门牌号，881206
    _rule(
        "worked out and written zh",
        rf"(?:密码|口令)[^。!?\n]{{0,20}}?(?:名字?|生日|门牌号?|车牌号?|拼音|电话|尾号|[后前][四六]位|纪念日"
        rf"|小区|母校|老家)[^。!?\n,]{{0,8}}[,:]"
        rf"(?:也)?(?:就是|即|是)?{_QUOTE}(?P<value>[A-Za-z]{{2,20}}[!-~]{{0,3}}[0-9]{{1,8}}"
        rf"|[0-9]{{4,8}})(?![0-9A-Za-z%°年月日])",
        ("密码", "口令"),
        lambda value, near: 0.8,
    ),
    # 访客登录，口令开门大吉
    _rule(
        "word beside zh",
        rf"(?:登录|登陆|进群|入群|验证|开门|进门|接孩子|会议|直播)[^。!?\n]{{0,8}}[,:](?:口令"
        rf"|暗号)[“「]?(?P<value>[{_HAN}]{{3,8}})[”」]?"
        r"(?=[ ]?(?:[,。;!\n]|\Z))",
        ("口令", "暗号"),
        phrase,
    ),
    # 我所有网站都用Chunjie!9这一个
    _rule(
        "used everywhere zh",
        rf"(?:所有|全部|每个|各个?|哪儿|哪里|到处|什么)(?:的)?[{_HAN}A-Za-z]{{0,6}}?(?:都|全|也)(?:是)?(?:用|填"
        rf"|设|写)(?:的|成|同一个|这个)?"
        rf"{_QUOTE}{_ANY}",
        ("都", "全", "也"),
        symbolic,
    ),
    # 笔记本醒来要输..., 电视登录用...
    _rule(
        "machine wants zh",
        r"(?:笔记本|电脑|手机|平板|路由器|打印机|主机|保险[箱柜]|Mac|iPad)[^。!?\n,]{0,6}?(?:醒|开|解|登"
        r"|锁)[^。!?\n,]{0,4}?(?:输入?|用|填|敲)(?:的是)?"
        rf"{_QUOTE}{_ANY}",
        ("输", "用", "填", "敲"),
        _latin,
    ),
    # 用6617进门, 进楼用5591B, 停车场出口输4417抬杆
    _rule(
        "goes in with zh",
        rf"(?:用|拿|输入?|按)[ ]?{_CODE}(?:就|才|便)?(?:能|可以)?(?:进(?:门|来|去|楼|院|小区)|开门|上楼|抬杆"
        rf"|出门|过闸|入场)",
        ("用", "拿", "输", "按"),
        _no_amount,
    ),
    _rule(
        "to go in zh",
        rf"(?:进|开|出|上)(?:楼|门|院子?|小区|单元|库|校|园区?|场|大堂)[^。!?\n,0-9]{{0,2}}?(?:用|按|输入?|拨"
        rf"|要)[ ]?{_CODE}{_STOP}",
        ("用", "按", "输", "拨", "要"),
        _no_amount,
    ),
    # 柜子8264, 车棚的锁3391, 后备箱有把锁，586
    _rule("lock beside zh", rf"(?:{_LOCK}|锁)[ ]?(?P<value>[#*]?[0-9]{{4,6}}[#*]?)(?![0-9A-Za-z%°]|[.,:/-][0-9])"
          r"(?=[ ]?(?:[,。;!\n]|\Z))", ("锁", "箱", "柜", "盒", "抽屉"), _no_amount),
    _rule("lock, and its code zh", rf"(?:锁|锁屏[^。!?\n,]{{0,8}}),[ ]?{_CODE}(?=[ ]?(?:[。!\n]|\Z|,?(?:然后"
        rf"|再)))", ("锁",),
          _no_sum),
    _rule(
        "its owner's code zh",
        rf"(?:她|他|我|你|您|我们|爸|妈|弟|姐|哥|妹|老公|老婆)的是[ ]?{_CODE}{_STOP}",
        ("的是",),
        _no_amount,
        re.compile("码|锁|柜|门禁|口令"),
    ),
    # 以前是1212，现在是8391
    _rule(
        "code by now zh",
        rf"(?<=[0-9#*])[,;]?(?:但|不过|后来)?(?:现在|后来|如今|最近)(?:是|改成|换成|改为|变成"
        rf"|用){{1,2}}[ ]?{_CODE}{_STOP}",
        ("现在", "后来", "如今", "最近"),
        lambda value, near: 0.8,
        re.compile("密码|口令|锁|门禁|PIN", re.IGNORECASE),
    ),
    _rule(
        "password as before zh",
        rf"(?:密码|口令)(?:还是|仍是|也是)?(?:老样子|一样|照旧|没变|没换|不变|老的那个|原来那个)[,:](?:还"
        rf"|就)?是?{_QUOTE}{_ANY}",
        ("密码", "口令"),
        figured,
    ),
    # 保安会问口令，说金盏花就行
    _rule(
        "asked for a word zh",
        rf"(?:问|要|说)[^。!?\n,]{{0,4}}(?:口令|暗号|密码)[^。!?\n,]{{0,4}},(?:你|您|就|直接|要|得){{0,2}}(?:说"
        rf"|答|回答?|报)[“「\"]?"
        rf"(?P<value>[{_HAN}]{{2,8}}?)[”」\"]?(?=就行|就好|即可|就可以|就成|[。!\n]|\Z)",
        ("口令", "暗号", "密码"),
        lambda value, near: 0.75,
    ),
)
