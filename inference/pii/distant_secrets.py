"""Keys and passwords whose word stands further from them, in both languages: a clause between, a colon behind a long
phrase, an answer of its own, or what is done with them ("I typed ... and it let me in").

What stands so far away must look like nothing else, so the checks are stricter than beside the word.
"""

import re

from inference.pii.prose_secrets import KEY_EN, KEY_ZH, OPAQUE, SOMETHING_ELSE, START, opaque, strong
from inference.pii.rules import Check, Rule
from inference.pii.secret_values import capital, everyday_score, figured, mixed, paired, word

CREDENTIAL = "CREDENTIAL"

# Capitals, small letters and figures, ten or more; the flag stands by itself, as rules ignore case.
_MIXED = (
    r"['\"“‘「`(]?(?P<value>(?-i:(?=[a-z0-9_+/=.-]{0,24}[A-Z])(?=[A-Z0-9_+/=.-]{0,24}[a-z])"
    r"(?=[A-Za-z_+/=.-]{0,24}[0-9]))[A-Za-z0-9][A-Za-z0-9_+/=.-]{9,255})"
)
_NOUN = r"(?<![A-Za-z])(?:pass(?:word|phrase|code)s?|passwd|pwd?)"
# "the password policy", "the token's expiry": what belongs to a secret is none.
_ITSELF = (
    r"(?!(?:['’]s)?[ -]?(?:ids?\b|polic|rule|hint|format|manager|length|requirement|field|file|hash|store|regex|pattern"
    r"|generator|reset|column|prompt|limit|count|type|ttl|expir|rotat|exchange|pair|name|header|bucket|protect|size|algorithm))"
)
_FURTHER = r"(?:[^.?!\n]|\.(?![ \n])){0,90}?[ :,=(]"
_QUOTE = r"['\"“‘「`]?"
_IT_IS = (
    r"(?:it['’]s|it[ ]is|it[ ]was|that['’]s|that[ ]is|which[ ]is|namely|i[ ]mean)[ ]"
    r"(?:(?:now|still|just|simply|actually|really|always|called|set[ ]to)[ ]){0,2}"
)
_ANY = r"(?P<value>[!-~]{6,64})"
_NEEDS = ("key", "token", "secret", "credential", "pass", "pat", "code")
_WORD_NEEDS = ("pass", "pw")
_KEY_WORD = rf"(?<![A-Za-z])(?<!public[ ])(?:{KEY_EN}|key)(?![A-Za-z]){_ITSELF}"
_NEEDS_ZH = ("码", "口令", "钥", "匙", "令牌", "凭", "key", "token", "secret")
_SAID_ZH = r"(?:密码|口令)"
_KEY_WORD_ZH = rf"(?:{KEY_ZH}|(?<![A-Za-z])key(?![A-Za-z]))"


def _rule(name: str, pattern: str, needs: tuple[str, ...], check: Check) -> Rule:
    compiled = re.compile(pattern, re.IGNORECASE)
    return Rule(name, CREDENTIAL, compiled, 0.8, needs=needs, check=check, unless_after=SOMETHING_ELSE)


_ENGLISH: tuple[Rule, ...] = (
    # "The client secret starts with two digits, here it is in full: ..."
    _rule("key further on", rf"{_KEY_WORD}{_FURTHER}[ ]?{_MIXED}", _NEEDS, mixed),
    _rule("key in the next sentence", rf"{_KEY_WORD}[^.?!\n]{{0,60}}[.?!:][ \n]{{1,2}}{_MIXED}", _NEEDS, mixed),
    _rule("key before its word", rf"{START}{_MIXED}[^.?!\n]{{1,90}}?{_KEY_WORD}", _NEEDS, mixed),
    # "The key you need is ...", "unseal key 1: ..."
    _rule(
        "key that is",
        rf"(?<![A-Za-z_-])key{_ITSELF}(?:[ ][A-Za-z'’]{{1,14}}){{0,5}}?(?:[ ]?#?[0-9]{{1,2}})?(?:,[ ]{_IT_IS}"
        rf"|[ ]?(?:is|was|:|=)"
        rf"[ ]?){OPAQUE}",
        ("key",),
        opaque,
    ),
    # "They told me the password over the phone: ..."
    _rule("password behind a colon",
          rf"(?:{_NOUN}|{_KEY_WORD}){_ITSELF}[^.?!:\n]{{1,60}}:[ ]{_QUOTE}{_ANY}", _NEEDS, figured),
    # "Our password hasn't changed, it's still ..."
    _rule(
        "password in another clause",
        rf"{_NOUN}{_ITSELF}[^.?!\n]{{0,70}}?[,;–-][ ]?(?:and[ ]|but[ ])?{_IT_IS}{_QUOTE}{_ANY}",
        _WORD_NEEDS,
        figured,
    ),
    _rule(
        "password in a later clause", rf"{_NOUN}{_ITSELF}[^.?!\n,]{{1,40}},[ ]{_QUOTE}{_ANY}", _WORD_NEEDS, capital
    ),
    _rule("password is, further on", rf"{_NOUN}{_ITSELF}[^.?!\n]{{1,60}}?[ ,](?:is|was)[ ]{_QUOTE}{_ANY}", _WORD_NEEDS,
          figured),
    _rule("password, quoted", rf"{_NOUN}[ ]['\"“](?P<value>[^'\"“”\n]{{4,60}})['\"”]", _WORD_NEEDS, everyday_score),
    _rule(
        "before its password",
        rf"{START}(?P<value>[A-Za-z0-9][!-+.-~]{{5,63}}),?[ ](?:(?:on|in|everywhere)[^.?!\n]{{0,30}},[ ])?(?:a"
        rf"|the|my|our"
        rf"|his|her|still|that['’]s|that[ ]is|which[ ]is|it['’]s)[ ](?:[A-Za-z'’-]{{1,15}}[ ]){{0,3}}?{_NOUN}",
        _WORD_NEEDS,
        capital,
    ),
    _rule(
        "user and password by letters",
        rf"\bu(?:ser)?[ ]?[:=][ ]?\S{{1,40}}[, ;]{{1,2}}p(?:ass|w|wd)?[ ]?[:=][ ]?{_QUOTE}(?P<value>[!-~]{{5,64}})",
        ("p:", "p=", "p :", "w:", "w=", "d:", "d=", "s:", "s="),
        figured,
    ),
    _rule(
        "password of an address",
        rf"@[\w-]{{1,40}}(?:\.[\w-]{{1,20}}){{1,4}}[ ]?(?:/|,|[ ]with|[ ]and)[ ]{_QUOTE}{_ANY}",
        ("@",),
        capital,
    ),
    _rule("password in apposition", rf"{_NOUN},[ ]{_QUOTE}{_ANY}", _WORD_NEEDS, figured),
    # "To unlock the sheet type ..."
    _rule(
        "typed to get in",
        r"\bto[ ](?:unlock|open|decrypt|unzip|log[ ]?(?:in|on)|sign[ ]in|get[ ]in(?:to)?|enter|access|authenticate"
        r"|connect|unseal|join)\b[^.?!\n]{0,50}?[ ,](?:type|enter|use|put[ ]in|key[ ]in|supply)[ ](?:in[ ])?"
        rf"{_QUOTE}{_ANY}",
        ("type", "enter", "use", "put in", "key in", "supply"),
        strong,
    ),
    _rule(
        "sealed with",
        r"\b(?:unzip|unrar|extract|unseal|decrypt|encrypt|authenticat|unlock|secur|protect"
        r"|lock)[a-z]{0,4}[ ](?:[a-z'’]{1,14}[ ]){0,4}?"
        rf"(?:with|using|by)[ ]{_QUOTE}{_ANY}",
        ("with", "using", "by"),
        strong,
    ),
    # "I typed ... and it let me in"
    _rule(
        "typed and in",
        r"\b(?:typed|entered|used|tried|put[ ]in|type|enter|use|try)[ ]['\"“]?(?P<value>[!-~]{6,64}?)['\"”]?,?[ ]"
        r"(?:and|then|so)[ ](?:it|that|i|you|we|he|she|they)[ ](?:lets?|got|get|was|were|am|are)[ ]?(?:me[ ]|us[ ]"
        r"|you[ ])?(?:in\b|logged|unlocked)",
        ("typed", "entered", "used", "tried", "put in", "type", "enter", "use", "try"),
        strong,
    ),
    _rule(
        "used for an account",
        rf"\b(?:use|using|used|try|take)[ ]{_QUOTE}{_ANY}[ ](?:for|on|with|as)[ ](?:the|my|our|your|his|her|all|both)"
        r"[ ](?:[A-Za-z]{2,15}[ ]){0,3}(?:accounts?|log[- ]?in|admin|root|wi-?fi|router|nas|mailbox|sign[- ]?in)\b",
        ("use", "using", "try", "take"),
        strong,
    ),
    # "authenticate as kim:...", "the login on that camera is admin/..."
    _rule(
        "login pair",
        r"\b(?:authenticate|log(?:ged)?[ ]?(?:in|on)|logins?|sign(?:ed)?[ ]in|credentials?|creds)\b[^.?!\n]{0,40}?"
        rf"(?:[ ](?:as|is|are|was|with)|:)[ ]{_QUOTE}[A-Za-z][\w.-]{{1,30}}(?:[:/|]|[ ][/|][ ]){_QUOTE}"
        r"(?P<value>[A-Za-z0-9!@#$][!-~]{4,63})",
        ("authenticate", "log", "sign", "cred"),
        paired,
    ),
    # "Wi-Fi: Oakroom, ...", "the wifi is Oakroom and you connect with ..."
    _rule(
        "password of a network",
        r"\bwi-?fi\b[^.?!\n]{0,40}?(?:[,/]|[ ]and|,[ ]and)(?:[ ](?:the[ ])?key|[ ](?:you[ ])?(?:connect|join"
        rf"|log[ ]in)[ ](?:to[ ]it[ ])?(?:with|using))?[ ]{_QUOTE}(?P<value>[!-~]{{8,63}})",
        ("wifi", "wi-fi"),
        figured,
    ),
    _rule(
        "seed of one-time codes",
        r"\b(?:totp|otp|2fa|mfa|authenticator|two-factor)[ ](?:seed|secret|key|setup[ ]key)\b[^.?!\n]{0,30}?[ :=]"
        r"(?P<value>(?-i:[A-Z2-7]{16,64}|(?:[A-Z2-7]{4}[ ]){3,15}[A-Z2-7]{4}))(?![A-Za-z0-9])",
        ("totp", "otp", "2fa", "mfa", "authenticator", "two-factor"),
        lambda value, near: 0.85,
    ),
)

_CHINESE: tuple[Rule, ...] = (
    _rule("key further on zh", rf"{_KEY_WORD_ZH}[^。!?\n]{{1,40}}?(?<![A-Za-z0-9_+/=.-]){_MIXED}", _NEEDS_ZH, mixed),
    _rule("key answered zh", rf"{_KEY_WORD_ZH}[^。!?\n]{{0,30}}[?。][ ]?{_MIXED}", _NEEDS_ZH, mixed),
    _rule("key before its word zh", rf"{START}{_MIXED}[^。!?\n]{{1,30}}?{_KEY_WORD_ZH}", _NEEDS_ZH, mixed),
    _rule(
        "key that is zh",
        r"(?<![A-Za-z_-])key[\u4e00-\u9fff]{0,6}?(?:是|为|填|写|用的?|:|=)[ ]?" + OPAQUE,
        ("key",),
        opaque,
    ),
    # 沙箱用...认证, 打开那个表格要输...
    _rule(
        "sealed with zh",
        r"(?:用|拿|靠|以|凭)[ ]?['\"“「]?(?P<value>[!-~]{6,128}?)[ ]?['\"”」]?(?:来|去)?(?:认证|鉴权|验证身份|签名|解密"
        r"|加密|解封|授权|解锁|解压)",
        ("认证", "鉴权", "验证", "签名", "密", "解", "授权"),
        strong,
    ),
    _rule(
        "typed to get in zh",
        r"(?:打开|解开|解压|进入|进|登|连|看)[^。!?\n]{0,16}?(?:输入?|填|敲)(?:的是|了)?[ ]?['\"“「]?" + _ANY,
        ("输", "填", "敲"),
        strong,
    ),
    _rule(
        "typed and in zh",
        r"(?:输入?|用|填|敲)了?[ ]?['\"“「]?(?P<value>[!-~]{6,64}?)[ ]?['\"”」]?(?:就|才|便)(?:能|可以)?(?:进|登|连上"
        r"|打开|解锁)",
        ("进", "登", "连上", "打开", "解锁"),
        strong,
    ),
    _rule(
        "used for an account zh",
        r"(?:账[号户]|用户|管理员|root|admin)[^。!?\n,]{0,4}?(?:你|您|就|都|要|可以|直接){0,2}用[ ]?['\"“「]?" + _ANY,
        ("用",),
        strong,
    ),
    # 密码，万一你要用，是...
    _rule(
        "password in another clause zh",
        rf"{_SAID_ZH}[^。!?\n]{{0,16}}?,(?:就|还|应该|好像|新的|旧的|现在|现在的)?是[ ]?['\"“「]?{_ANY}",
        ("密码", "口令"),
        figured,
    ),
    _rule(
        "is a password zh",
        rf"{START}(?P<value>[A-Za-z0-9][!-+.-~]{{5,63}}?)[ ]?(?:就|才|也|还)?是[\u4e00-\u9fff]{{0,4}}?(?<![弱常坏差])"
        rf"{_SAID_ZH}(?![学错框本强输不对提太吗])",
        ("密码", "口令"),
        figured,
    ),
    _rule(
        "login pair zh",
        r"(?:账[号户]|用户名?|登录名?|登录)[ ]?(?:是|:|为|叫)?[ ]?[A-Za-z][\w.@-]{1,40}[ ]?[/|][ ]?" + _ANY,
        ("账", "用户", "登录"),
        figured,
    ),
    _rule(
        "login and password zh",
        r"登录:[ ]?[A-Za-z][\w.@-]{1,40},[ ]?" + _ANY,
        ("登录",),
        capital,
    ),
    _rule(
        "password, quoted zh",
        rf"{_SAID_ZH}[“「\"](?P<value>[^“”「」\"\n]{{4,60}})[”」\"]",
        ("密码", "口令"),
        everyday_score,
    ),
    _rule(
        "code of a mailbox zh",
        r"授权码(?:是|:|为)?[ ]?(?P<value>[a-z]{16})(?![A-Za-z])",
        ("授权码",),
        lambda value, near: 0.85,
    ),
    _rule(
        "password of a network zh",
        r"(?:wi-?fi|无线网?|热点)[^。!?\n,]{0,16}[,/][ ]?(?P<value>[A-Za-z0-9][!-~]{7,62})(?![A-Za-z0-9])",
        ("wi", "无线", "热点"),
        figured,
    ),
    _rule(
        "key of a network zh",
        r"(?:wi-?fi|无线|热点)[^。!?\n,]{0,10}(?:key|密钥|口令)(?:设|改|换)?(?:成|为|是|:)[ ]?" + _ANY,
        ("key", "密钥", "口令"),
        figured,
    ),
    # 爷爷家的wifi叫Oakroom，密码threewhitegeese
    _rule(
        "word beside a network zh",
        rf"(?:wi-?fi|无线网?|网络|热点|账[号户]"
        rf"|用户名?)[^。!?\n]{{0,40}}?{_SAID_ZH}[ ]?(?P<value>[A-Za-z][A-Za-z_-]{{5,40}})"
        r"(?=[ ]?(?:[,。.;!、\n]|\Z))",
        ("密码", "口令"),
        word,
    ),
)

RULES: tuple[Rule, ...] = (*_ENGLISH, *_CHINESE)
