"""Keys and passwords that are handed over, in Chinese: with no word for a secret beside a generated key (用这个,
某某的是), beside such a word with a remark between, behind a user's name, or in Latin words.
"""

import re

from inference.pii.prose_secrets import KEY_ZH, OPAQUE, SOMETHING_ELSE, opaque
from inference.pii.rules import Check, Rule
from inference.pii.secret_values import figured, generated, joined, passphrase, strung

CREDENTIAL = "CREDENTIAL"

_QUOTE = r"[ ]?['\"“‘「`]?"
_ANY = r"(?P<value>[A-Za-z0-9!@#$][!-~]{5,63})"
_HAN = r"\u3400-\u9fff"
_GENERATED = r"(?P<value>(?<![A-Za-z0-9_./@=&?-])[A-Za-z0-9][A-Za-z0-9_+.-]{11,128}={0,2})(?![A-Za-z0-9/@])"
_SAID = r"(?:密码(?!学|管理|本|框|策略|机|强度|长度)|口令)"
_KEY = rf"(?:{KEY_ZH}|(?<![A-Za-z])key(?![A-Za-z]))"
_WORDS = r"(?P<value>[A-Za-z][a-z]{2,15}(?:[ ][A-Za-z]?[a-z]{2,15}){1,4}(?:[ ][0-9]{1,4})?)"
_END = r"(?=[ ]?['\"”」]?[ ]?(?:[,。.;!、)\n]|\Z))"
_NEEDS = ("码", "口令", "钥", "匙", "令牌", "凭", "key", "token", "secret")


def _rule(
    name: str, pattern: str, needs: tuple[str, ...], check: Check, other: re.Pattern[str] | None = SOMETHING_ELSE
) -> Rule:
    compiled = re.compile(pattern, re.IGNORECASE)
    return Rule(name, CREDENTIAL, compiled, 0.8, needs=needs, check=check, unless_after=other)


RULES: tuple[Rule, ...] = (
    # 用这个：..., 高德的是..., 请求头里放...
    _rule(
        "generated and given zh",
        rf"(?:用这个|这个|这串|这是|在这|如下|[用放填写贴发是给拿为配传带存记新串把])(?:的是|的|了|上|成|一下"
        rf"|好)?[ ]?[:,]?{_QUOTE}{_GENERATED}",
        tuple("用这在如放填写贴发是给拿为配传带存记新串把"),
        generated,
    ),
    # AppSecret（别外传）：...
    _rule(
        "key behind a remark zh",
        rf"{_KEY}[ ]?\([^()\n]{{1,30}}\)[ ]?(?:是|为|[:=])?[ ]?{OPAQUE}",
        _NEEDS,
        opaque,
    ),
    _rule(
        "password behind a remark zh",
        rf"{_SAID}[ ]?\([^()\n]{{1,30}}\)[ ]?(?:是|为|[:=]){_QUOTE}{_ANY}",
        ("密码", "口令"),
        figured,
    ),
    # 用laohuji1987这个老密码登
    _rule(
        "as a password zh",
        rf"(?:用|拿|把|以|发|给|填){_QUOTE}{_ANY}[ ]?['\"”」]?[ ]?(?:这个|那个|这种|当成?|做|作为?"
        rf"|设为)[{_HAN}]{{0,4}}?(?:{_SAID}|{_KEY})",
        _NEEDS,
        strung,
    ),
    # 新人默认密码都发team-Osprey-5
    _rule(
        "password handed out zh",
        rf"{_SAID}(?:(?![别不勿莫])[{_HAN}]){{0,4}}?(?:发|给|用|填|写|留|配|设|是|叫)(?:的是|的|了|成)?{_QUOTE}{_ANY}",
        ("密码", "口令"),
        strung,
    ),
    # 印厂的FTP：customer77 / folio-Garamond; 管理员是admin，Lotus!2231
    _rule(
        "login and its password zh",
        r"(?:FTP|SSH|VPN|SMTP|NAS|后台|管理员|账[号户]|用户名?|登录名?|登陆"
        r")[^。!?:\n]{0,10}?(?:[:=]|是|为|叫)[ ]?"
        rf"[A-Za-z][\w.@-]{{1,40}}(?:[ ]?[/|][ ]?|[ ]?[,、][ ]?|[ ]){_QUOTE}{_ANY}",
        ("ftp", "ssh", "vpn", "smtp", "nas", "后台", "管理员", "账", "用户", "登"),
        joined,
    ),
    # 请记住SSH私钥的口令，kayak over gravel
    _rule(
        "passphrase in words zh",
        rf"{_SAID}(?:短语)?[{_HAN}]{{0,4}}?[ ]?(?:[,:=]|是|为|给它?|输入?|填|就)[ ]?{_QUOTE}{_WORDS}{_END}",
        ("密码", "口令"),
        passphrase,
        None,
    ),
    # 用mailer / Kettle-Drum-9就能发
    _rule(
        "with a login zh",
        rf"(?:用|拿|以|填)[ ]?[A-Za-z][\w.@-]{{2,40}}[ ]?/[ ]?{_QUOTE}{_ANY}",
        ("/",),
        joined,
    ),
    # 备份用lantern above harbour这个短语解锁
    _rule(
        "phrase that unlocks zh",
        rf"(?:用|说|输入?|报)[ ]?{_QUOTE}{_WORDS}[ ]?['\"”」]?(?:这个|这句|这段|当|做"
        rf"|作为)[{_HAN}]{{0,2}}(?:短语|口令|密码|暗号|话)",
        ("短语", "口令", "密码", "暗号", "话"),
        passphrase,
        None,
    ),
    # 合作方接口要带我们的key，p9k2m4x7q1z8
    _rule(
        "key of ours zh",
        rf"(?:我|我们|咱们?|他们?|她|你们?|您)的?(?:新|老)?key[,:是][ ]?{OPAQUE}",
        ("key",),
        opaque,
    ),
    # 编码接口的key给你测试：..., 沙箱给的key ...
    _rule(
        "key and its colon zh",
        rf"(?<![A-Za-z_-])key(?:[ ]|[{_HAN}]{{0,10}}[:,][ ]?){OPAQUE}",
        ("key",),
        opaque,
    ),
    # 绘图软件的许可证？L8QK-22MD-90PX
    _rule(
        "groups of a licence zh",
        r"(?:许可证|许可|授权码|序列号|激活码|注册码|产品密钥|恢复码|备用码)[^。!\n]{0,12}?(?<![A-Za-z0-9-])"
        r"(?P<value>(?-i:(?=[A-Z-]{0,20}[0-9])(?=[0-9-]{0,20}[A-Z])[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,7}))(?![A-Za-z0-9-])",
        ("许可", "码", "序列号", "密钥"),
        lambda value, near: 0.8,
        None,
    ),
)
