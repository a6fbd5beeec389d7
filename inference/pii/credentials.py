"""Secrets: private keys, tokens, connection strings, spoken passwords; those of providers are in `provider_keys`.

What has no prefix is found by what stands before it ("password:", "密码是") or by its entropy.
"""

import re
from collections import Counter
from math import log2

from inference.pii import provider_keys
from inference.pii.rules import DIGIT, Check, Rule
from inference.pii.secret_values import is_named, word
from inference.stopwords import ENGLISH

CREDENTIAL = "CREDENTIAL"

_B = r"(?<![A-Za-z0-9_])"

_PRIVATE_KEY = (
    # The armoured block, or what is left of it: a key cut off before its END line is still a key.
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[A-Za-z0-9+/=\s:,.\\]|-(?!-)){0,8000}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
)
_JWT = r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{4,4000}\.[A-Za-z0-9_-]{8,1500}"
_CONNECTION = r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@'\"<>]{0,100}:(?P<value>[^\s/@'\"<>]{1,200})@[A-Za-z0-9.\[-]"
_BEARER = r"[Bb]earer\s{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,2000}={0,2})"

# A word for a secret, what joins it to its value, the value. Text is width-folded: "：" is ":" here.
_SPOKEN_EN = r"(?:pass(?:(?:word|phrase|code)s?|wd)?|pwd?|pin(?: code)?)"
_KEY_EN = (
    r"(?:secret[ _-]?key|api[ _-]?(?:key|token|secret)|access[ _-]?(?:key|token)|auth[ _-]?token|client[ _-]?secret"
    r"|private[ _-]?key|secret[ _-]access[ _-]key)"
)
_LOOSE_EN = r"(?:secret|token|credentials?)"  # words of ordinary talk too
_JOIN_EN = (
    r"(?:['\"]?\s{0,3}(?:[:=→]|=>|->)\s{0,3}|\s{1,3}(?:(?:really|actually|simply|still|itself|currently)\s{1,3})?"
    r"(?:is|was|are|used\s{1,3}to\s{1,3}be|became|becomes|remains|(?:will|should|shall|must|to)\s{1,3}be)"
    r"(?:\s{1,3}(?:now|still|just|really|actually|simply|always|set to))?(?:\s{0,3}:)?\s{1,3}"
    r"|['’]s\s{1,3}(?=['\"“]?[!-~]{0,30}[0-9]|['\"“]))"
)
_KEY_WORD_ZH = (
    r"(?:密码|口令|密钥|秘钥|通行码|登录码|提取码|验证码|支付密码|PIN码|令牌|私钥|密匙"
    r"|激活码|授权码|访问码|恢复码|备用码|动态码|解锁码|开门码)"
)
_IS_ZH = (
    r"(?:我们?|咱们?|用户|现在|目前|当前|居然|竟然|以前|原来|之前|本来|其实|一直|仍然?|依然|好像|默认|已经|刚刚?|暂时|统一|改|就|还|也|都"
    r"|应该){0,3}"
    r"(?:是|为|成|叫|(?:重?设置?|重置|[改换]|更[新换]|变更?)(?:成|为|到)了?|用(?:的是?)?)\s{0,3}:?"
)
_JOIN_ZH = (
    r"(?:[0-9]{1,2}[ ]?[:=]\s{0,3}|\s{1,3}(?=[!-~]{0,30}[0-9])|(?![:=])(?=[!-~]{6})(?=[!-~]{0,30}[0-9])"
    r"|(?=[0-9]{4,5}(?![0-9年月日位个次天]))"
    r"|\s{0,3}(?:" + _IS_ZH + r"|[:=])\s{0,3})"
)
_CODE_EN = (
    r"(?:(?:door|gate|entry|alarm|safe|lock(?:er)?|keypad|security|access|verification|one[ -]time|2fa|otp|backup"
    r"|recovery|unlock)"
    r"[ -]codes?|otp)"
)
_VALUE = r"['\"“‘「`]?(?P<value>[!-~]{4,128})"

# What follows "password is" in ordinary talk; a value without digit or mark must not be one of them.
_PROSE = re.compile(r"[A-Za-z][a-z']{0,30}[.,;:!?)\"'”’]{0,3}")
_SMALL_RUN = re.compile(r"[a-z]{3,512}")
_DIGIT_RUN = re.compile(r"[0-9]{1,512}")
_TRAILING = ".,;:!?)]}>'\"`"


def _entropy(value: str) -> float:
    """Shannon entropy of the characters of `value`, bits a character."""
    return -sum(n / len(value) * log2(n / len(value)) for n in Counter(value).values())


# Stars for a value that is not shown, and code that reads one: "getpass(", "process.env.TOKEN".
_STANDS_FOR = re.compile(
    r"[*•.…xX]{3,64}$|[A-Za-z_][\w.]{1,40}\(|(?:process|import\.meta|os|system)\.env|secrets\.|\$[A-Z_a-z{(]|\{\{|%[A-Z_]{2,40}%"
    r"|(?:change[-_]?(?:me|it)|your[-_][\w-]{2,40}|example|dummy|placeholder|redacted)$|~?\.{0,2}/[\w.]"
    r"|[a-z][\w./-]{1,60}:[0-9.]{1,12}$",
    re.IGNORECASE,
)


def _stated(value: str, near: bool) -> float | None:
    """Score a value that follows a word for a secret: prose words ("password is wrong") are none."""
    bare = value.rstrip(_TRAILING)
    if len(bare) < 4 or bare.startswith("<") or _STANDS_FOR.match(bare):
        return None
    return None if _PROSE.fullmatch(value) else 0.85


_HASHING = re.compile(
    r"(?:bcrypt|scrypt|argon2?(?:id?|d)?|pbkdf2?|sha-?[0-9]{1,3}|md5|hmac)[0-9]{0,3}", re.IGNORECASE
)


def _assigned(value: str, near: bool) -> float | None:
    """Score a value that is assigned with ":" or "=": a plain word counts too, a placeholder does not."""
    bare = value.rstrip(_TRAILING)
    if _HASHING.fullmatch(bare) or _STANDS_FOR.match(bare):
        return None
    if len(bare) < 4 or bare[0] in "<{$*" or bare.lower() in {"none", "null", "true", "false", "string", "required"}:
        return None
    return 0.85


def _key(value: str, near: bool) -> float | None:
    """Score what is given as a key or token: no prose, no count of tokens."""
    bare = value.rstrip(_TRAILING)
    if (bare.isdigit() and len(bare) < 8) or is_named(bare):
        return None
    return _stated(value, near) and _assigned(value, near)


def _code(value: str, near: bool) -> float | None:
    """Score what opens a door or a session: it has digits, and is no sum or time."""
    bare = value.rstrip(_TRAILING)
    return 0.85 if sum(c.isdigit() for c in bare) >= _LEAST_CODE and bare[0] not in "<{$*" else None


_LEAST_CODE = 3  # digits
def _random_looking(value: str, near: bool) -> float | None:
    """Score a long run by its entropy and mix: words, paths, UUIDs, hex digests and plain numbers are none."""
    kinds = sum(any(test(c) for c in value) for test in (str.isdigit, str.islower, str.isupper))
    # 24 random letters and digits have 4.3 bits a character on average; a word repeated, a padded number fewer.
    if kinds < 3 or _entropy(value) < 3.8 or _DIGEST.match(value):
        return None
    # Names in camel case and paths are made of words: runs of small letters, rare where characters are random.
    in_words = sum(len(run) for run in _SMALL_RUN.findall(value)) / len(value)
    scattered = len(_DIGIT_RUN.findall(value)) >= 3
    return 0.6 if in_words < (0.45 if scattered else 0.3) else None


# What a hash, an id, a public key or a piece of data begins with, or is called.
_HASHED = re.compile(
    r"(?:\b(?:sha-?[0-9]{0,3}|md5|blake[23]?\w?|hash|digest|checksum|fingerprint|integrity|etag|commit|trace"
    r"|correlation|request"
    r"|public[ _-]key|doc(?:ument)?|video|sheet|message|cursor|image|job|run|container|transaction|txn?|cid"
    r"|ipfs|(?:\w{1,20}[ _-])?ids?)"
    r"(?:[ _-](?:ids?|hash|is|was))?['\"]?[ ]?[:=(#/]?[ ]?['\"]?"
    r"|base64,|ssh-(?:rsa|dss|ed25519)[ ]|ecdsa-sha2-[a-z0-9-]{1,20}[ ]|(?:指纹|哈希|校验和?|摘要|公钥|编号|流水号?"
    r"|链路|消息)(?:是|为)?[ :=]{0,2})$",
    re.IGNORECASE | re.ASCII,
)
_DIGEST = re.compile(r"(?:sha-?[0-9]{1,3}|md5|blake[23][bs]?)[-:]|AAAA[BCE]3Nza", re.IGNORECASE)


_PASS_NEEDS, _KEY_NEEDS = ("pass", "pw", "pin"), ("secret", "key", "token", "credential")


def _spoken(name: str, called: str, join: str, needs: tuple[str, ...], check: Check) -> Rule:
    """A secret that stands behind a word for one."""
    pattern = re.compile(r"(?<![A-Za-z])" + called + join + _VALUE, re.IGNORECASE)
    return Rule(name, CREDENTIAL, pattern, 0.85, needs=needs, check=check)


_ANY = (*_PASS_NEEDS, *_KEY_NEEDS)
_CHOSEN = (
    r"(?<![A-Za-z])(?:use|used|using|set|enter|type|chose|choose)\s{1,3}['\"“]?(?P<value>[!-~]{4,64})"
    r"['\"”]?\s{1,3}as\s{1,3}"
    r"(?:(?:the|my|your|our|a|its|his|her)\s{1,3})?(?:[a-z]{1,20}\s{1,3}){0,2}(?:pass(?:word|phrase|code)|pwd|pin)"
)
_ITS = r"(?:\s{1,3}(?:of|for|on|to|at|in)(?:\s{1,3}[\w'.-]{1,30}){1,4})?"
_TELLING = r"(?=['\"“‘]?[!-~]{0,30}[0-9])['\"“‘]?(?P<value>[!-~]{4,64})"
_QUOTED = r"(?:['\"“‘](?P<value>[!-~][ -~]{2,62}[!-~])['\"”’])"
_WORD_EN = r"(?:pass(?:(?:word|phrase|code)s?|wd)|pwd?|pin(?: code)?)(?![A-Za-z])"
_PASS_OF = rf"(?<![A-Za-z]){_WORD_EN}{_ITS}\s{{1,3}}(?:is|was)\s{{1,3}}(?:now\s{{1,3}})?"
"""The PIN of my card is 7391: whose secret it is stands between the word and the value."""
_CHANGED = (
    r"(?<![A-Za-z])(?:changed?|changing|reset|resetting|set|updated?)(?:\s{1,3}[\w'-]{1,20}){0,4}\s{1,3}"
    rf"{_WORD_EN}{_ITS}"
)
_IS_MINE = (
    rf"(?<![!-~]){_TELLING}\s{{1,3}}is\s{{1,3}}(?:my|our|the|his|her|their)\s{{1,3}}"
    rf"(?:(?!(?:one|i|we|you|to|can|will|would|should|i['’]d|we['’]d|let['’]s|most|common|weakest|worst|example)\s)"
    rf"[a-z'-]{{1,20}}\s{{1,3}}){{0,3}}"
    rf"{_WORD_EN}"
)
_IS_MINE_ZH = (
    r"(?<![!-~])(?=[!-~]{0,30}[0-9])(?P<value>[!-~]{4,64})\s{0,3}(?:就?是(?:[我咱]们?的?|新|[他她]的)|当|作为?|做)"
    r"[\u4e00-\u9fff]{0,4}?" + _KEY_WORD_ZH
)
_BASIC = r"authorization['\"]?\s{0,3}:\s{0,3}['\"]?basic\s{1,3}(?P<value>[A-Za-z0-9+/]{6,500}={0,2})"
_PHRASE = (
    r"(?<![A-Za-z])(?:pass(?:word|phrase)\s{0,3}[:=]\s{0,3}['\"“]?"
    r"(?P<value>[a-z]{3,20}(?:[ -][a-z]{3,20}){2,7})(?=['\"”]?\s{0,9}[.!]?\s{0,9}$))"
)


_PHRASE_TOLD = (
    r"(?:(?<![A-Za-z])passphrase\b[^.:=\n]{0,50}?(?:[ ](?:is|was|reads)|[ ]?[:=])|unlocks[ ]with"
    r"|口令[^.:=\n]{0,10}?(?:是|:|=)?)"
    r"[ ]?['\"“]?(?P<value>[a-z]{3,20}(?:[ -][a-z]{3,20}){3,7})(?=['\"”]?[ ]?(?:[.,;!\n]|\Z))"
)
_OTHER_TONGUES = (
    r"(?<![^\W\d_])(?:contrase[ñn]a|clave de acceso|passwort|kennwort|mot de passe|senha|wachtwoord|has[łl]o"
    r"|l[öo]senord"
    r"|adgangskode|salasana|пароль)\s{0,3}(?:[:=]|\s(?:is|was|es|ist|est|é|jest|är|er|on)\s)\s{0,3}" + _VALUE
)


def _words_alone(value: str, near: bool) -> float | None:
    """Score words that a passphrase is made of: a sentence about passwords has words of grammar."""
    words = re.split(r"[ -]", value.lower())
    return None if any(w in ENGLISH or w in {"must", "required"} for w in words) else 0.9


_ASSIGN_JOIN = r"['\"]?\s{0,3}(?:[:=→]|=>|->)\s{0,3}"

RULES: tuple[Rule, ...] = (
    Rule("private key", CREDENTIAL, re.compile(_PRIVATE_KEY), 1.0, needs=("private key",)),
    Rule("jwt", CREDENTIAL, re.compile(_B + _JWT), 0.95, needs=("eyj",)),
    Rule("connection string", CREDENTIAL, re.compile(_CONNECTION), 0.95, needs=("://",)),
    Rule("bearer", CREDENTIAL, re.compile(_BEARER), 0.9, needs=("bearer",)),
    *provider_keys.RULES,
    _spoken("assigned password", _SPOKEN_EN, _ASSIGN_JOIN, _PASS_NEEDS, _assigned),
    _spoken("stated password", _SPOKEN_EN, _JOIN_EN, _PASS_NEEDS, _stated),
    # "pwd abc123": without a word between them only what has a digit is a value.
    _spoken("password beside", _SPOKEN_EN, r"\s{1,3}(?=[!-~]{0,30}[0-9])", _PASS_NEEDS, _stated),
    _spoken("assigned key", _KEY_EN, _ASSIGN_JOIN, _KEY_NEEDS, _assigned),
    _spoken("stated key", _KEY_EN, _JOIN_EN, _KEY_NEEDS, _key),
    _spoken("stated token", _LOOSE_EN, _JOIN_EN, _KEY_NEEDS, _key),
    _spoken("stated code", _CODE_EN, rf"(?:{_JOIN_EN}|{_ASSIGN_JOIN}|\s{{1,3}}(?=[0-9]))", ("code", "otp"), _code),
    Rule(
        "stated word",
        CREDENTIAL,
        re.compile(
            r"(?<![A-Za-z])pass(?:word|phrase|code|wd)\s{1,3}(?:is|was)\s{1,3}['\"]?(?P<value>[a-z]{4,40})"
            r"(?=['\"]?(?:[,;]|[.!?]?\s{0,9}$))",
            re.IGNORECASE,
        ),
        0.7,
        needs=("pass",),
        check=word,
    ),
    # "token是...": the word in English, what joins it in Chinese.
    _spoken("stated key zh", f"(?:{_KEY_EN}|{_LOOSE_EN}|{_SPOKEN_EN})", r"\s{0,3}" + _IS_ZH + r"\s{0,3}", _ANY, _key),
    Rule("chosen password", CREDENTIAL, re.compile(_CHOSEN, re.IGNORECASE), 0.85, needs=_PASS_NEEDS, check=_stated),
    *(
        Rule(name, CREDENTIAL, re.compile(pattern, re.IGNORECASE), 0.85, needs=_PASS_NEEDS, check=_stated)
        for name, pattern in (
            ("password of", _PASS_OF + _TELLING),
            (
                "password changed to",
                rf"{_CHANGED}(?:\s{{1,3}}from\s{{1,3}}[!-~]{{1,64}})?\s{{1,3}}to\s{{1,3}}{_TELLING}",
            ),
            ("password changed from", rf"{_CHANGED}\s{{1,3}}from\s{{1,3}}{_TELLING}"),
            ("is my password", _IS_MINE),
        )
    ),
    Rule("password of, quoted", CREDENTIAL, re.compile(_PASS_OF + _QUOTED, re.IGNORECASE), 0.85, needs=_PASS_NEEDS,
         check=lambda value, near: None if _STANDS_FOR.match(value) else 0.85),
    Rule(
        "is my password zh",
        CREDENTIAL,
        re.compile(_IS_MINE_ZH, re.IGNORECASE),
        0.85,
        needs=("码", "口令", "钥", "匙", "令牌"),
        check=_stated,
    ),
    Rule(
        "password in other tongues",
        CREDENTIAL,
        re.compile(_OTHER_TONGUES, re.IGNORECASE),
        0.85,
        needs=("contrase", "clave", "passwort", "kennwort", "mot de passe", "senha", "wachtwoord", "has", "senord",
               "adgangskode", "salasana", "пароль"),
        check=_stated,
    ),
    Rule("basic authorization", CREDENTIAL, re.compile(_BASIC, re.IGNORECASE), 0.9, needs=("basic",)),
    Rule(
        "passphrase told",
        CREDENTIAL,
        re.compile(_PHRASE_TOLD, re.IGNORECASE),
        0.85,
        needs=("passphrase", "unlocks with", "口令"),
        check=_words_alone,
    ),
    Rule("passphrase", CREDENTIAL, re.compile(_PHRASE, re.IGNORECASE), 0.9, needs=("pass",), check=_words_alone),
    Rule(
        "stated secret zh",
        CREDENTIAL,
        re.compile("(?<!《)" + _KEY_WORD_ZH + _JOIN_ZH + _VALUE, re.IGNORECASE),
        0.85,
        needs=("码", "口令", "钥", "匙", "令牌"),
        check=_assigned,
    ),
    Rule(
        "random token",
        CREDENTIAL,
        re.compile(r"(?<![A-Za-z0-9_+/.-])[A-Za-z0-9_+/-]{24,512}={0,2}(?![A-Za-z0-9_+/=])"),
        0.6,
        needs=(DIGIT,),
        check=_random_looking,
        unless_after=_HASHED,
    ),
)
