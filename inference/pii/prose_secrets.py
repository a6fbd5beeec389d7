"""Keys, tokens and passwords told in prose: an opaque value near a word for a secret, in either order, both languages.

Opaque is what nobody says as a word: letters and digits mixed, of a length, or a UUID. What the words beside it call a
hash, an id, a version is none.
"""

import re

from inference.pii.labels import alternatives
from inference.pii.rules import Check, Rule
from inference.pii.secret_values import is_named
from inference.stopwords import ENGLISH

CREDENTIAL = "CREDENTIAL"

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
OPAQUE = r"['\"“‘「`(]?(?P<value>(?=[!-~]{0,24}[0-9])[A-Za-z0-9][!-~]{6,255})"
START = r"(?<![A-Za-z0-9_./-])"
KEY_EN = (
    r"(?:(?:api|access|secret|auth(?:entication|orization)?|client|bearer|refresh|session|personal access|private"
    r"|signing"
    r"|encryption|license|licence|activation|webhook|deploy|service|master|admin|bot|shared|app|application|account"
    r"|product"
    r"|publishable|storage|subscription|recovery|registration|pairing|setup)[ _-]?(?:key|token|secret|code)s?"
    r"|secrets?|tokens?|credentials?|passphrase|passwords?|passcode|pat)"
)
KEY_ZH = (
    r"(?:密码|口令|密钥|秘钥|密匙|令牌|私钥|访问码|激活码|授权码|凭证|凭据"
    r"|(?:API|AccessKey|access)[ _-]?(?:key|token|secret)|token|secret)"
)
SOMETHING_ELSE = re.compile(
    r"(?:\b(?:sha-?[0-9]{0,3}|md5|blake[23]?\w?|hash(?:es)?|digest|checksum|fingerprint|commit|rev(?:ision)?|etag"
    r"|integrity|trace"
    r"|span|correlation|request|record|row|session|message|job|run|build|image|container|pod|transaction|txn?|block"
    r"|uuid|guid|doc(?:ument)?|video|sheet"
    r"|ids?|version|tag|branch|file|folder|path|url|serial|ticket|issue|order|public[ _-]key|(?:primary|foreign|cache"
    r"|partition"
    r"|idempotency|sort|object|registry|routing|composite|unique|lookup|dict|map|row|message|s3|redis|session|host)"
    r"[ _-]keys?)"
    r"(?:[ _-](?:ids?|hash|sum|is|was|no|number|key|of))?"
    rf"|{alternatives('no_secret')})"
    r"['\"]?[ ]?(?:[:=(#]|是|为)?[ ]?['\"]?$",
    re.IGNORECASE | re.ASCII,
)
_LISTED = re.compile(r"(?:sha-?[0-9]{1,3}|md5|ssh-|ecdsa-|pk-lf-|arn:|urn:|https?:|www\.)", re.IGNORECASE)
_MIXED = re.compile(r"[A-Za-z][0-9]|[0-9][A-Za-z]")
_TRAILING = ".,;:!?)]}>'\"`"
_LEAST_TURNS = 2  # between letters and digits
_MARKS = re.compile(r"[!@#$%^&*+~]")
# A part of a name with a number: "prod", "eu1", "Tulip9", "20261112"; and a version.
_PART = re.compile(r"(?:[a-z]{0,20}|[A-Z][a-z]{1,20}|[A-Z]{1,20})(?:[0-9]{1,8})?")
_VERSION = re.compile(r"v?[0-9]{1,4}(?:\.[0-9]{1,5}){1,4}(?:[-+.][a-z0-9.]{1,24})?", re.IGNORECASE)


def opaque(value: str, near: bool) -> float | None:
    """Score a value that no one says as a word: a UUID, or letters and digits by turns, no name with a number."""
    bare = value.rstrip(_TRAILING)
    if re.fullmatch(_UUID, bare):
        return 0.85
    if len(bare) < 8 or _LISTED.match(bare) or "(" in bare or "=" in bare[:-2] or "/" in bare[:1]:
        return None
    if re.fullmatch(r"[0-9:./T+-]{1,64}Z?", bare) or "://" in bare or "@" in bare[1:-1]:
        return None  # a time, a number, an address
    turns = len(_MIXED.findall(bare))
    turns += bare.count("-") if turns else 0
    named = all(_PART.fullmatch(part) for part in re.split(r"[-_./:]", bare)) or is_named(bare)
    if named or turns < _LEAST_TURNS or _VERSION.fullmatch(bare):
        return None
    return 0.8


def strong(value: str, near: bool) -> float | None:
    """Score a value that only a password looks like: a digit and letters, and a mark or a capital beside small ones."""
    bare = value.rstrip(_TRAILING.replace("!", ""))
    letters = [c for c in bare if c.isalpha()]
    if len(bare) < 6 or not letters or not any(c.isdigit() for c in bare) or "://" in bare or "@" in bare[1:-1]:
        return None
    if is_named(bare):
        return None
    mixed = any(c.islower() for c in letters) and any(c.isupper() for c in letters)
    return 0.8 if _MARKS.search(bare) or (mixed and bool(_MIXED.search(bare))) else None


def _worn(value: str, near: bool) -> float | None:
    """Score a value of letters and digits that is called a password by the rest of its sentence."""
    bare = value.rstrip(_TRAILING)
    worn = len(bare) >= 6 and re.fullmatch(r"[A-Za-z]{3,30}[0-9]{1,8}", bare)
    return 0.75 if worn else strong(value, near)


def _words(value: str, near: bool) -> float | None:
    """Score the words of a seed phrase: none of them is grammar."""
    return None if ENGLISH & set(re.split(r"[ ,]{1,2}", value.lower())) else 0.9


_NEAR_EN = r"(?:[ ][A-Za-z'’-]{1,14}){0,6}"


def _rule(name: str, pattern: str, needs: tuple[str, ...], check: Check = opaque) -> Rule:
    compiled = re.compile(pattern, re.IGNORECASE | re.ASCII)
    return Rule(name, CREDENTIAL, compiled, 0.8, needs=needs, check=check, unless_after=SOMETHING_ELSE)


_NEEDS_EN = ("key", "token", "secret", "credential", "pass", "pat", "code")
_NEEDS_ZH = ("码", "口令", "钥", "匙", "令牌", "凭", "key", "token", "secret")

RULES: tuple[Rule, ...] = (
    # "Put this access token into the header: ...", "the client secret you asked for is ...", "secret uT6-..."
    _rule("secret told", rf"(?<![A-Za-z]){KEY_EN}(?![ _-]?ids?\b)(?:{_NEAR_EN})[ ,:=]{{1,3}}{OPAQUE}", _NEEDS_EN),
    # "his Heroku key, <UUID>": a key that is called by whose it is.
    _rule(
        "named key",
        rf"(?<![A-Za-z])(?:my|our|his|her|their|the|your)[ ](?:[A-Za-z0-9.]{{2,20}}[ ]){{1,3}}key(?:[ ](?:is|was)"
        rf")?[ ,:=]{{1,3}}{OPAQUE}",
        ("key",),
    ),
    # "... is our API key", "..., that's the shared secret"
    _rule(
        "is a key",
        rf"{START}{OPAQUE}['\"”’`)]?,?[ ](?:is|was|being|as|that['’]s|that is|which is|it['’]s)[ ]"
        rf"(?:the|a|an|our|my|his|her|their|your|still)[ ](?:[A-Za-z'-]{{2,20}}[ ]){{0,3}}(?:{KEY_EN}|key)(?![A-Za-z]"
        rf"|[ ]?ids?\b)",
        _NEEDS_EN,
    ),
    _rule(
        "is a key zh",
        rf"{START}{OPAQUE}[ ]?(?:[\u4e00-\u9fff]{{0,4}}[,;]?[ ]?)?(?:这?就?[是做当]|作为?)"
        rf"(?:[\u4e00-\u9fffA-Za-z]{{0,14}})"
        rf"{KEY_ZH}",
        _NEEDS_ZH,
    ),
    _rule("secret told zh",
          rf"{KEY_ZH}(?![ _-]?id)[\u4e00-\u9fff ]{{0,10}}(?:[0-9]{{1,2}}(?=[:=]))?[ ,:=]{{0,3}}{OPAQUE}", _NEEDS_ZH),
    # A question about it, and its answer.
    _rule(
        "secret answered",
        rf"(?<![A-Za-z])(?:{KEY_EN}|pin)\b[^?\n]{{0,60}}\?[ ][^?.\n]{{0,30}}?(?:it['’]s|is|was|it was|should be)"
        rf"[ ]['\"“]?(?P<value>[!-~]{{6,64}})",
        _NEEDS_EN,
        strong,
    ),
    _rule(
        "secret answered zh",
        rf"{KEY_ZH}[^?\n]{{0,30}}\?[^?\n]{{0,12}}?[是为][ ]?['\"“「]?(?P<value>[!-~]{{6,64}})",
        _NEEDS_ZH,
        strong,
    ),
    _rule(
        "key told",
        rf"(?<![A-Za-z_-])key(?:[ ](?:for|to|of)(?:[ ][A-Za-z0-9.-]{{1,20}}){{1,4}})?[ ]?(?:is|was|:|=)[ ]?{OPAQUE}",
        ("key",),
    ),
    # "creds: admin / ...", "账号密码：admin ..."
    _rule(
        "pair",
        r"(?:\b(?:creds?|credentials|logins?)|账号密码|用户名密码|账密)[ ]?(?:is|are|是|:"
        r"|=)?[ ]?['\"]?[A-Za-z][\w.@-]{1,40}[ ]{0,2}[/:|,+ ]"
        r"[ ]{0,2}['\"]?(?P<value>[!-~]{6,64})",
        ("cred", "login", "密"),
        strong,
    ),
    # "use ... to log in", "用...登录"
    _rule(
        "use to log in",
        r"\b(?:use|using|try|enter|type|with)[ ]['\"“]?(?P<value>[!-~]{6,64}?)['\"”]?[ ](?:to|and)[ ](?:log|sign|get"
        r"|unlock|connect|open)\b",
        ("log", "sign", "get", "unlock", "connect", "open"),
        strong,
    ),
    _rule(
        "use to log in zh",
        r"(?:用|拿|输入?|填)[ ]?['\"“「]?(?P<value>[!-~]{6,64})[ ]?['\"”」]?[\u4e00-\u9fff]{0,4}(?:登录|登陆|登入|登上"
        r"|解锁|进系统|进后台)",
        ("登", "解锁", "进"),
        strong,
    ),
    _rule(
        "seed phrase",
        r"(?:(?:seed|recovery|mnemonic|backup|secret)[ ](?:phrase|words?)|mnemonic|助记词|恢复短语)[^\n:]{0,24}?(?:is"
        r"|are|goes|reads|是|:|=)[ ]?['\"“]?"
        r"(?P<value>[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})",
        ("seed", "recovery", "mnemonic", "backup", "secret", "助记词", "恢复短语"),
        _words,
    ),
    # "log in as office with ...", "用户 office 密码..." stands with the stated ones.
    _rule(
        "login with",
        r"\b(?:log(?:ged|s)?[ -]?(?:in|on)|login|sign(?:ed|s)?[ -]?in|get in|connect(?:ed)?|unlock(?:ed|s)?"
        r"|authenticate)\b[^.!?\n]{0,50}?"
        r"[ ](?:with|using|and|/)[ ]['\"“]?(?P<value>[!-~]{6,64})",
        ("log", "sign", "get in", "connect", "unlock", "auth"),
        strong,
    ),
    _rule(
        "login with zh",
        r"(?:登录|登陆|登入|解锁|登|连上?)[^。!?\n]{0,16}?(?:用|输入?|填|敲)[ ]?['\"“「]?(?P<value>[!-~]{6,64})",
        ("登", "解锁", "连"),
        strong,
    ),
    # "The old one was bluebell55 which I also used for the bank, so help me change both passwords."
    _rule(
        "one of the passwords",
        r"\b(?:one|mine|his|hers|theirs|it)[ ](?:was|is)[ ]['\"“]?(?P<value>[!-~]{6,64})(?=[^.!?\n]{0,90}\bpass(?:word"
        r"|code|phrase)s?\b)",
        ("pass",),
        _worn,
    ),
)
