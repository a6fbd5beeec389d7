"""Keys and passwords that are handed over, in English: with no word for a secret beside a generated key ("use this:",
"the new one is"), beside such a word with a remark between, behind a user's name, or in words.
"""

import re

from inference.pii.prose_secrets import KEY_EN, OPAQUE, SOMETHING_ELSE, opaque
from inference.pii.rules import Check, Rule
from inference.pii.secret_values import (
    figured,
    generated,
    joined,
    passphrase,
    plain_pair,
    strung,
    word,
)

CREDENTIAL = "CREDENTIAL"

_QUOTE = r"['\"“‘「`]?"
_ANY = r"(?P<value>[!-~]{6,64})"
GENERATED = r"(?P<value>(?<![A-Za-z0-9_./@=&?-])[A-Za-z0-9][A-Za-z0-9_+.-]{11,128}={0,2})(?![A-Za-z0-9/@])"
_SAID = r"(?<![A-Za-z])(?:pass(?:word|phrase|code)s?|passwd|pwd?)(?![A-Za-z])"
_KEY = rf"(?<![A-Za-z])(?<!public[ ])(?<!primary[ ])(?<!foreign[ ])(?:{KEY_EN}|key)(?![A-Za-z])"
_WORDS = r"(?P<value>[A-Za-z][a-z]{2,15}(?:[ ][A-Za-z]?[a-z]{2,15}){1,4}(?:[ ][0-9]{1,4})?)"
_TWO = r"(?P<value>[a-z]{3,15}[ ][a-z]{3,15})"
_END = r"(?=['\"”’]?(?:[,;!)\n]|\.(?:[ \n]|\Z)|\Z))"
_ITS = r"(?:[ ](?:of|for|on|to|at|in)(?:[ ][\w'’.-]{1,20}){1,5}?)?"
_IS = r"(?:,[ ]which[ ]is|,[ ]namely|[ ](?:is|was)(?:[ ](?:now|still|just|simply))?|['’]s|[ ]?:)"
# A word alone, where a code word is told.
_OWN_WORD = r"(?P<value>[A-Za-z][a-z]{3,20})"
# What belongs to a password is none: "as password hash".
_ITSELF = (
    r"(?![ _-]?(?:hash|manager|store|field|file|polic|rule|generator|input|prompt|encod|type|format|column|hint|id)s?)"
)
_OF_LOGIN = re.compile(r"pass|log|unlock|\bpin\b|wi-?fi|laptop|ipad|computer|phone|tablet", re.IGNORECASE)
_NEEDS = ("key", "token", "secret", "credential", "pass", "pat", "code", "pw")
_PASS = ("pass", "pw")


def _rule(
    name: str, pattern: str, needs: tuple[str, ...], check: Check, other: re.Pattern[str] | None = SOMETHING_ELSE
) -> Rule:
    compiled = re.compile(pattern, re.IGNORECASE)
    return Rule(name, CREDENTIAL, compiled, 0.8, needs=needs, check=check, unless_after=other)


RULES: tuple[Rule, ...] = (
    # "use this: ...", "our maps one is ...", "new one: ..."
    _rule(
        "generated and given",
        r"(?:\b(?:use|using|take|try|paste|put|set|send|add|save|store|keep|remember|here(?:['’]s|[ ]is)?"
        r"|this(?:[ ]is)?|with|it['’]s"
        r"|(?:one|ours|mine|his|hers|theirs|yours|value|it)(?:[ ](?:is|was|reads)|['’]s)(?:[ ]now)?|one)"
        rf"(?:[ ](?:this|it|that|one|ours|in))?[ ]?[:,–-]?)[ ]{_QUOTE}{GENERATED}",
        ("use", "using", "take", "try", "paste", "put", "set", "send", "add", "save", "store", "keep", "remember",
         "here", "this", "with", "it's", "it’s", "one", "ours", "mine", "his", "theirs", "yours", "value", "it "),
        generated,
    ),
    # "API secret (do not share!!): ..."
    _rule(
        "key behind a remark",
        rf"(?:{_KEY}|{_SAID})[ ]?\([^()\n]{{1,60}}\)[ ]?(?:is|was|[:=])?[ ]?{OPAQUE}",
        _NEEDS,
        opaque,
    ),
    _rule("password behind a remark", rf"{_SAID}[ ]?\([^()\n]{{1,60}}\)[ ]?(?:is|was"
        rf"|[:=])[ ]?{_QUOTE}{_ANY}", _PASS, figured),
    # "connect with mulberry9lane as the password"
    _rule(
        "as a password",
        rf"(?<![!-~]){_QUOTE}{_ANY}['\"”]?,?[ ]as[ ](?:(?:the|a|an|my|our|its|his|her|their|your)[ ])?"
        rf"(?:[a-z-]{{2,15}}[ ]){{0,2}}?(?:{_SAID}|{_KEY}){_ITSELF}",
        _NEEDS,
        strung,
    ),
    # "The keystore password stayed ... since spring"
    _rule(
        "password stayed",
        rf"(?:{_SAID}|{_KEY})[^.?!\n]{{0,40}}?[ ](?:stayed|stays|remained|remains|has[ ](?:always[ ])?been|reads"
        rf"|says|goes)"
        rf"[ ]{_QUOTE}{_ANY}",
        _NEEDS,
        strung,
    ),
    # "user mailer and pass Dd7!kettle"
    _rule(
        "user and pass",
        rf"\b(?:user(?:[ ]?name)?|log[ -]?in|account)[ :]{{1,2}}[\w.@-]{{2,40}},?[ ](?:and[ ]|with[ ])?(?:pass"
        rf"|pw|pwd)[ ]"
        rf"{_QUOTE}{_ANY}",
        _PASS,
        figured,
    ),
    # "The FTP login for the print shop: customer77 / folio-Garamond", "the admin account is admin and Lotus!2231"
    _rule(
        "login and its password",
        r"\b(?:log[ -]?in|log[ -]?on|sign[ -]?in|account|creds?|credentials|admin|(?:s?ftp|smtp|vpn|ssh"
        r"|nas)[ ]access)\b"
        r"[^.?!\n]{0,40}?(?::|[ ]is|[ ]are|[ ]was)[ ](?!(?:in|on|at|the|a|an|not|locked|for)[ ])[A-Za-z][\w.@-]{1,40}"
        rf"(?:[ ]?[/|][ ]?|,[ ]|[ ]and[ ]){_QUOTE}{_ANY}",
        ("log", "sign", "account", "cred", "admin", "access"),
        joined,
    ),
    # "the passphrase for the backups is walnut Tractor 19", "the SSH passphrase, kayak over gravel"
    _rule(
        "passphrase in words",
        rf"(?<![A-Za-z])pass[ -]?phrase(?![A-Za-z])(?:{_ITS}{_IS}|,)[ ]{_QUOTE}{_WORDS}{_END}",
        ("passphrase", "pass phrase", "pass-phrase"),
        passphrase,
        None,
    ),
    _rule(
        "passphrase given to",
        rf"(?<![A-Za-z])pass[ -]?phrase(?![A-Za-z])[^.?!\n]{{0,30}}?[ ,](?:give|type|enter|use|say"
        rf"|tell)[ ](?:it[ ]|in[ ]|them[ ])?"
        rf"{_QUOTE}{_WORDS}{_END}",
        ("passphrase", "pass phrase", "pass-phrase"),
        passphrase,
        None,
    ),
    _rule("password of two words", rf"{_SAID}{_ITS}{_IS}[ ]{_QUOTE}{_TWO}{_END}", _PASS, plain_pair, None),
    # "they'll ask for the code word, which is tangerine"
    _rule(
        "code word",
        rf"(?<![A-Za-z])(?:code[ -]?words?|safe[ -]?word)(?![A-Za-z]){_ITS}{_IS}"
        rf"[ ]{_QUOTE}{_OWN_WORD}(?![A-Za-z])",
        ("word",),
        word,
        None,
    ),
    # "the password is the street we grew up on, Lindenallee", "my dog's name and then 77, so Biscuit77"
    _rule(
        "told and written",
        rf"(?:{_SAID}){_ITS}{_IS}[ ](?:the|my|our|his|her|their)[ ][^.,;:!?\n]{{4,60}}[,:][ ](?:so[ ]"
        rf"|that['’]s[ ]|i\.e\.[ ])?"
        rf"{_QUOTE}(?P<value>(?-i:[A-Z])[A-Za-z0-9!#$%&*_-]{{4,40}}|[a-z]{{3,20}}[0-9]{{1,6}}){_END}",
        _PASS,
        word,
        None,
    ),
    Rule(
        "worked out and written",
        CREDENTIAL,
        re.compile(
            r"\b(?:name|birthday|surname|street|initials|year|nickname)\b[^.?!\n]{0,40}?,[ ](?:so|that['’]s"
            r"|that[ ]is|meaning)[ ]"
            rf"['\"“]?{_ANY}",
            re.IGNORECASE,
        ),
        0.8,
        needs=("name", "birthday", "street", "initials", "year"),
        check=figured,
        context=_OF_LOGIN,
        context_required=True,
        unless_after=re.compile(r"\b(?:user[ ]?name|handle|e-?mail|nick|gamertag)\b[^.?!\n]{0,38}$", re.IGNORECASE),
    ),
    # "Use these for the SMS gateway: ..."
    _rule(
        "generated behind a colon",
        rf"\b(?:use|using|here|this|these|one|ours|mine|new)\b[^.?!:\n]{{0,50}}:[ ]?{_QUOTE}{GENERATED}",
        (":",),
        generated,
    ),
    # "the partner's API wants our key, p9k2m4x7q1z8"
    _rule(
        "key of ours",
        rf"(?<![A-Za-z])(?:my|our|his|her|their|your|the)[ ](?:own[ ]|new[ ]|old[ ])?key(?:,|[ ]?[:–-])[ ]{OPAQUE}",
        ("key",),
        opaque,
    ),
    # "their sandbox gave me the key ..."
    _rule(
        "key beside",
        rf"(?<![A-Za-z])(?:the|a|this|that|my|our"
        rf"|their)[ ](?:[a-z]{{2,10}}[ ])?(?<!primary[ ])(?<!foreign[ ])(?<!public[ ])key[ ]{OPAQUE}",
        ("key",),
        opaque,
    ),
    # "with mailer / Kettle-Drum-9 the relay accepts it"
    _rule(
        "with a login",
        rf"\b(?:with|using|via|as|use)[ ][A-Za-z][\w.@-]{{2,40}}[ ]/[ ]{_QUOTE}{_ANY}",
        (" / ",),
        joined,
    ),
    # "unlock the backup with the phrase lantern above harbour"
    _rule(
        "phrase that unlocks",
        r"\b(?:unlock|decrypt|open|restore|unseal)s?\b[^.?!\n]{0,50}?\b(?:the[ ])?(?:phrase|words)[ :]{1,2}"
        rf"{_QUOTE}{_WORDS}{_END}",
        ("phrase", "words"),
        passphrase,
        None,
    ),
    # "the licence for the plotting tool? L8QK-22MD-90PX": three groups, and not of a driver
    _rule(
        "three groups of a licence",
        r"\b(?:(?:licen[cs]e|activation|product|serial|registration)[ -](?:keys?|codes?)"
        r"|licen[cs]e[ ](?:of|for)[ ][^.?!\n]{0,30}?(?:software|plug-?in|tool|program|app|editor|suite|addon))\b"
        r"[^.!\n]{0,40}?[ :=]['\"“]?(?P<value>(?-i:(?=[A-Z-]{0,20}[0-9])(?=[0-9-]{0,20}[A-Z])[A-Z0-9]{4,6}"
        r"(?:-[A-Z0-9]{4,6}){2}))(?![A-Za-z0-9-])",
        ("licen", "activation", "product", "serial", "registration"),
        lambda value, near: 0.8,
        None,
    ),
)
