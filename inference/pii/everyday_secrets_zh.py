"""Secrets of every day as people say them in Chinese, Traditional and Cantonese too (`rules.fold_width` writes their
characters as the simplified ones): a code in figures or numerals, a word, what it can be worked out from.
"""

import re

from inference.pii.rules import Check, Rule
from inference.pii.secret_values import is_named

CREDENTIAL = "CREDENTIAL"

_NUMERAL = "[零〇一二三四五六七八九幺两]"
_HAN = r"\u3400-\u9fff"
_KEPT_ZH = (
    r"(?:密码(?!框|管理|学|策略|强度)锁?|口令|暗号|通行码|门禁码|开门码|安全码|验证码|校验码|动态码|提取码"
    r"|激活码|恢复码|备用码|取回码"
    r"|解锁码|登录码"
    r"|支付码|(?:开门|门禁|大门|楼门|单元门|门|车库|保险柜|保险箱"
    r"|夹万|储物柜|信箱"
    r"|闸机?|警报|报警器"
    r"|密码锁)(?:的|那?个)?码)"
)
_KEPT = rf"(?:{_KEPT_ZH}|(?<![A-Za-z])(?:PUK|PIN|CVV2?|CVC2?)(?![A-Za-z])码?)"
# 流量密码, 财富密码: the way to success.
_NO_RECIPE = (
    "(?<!流量)(?<!财富)(?<!致富)(?<!成功)(?<!幸福)(?<!人生)"
    "(?<!基因)(?<!生命)(?<!长寿)(?<!健康)(?<!摩斯)(?<!游戏里的)"
)
_LOCKED = r"(?:键盘|门|闸|锁|保险[柜箱]|夹万|柜|信箱|警报|报警|防盗|屏幕|手机|平板)"
_IS = (
    r"(?:(?:现在|已经|一直|还|仍然?|依然|就|都|仲|又|统一|已|刚|我|我们|他|她)){0,3}"
    r"(?:是|为|成|叫|:|=|设[为成]|设置[为成]|改[为成]|换[为成]|改做|[改换]到)(?:了|做)?(?:[ ]|:|“|「|\"|‘|'|了){0,2}"
)
_IS = rf"(?:{_IS}|(?:我|我们|咱|他|她)?(?:设|改|用|填|写|定)的(?:是)?)"
_TYPED = (
    r"(?:的话)?,?(?:你|您|就|再|要|先|直接|只要|可以|之后|然后){0,3}(?:按|输入?|填|敲|打|拨|揿|入|写|用)(?:返"
    r"|个|了|的是)?[ “「\"]?"
)
_NOT_COUNTED = (
    r"(?![0-9A-Za-z%°/:]|[.,][0-9]|[ ]?(?:位|年|月|日|号楼|天|个|条|次|人|名|分|秒|元|块|蚊|度|岁|字|种|类|届|级|步"
    r"|组|页|章|版"
    r"|点|路|米|斤|克|毫|公|万|千|百|多|几|以上|以内|以下))"
)
CODE = (
    rf"(?P<value>{_NUMERAL}{{3,20}}|[#*]?[0-9]{{1,10}}(?:[ -][0-9]{{1,10}}){{0,9}}[#*]?"
    rf"|(?=[A-Za-z]{{0,8}}[0-9])[A-Za-z0-9][A-Za-z0-9#*-]{{2,20}}){_NOT_COUNTED}"
)
_END = r"(?=[ ]?(?:[,。.;!?、:”」\"'’)\n]|\Z))"
# Not "?": what a question mark ends was no answer.
_END_OF_WORD = r"(?=的(?:全拼|拼音|小写|大写|首字母|缩写)|了?(?:[ ]?(?:[,。.;!、”」\"'’)\n(]|\Z)))"
_PHRASE = rf"(?P<value>[{_HAN}][{_HAN}A-Za-z0-9]{{1,15}}?)"
_NEXT = rf"[”」\"'’]?[ \n]{{0,2}}(?:[{_HAN}A-Za-z]{{1,6}}:)?[“「\"]?"

_HASHING = re.compile(r"(?:bcrypt|scrypt|argon|pbkdf|sha-?[0-9]|md5|OAuth)", re.IGNORECASE)
_FIGURE = re.compile(f"[0-9]|{_NUMERAL}")
_LEAST_FIGURES = 3
_SIZE = re.compile(r"[0-9]{1,5}[x*][0-9]{1,5}")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}|[一二][九零〇][零〇一二三四五六七八九]{2}")
_DESCRIBES = (
    re.compile("生日|出生|纪念日|门牌|车牌|尾号|后[四六]位|前[四六]位|全拼|拼音|首字母|倒过来|倒序|反过来"
    "|谐音|名字")
)
# What is said about a password, or asked: no value has these.
_ABOUT = re.compile(
    "什么|多少|几|哪|谁|怎|啥|吗|呢|嘛|乜|咩|点解|边|错|对|不|没|冇|唔|未|别|忘|记|正确|必填|必须|一样|相同|同一"
    "|随机|自动|系统"
    "|默认|统一|明文|加密|复杂|简单|安全|太|很|好|最|更|有|需要|应该|可以|能|会|想|由|被|把|给|用来|为了|因为|数字"
    "|字母|符号|位|重要"
    "|问题|关键|核心|基础|隐私|机密|秘密|个人|账[号户]|账号|用户|大家|所有|每|这|那|一个|一种|一道|一门|之一|的|了"
    "|昨|今天|明天|去年|今年|上周|下周|刚|以后|之后|待会|等|重置|好的"
    "|过期|无效|失效"
    "|泄露|破解|登录|登入|验证|保护|设|改|换|发|问|说|知道|专用|共用|公用|临时|空|他|她|您|你"
)
_DENIED = re.compile("[不未别会想]")
_ABOUT_A_DESCRIPTION = re.compile("什么|多少|几|哪|谁|怎|啥|吗|呢|不|没|冇|唔|别|必须|需要|应该|可以|或|包含|太|很")


def _code(value: str, near: bool) -> float | None:
    """Score a code: three figures or more, as digits or numerals."""
    return 0.85 if len(_FIGURE.findall(value)) >= _LEAST_FIGURES and not is_named(value) else None


def _long_code(value: str, near: bool) -> float | None:
    """Score a code that stands further from its word: four figures or more, and no year."""
    other = _YEAR.fullmatch(value) or _SIZE.fullmatch(value)
    return None if other or len(_FIGURE.findall(value)) <= _LEAST_FIGURES else 0.85


def phrase(value: str, near: bool) -> float | None:
    """Score Chinese words that are given as a password: what it can be worked out from, or nothing said about one."""
    if _DESCRIBES.search(value):
        return None if _ABOUT_A_DESCRIPTION.search(value) else 0.8
    if re.search("[0-9]{2,8}$", value) and len(value) > 6:
        value = _DENIED.sub("", value)  # 春眠不觉晓2024: a line of verse and its figures deny nothing
    return None if _ABOUT.search(value) else 0.75


def _marked(value: str, near: bool) -> float | None:
    """Score what no Latin word looks like: letters with a figure, a mark or a capital within."""
    within = re.search(r"[^A-Za-z.,'-]|[a-z][A-Z]", value)
    if _HASHING.match(value) or "://" in value:
        return None
    return 0.8 if within and re.search(r"[A-Za-z]", value) else None


def _rule(
    name: str, pattern: str, needs: tuple[str, ...], check: Check = _code, entity: str = CREDENTIAL
) -> Rule:
    return Rule(name, entity, re.compile(pattern, re.IGNORECASE), 0.85, needs=needs, check=check)


_NEEDS = ("码", "口令", "暗号", "pin", "puk", "cvv", "cvc")

RULES: tuple[Rule, ...] = (
    # 储物柜的密码是三七零五, 安全码是392, 密码锁1-9-5
    _rule("code said zh", rf"(?<!《){_KEPT}(?:,?{_IS}|[ ]?[,“「\"]?){CODE}", _NEEDS),
    # 密码星期一从3380改成6127了
    _rule("code changed from zh", rf"{_KEPT}[^。!?\n]{{0,12}}?(?:从|由){CODE}", _NEEDS),
    _rule("code changed to zh", rf"{_KEPT}[^。!?\n]{{0,24}}?(?:改|换|变|设)(?:成|为|到|做){CODE}", _NEEDS),
    _rule(
        "code further on zh",
        rf"{_KEPT_ZH}[^。!?\n]{{0,12}}?(?<!别用)(?<!不要用)(?<!别设成)(?<![第约花卖有前共满近超达号年月在至到过收点\-0-9零〇一二三四五六七八九幺两]){CODE}{_END}",
        _NEEDS,
        _long_code,
    ),
    # 密码按0773再按确认, 密码的话就填sesame44
    _rule("code typed zh", rf"{_KEPT}{_TYPED}{CODE}", _NEEDS),
    _rule("password typed zh",
          rf"(?:密码(?!管理|学|本|框|策略|机)|口令)[^。!?\n]{{0,12}}?(?<!别)(?<!不)(?<!不要)(?<!不能){_TYPED}"
          r"(?P<value>[!-~]{4,64})", _NEEDS, _marked),
    # 车库门按0773, 解除警报要按六六一四
    _rule(
        "lock typed zh",
        rf"{_LOCKED}[^。!?\n,]{{0,10}}?(?:按|输入?|揿|入)[ “「\"]?{CODE}",
        ("按", "输", "揿", "入"),
    ),
    _rule("lock opened with zh", rf"{_LOCKED}[^。!?\n,]{{0,8}}?(?:用|拿)[ “「\"]?{CODE}(?=就?(?:解除|解锁|开锁"
        rf"|打?开|进"
    "|能开))", ("用", "拿")),
    _rule(
        "is a code zh",
        rf"(?<![0-9A-Za-z]){CODE}[ ]?(?:就?是|为|当|做)(?:(?:我们?|咱们?|你|您|他|她|本次|这次"
        rf"|新)(?:的)?)?[{_HAN}]{{0,4}}?{_KEPT}",
        _NEEDS,
    ),
    _rule("unlocked by zh", rf"解锁(?:图案)?(?:{_IS}|用|[ ]){CODE}", ("解锁",)),
    # 网银口令我记你这儿啊：Lanhua#2077, Wi-Fi贴门后头了：maizi&2210
    _rule(
        "after a colon zh",
        rf"(?:{_KEPT}|wi-?fi|无线网?)[^。!?\n:]{{0,14}}:[ ]?[“「\"]?(?P<value>[!-~]{{4,64}})",
        (*_NEEDS, "wi", "无线"),
        _marked,
    ),
    _rule(
        "written on it zh",
        r"(?:密码|口令)[^。!?\n]{0,10}(?:一串|写着|印着|是串)[ ]?(?P<value>(?=[A-Za-z ]{0,20}[0-9])[A-Za-z0-9]{2,20}"
        r"(?:[ ][A-Za-z0-9]{1,20}){0,6})",
        ("密码", "口令"),
        _marked,
    ),
    _rule(
        "hash key zh",
        r"(?<![0-9])(?P<value>(?:井号|星号)[ ]?[0-9]{3,10}(?:[ ]?(?:井号|星号))?|[0-9]{3,10}[ ]?(?:井号|星号))",
        ("井号", "星号"),
    ),
    # A question and its answer; a sentence and the one behind it.
    _rule(
        "code answered zh",
        rf"{_KEPT}[^?。\n]{{0,20}}(?:\?{_NEXT}|[。\n]{_NEXT}(?=[是为]))"
        rf"(?:好像|应该|我?记得|就|还|有|嗯|对)?,?(?:是|为|用)?[ ]?{CODE}{_END}",
        _NEEDS,
    ),
    _rule(
        "password in the next sentence zh",
        rf"(?:密码|口令)[^。!?\n]{{0,20}}[。!?]{_NEXT}(?:好像|应该|我?记得|就"
        rf"|还){{0,2}}是[ ]?(?P<value>[!-~]{{5,64}})",
        _NEEDS,
        _marked,
    ),
    # 家里wifi密码是小熊爱吃糖, 支付密码我改成我妈生日倒过来了
    _rule("password in words zh", rf"{_NO_RECIPE}{_KEPT}{_IS}{_PHRASE}{_END_OF_WORD}", _NEEDS, phrase),
    _rule(
        "password answered in words zh",
        rf"(?:密码|口令|暗号)[^?。\n]{{0,12}}(?:多少|什么|啥|乜|咩)[^?。\n]{{0,8}}\?{_NEXT}(?:好像|应该"
        rf"|就)?是?{_PHRASE}{_END_OF_WORD}",
        _NEEDS,
        phrase,
    ),
    _rule(
        "password as before zh",
        rf"(?:密码|口令)(?:还是|仍是|照旧|依旧|跟以前|和以前|同以前)?(?:老样子|一样|照旧|没变"
        rf"|那个)[,:](?:就|还|仍)?是?{_PHRASE}{_END_OF_WORD}",
        _NEEDS,
        phrase,
    ),
    _rule(
        "password worked out zh",
        rf"(?:密码|口令)[^。!?\n,]{{0,10}}[,:](?P<value>[{_HAN}]{{2,12}}(?:拼音|全拼|生日"
        rf"|首字母)[{_HAN}0-9]{{0,8}}?){_END_OF_WORD}",
        ("密码", "口令"),
        phrase,
    ),
    _rule(
        "security answer zh",
        rf"(?:密保|安全|保密)(?:问题)?(?:的)?答案(?:{_IS}){_PHRASE}{_END_OF_WORD}",
        ("答案",),
        phrase,
    ),
    _rule(
        "security question zh",
        rf"密保[^。!?\n]{{0,20}}答案(?:{_IS}){_PHRASE}{_END_OF_WORD}",
        ("密保",),
        phrase,
    ),
    _rule(
        "turned zh",
        rf"(?:密码|{_LOCKED})[^。!?\n]{{0,12}}?(?P<value>[左右]{{1,6}}(?:{_NUMERAL}|[0-9]){{2,8}}|(?:向|往)?(?:左|右"
        rf"|顺|逆)[^。!?;\n,]{{0,10}}(?:[0-9]|{_NUMERAL})"
        rf"[^。!?;\n,]{{0,6}}(?:[,、]?(?:再|然后|最后|接着)?(?:向|往)?(?:左|右|顺|逆)[^。!?;\n,]{{0,10}}(?:[0-9]"
        rf"|{_NUMERAL})[^。!?;\n,]{{0,6}}){{1,4}})",
        ("左", "右", "顺", "逆"),
    ),
    _rule(
        "short code zh",
        rf"(?:提取码|验证码|激活码)(?:{_IS}|[ ]?)(?P<value>(?=[A-Za-z]{{0,7}}[0-9])[A-Za-z0-9]{{4,8}}){_NOT_COUNTED}",
        ("码",),
        lambda value, near: 0.85,
    ),
    _rule(
        "recovery words zh",
        rf"(?:助记词|恢复词|恢复短语)[^:\n]{{0,12}}[:是]?[ ]?"
        rf"(?P<value>[{_HAN}]{{1,4}}(?:[ 、,\n]{{1,2}}[{_HAN}]{{1,4}}){{5,23}})",
        ("助记词", "恢复"),
        lambda value, near: 0.85,
    ),
    # Numbers of a person read out in numerals.
    _rule(
        "resident id in numerals",
        rf"身份证(?:号码?)?(?:{_IS}|[ ])?"
        rf"(?P<value>{_NUMERAL}{{17}}[{_NUMERAL[1:-1]}Xx]|{_NUMERAL}{{15}})(?!{_NUMERAL})",
        ("身份证",),
        entity="CN_RESIDENT_ID",
    ),
    _rule(
        "card in numerals",
        rf"(?:卡号|银行卡|信用卡|储蓄卡)[^。!?\n]{{0,8}}?(?P<value>{_NUMERAL}{{13,19}})(?!{_NUMERAL})",
        ("卡",),
        entity="CREDIT_CARD",
    ),
    _rule(
        "phone in numerals",
        rf"(?:手机|电话|号码|打给?我)[^。!?\n]{{0,8}}?(?P<value>[一幺]{_NUMERAL}{{10}})(?!{_NUMERAL})",
        ("手机", "电话", "号码", "打"),
        entity="PHONE_NUMBER",
    ),
)
