"""Passwords and keys on command lines: behind a program's own option, a long option for a secret, or a variable.

What stands for a secret ("$DB_PASS", "<password>", "****") is none, nor is the next option.
"""

import re
from typing import NamedTuple

from inference.pii.labels import alternatives, labels
from inference.pii.rules import Check, Rule
from inference.stopwords import ENGLISH

CREDENTIAL = "CREDENTIAL"

# A value, quoted or up to the next blank. `_GLUED`: directly behind its option.
_VALUE = r"(?P<quote>['\"])?(?P<value>(?(quote)[^'\"\n]{3,128}|[!-&(-~][!-~]{2,127}))"
_GLUED = r"(?P<quote>['\"])?(?P<value>(?(quote)[^'\"\n]{3,128}|[!-&(-,.-~][!-~]{2,127}))"
_WITHIN = r"[^\n|;&]{0,120}?"
_OWN_OPTIONS = r"(?:[ ]-[A-Za-z]\S{0,40}){0,3}?"


class _Option(NamedTuple):
    """`option` of `programs` is followed by a secret: `glued` directly, else behind a blank or "="."""

    programs: str
    option: str
    needs: tuple[str, ...]
    glued: bool = False
    within: str = _WITHIN


_MYSQL = f"(?:{alternatives('database_program')})"
_OPTIONS = (
    # What follows its own options is the command line of another program: "sshpass -e ssh -p 2222".
    _Option("sshpass", "-p", ("sshpass",), within=_OWN_OPTIONS),
    _Option("sshpass", "-p", ("sshpass",), glued=True, within=_OWN_OPTIONS),
    _Option(_MYSQL, "-p", labels("database_name"), glued=True),
    _Option(r"(?:mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mongostat)", "-p", ("mongo",)),
    _Option(
        r"(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|oc|az|kubectl|argocd|cf|crane|ibmcloud)"
        r"\b[^\n|;]{0,60}?\blogin",
        "-p",
        ("login",),
    ),
    _Option("redis-cli", r"(?:-a|--pass)", ("redis-cli",)),
    _Option(r"ldap(?:search|modify|add|delete|whoami|passwd|compare|modrdn)", "-w", ("ldap",)),
    _Option("ldappasswd", r"(?:-s|-a)", ("ldappasswd",)),
    _Option(r"(?:zip|unzip|zipcloak)", "-P", ("zip",)),
    _Option(r"(?:7z|7za|7zr|7zz|rar|unrar)", "-h?p", ("7z", "rar"), glued=True),
    _Option(r"(?:ipmitool|sqlcmd|bcp|mosquitto_pub|mosquitto_sub)", "-P", ("ipmitool", "sqlcmd", "bcp", "mosquitto")),
    _Option(r"(?:cqlsh|rabbitmqadmin|evil-winrm|winrm|crackmapexec|impala-shell)", "-p",
            ("cqlsh", "rabbitmq", "winrm", "crackmapexec", "impala")),
    _Option("nodetool", "-pw", ("nodetool",)),
    _Option("isql", "-P", ("isql",)),
    _Option(r"(?:steghide|pdftotext|fcrackzip|vncviewer|useradd|usermod)", r"(?:-p|-upw|-opw)",
            ("steghide", "pdftotext", "fcrackzip", "vncviewer", "useradd", "usermod")),
    _Option(r"openssl", r"(?:-k|-passin|-passout|-pass)", ("openssl",)),
    _Option(r"snmp(?:walk|get|set|bulkwalk|bulkget)", r"(?:-A|-X)", ("snmp",)),
    _Option(r"(?:keytool|jarsigner)", r"-(?:store|key|src|dest|new|srcstore|deststore|srckey|destkey)pass(?:wd)?",
            ("keytool", "jarsigner")),
    _Option(r"(?:x?freerdp|wlfreerdp|rdesktop|xfreerdp3)", r"(?:/p:|-p)", ("freerdp", "rdesktop"), glued=True),
    _Option(r"rdesktop", "-p", ("rdesktop",)),
    _Option(r"nmcli", r"(?:password|psk|wifi-sec\.psk)", ("nmcli",)),
    _Option(r"(?:pdftk|qpdf)", r"(?:user_pw|owner_pw|input_pw)", ("pdftk", "qpdf")),
    _Option(r"(?:aws|gcloud|git|npm|yarn|pip|composer|heroku|vercel|fly|flyctl|kubectl)\b[^\n|;]{0,60}?\bset",
            r"(?:aws_secret_access_key|aws_session_token|[\w.:/@-]{0,60}(?:_authToken|_password|\.token|\.password))",
            ("set",)),
)  # fmt: skip

_CALLED = (
    r"(?:pass(?:word|wd|phrase|code|wort)?|pwd|pw|psk|secret|token|storepass|keypass|api[_-]?key|apikey|auth[_-]?key"
    r"|access[_-]?key|secret[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?token|access[_-]?token|bearer)"
)
_LONG = (
    rf"(?<![\w-])--?(?!(?:ask|no|prompt|use|read|show)-)(?:[A-Za-z0-9]{{1,20}}[_-]){{0,3}}{_CALLED}(?:="
    rf"|[ ]{{1,2}}){_VALUE}"
)
_VARIABLE = (
    r"(?<![A-Za-z0-9_$-])(?:[A-Z0-9]{1,20}_){0,4}(?:[A-Z]{1,12})?(?:PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|SECRET|TOKEN"
    rf"|API_?KEY|ACCESS_KEY|SECRET_KEY|AUTH_KEY)={_VALUE}"
)
# user:password and user,password and user%password behind -u and -U; in the quotes of the whole or none.
_USER = (
    r"\b(?:curl|wget|http|https|xh|httpie|lftp|smbclient|rpcclient|smbget|ncftp|net)\b[^\n]{0,200}?\s(?:-u|-U|--user"
    r"|--auth|-a)[ =]?"
    r"['\"]?[^\s:,%'\"$-][^\s:,%'\"]{0,63}[:,%](?P<value>[^\s'\"]{3,128})"
)
_SQL = (
    r"\b(?:identified(?:[ ]with[ ][\w']{1,40})?[ ]by|(?:with[ ])?(?:encrypted[ ])?password)[ ]{1,2}"
    r"'(?P<value>[^'\n]{3,128})'"
)
_PIPED = (
    r"\b(?:echo|printf)[ ](?:-n[ ])?(?P<quote>['\"])?(?:[\w.-]{1,32}:(?=[^\n|]{3,80}\|[ ]?(?:sudo[ ])?chpasswd))?"
    r"(?P<value>(?(quote)[^'\"\n]{3,100}|[!-&(-~][!-~]{2,100}))['\"]?[ ]?\|[ ]?"
    r"(?:sudo[ ](?:-\w{1,3}[ ]){0,3}?-\w{0,2}S|(?:sudo[ ])?chpasswd|\w[\w./ -]{0,80}--?(?:password|passphrase)"
    r"-(?:stdin|fd))"
)
_POSITIONAL = (
    r"\b(?:htpasswd[ ]-\w{0,4}b\w{0,4}[ ]\S{1,80}[ ]\S{1,40}[ ]|wpa_passphrase[ ]\S{1,40}[ ]|rabbitmqctl[ ](?:add_user|"
    r"change_password)[ ]\S{1,40}[ ]|vault[ ]login[ ](?![a-z-]{1,20}\b)|net[ ]user[ ][\w.-]{1,40}[ ](?=[^\n]{3,60}/add)"
    r"|net[ ]use[ ](?:[A-Za-z]:[ ])?\\\\\S{1,80}[ ](?=[^\n]{3,60}/user)"
    r"|sqlplus[ ][\w.-]{1,40}/(?=[^\n@]{3,60}@)|mysqladmin\b[^\n|;]{0,80}?[ ]password[ ]"
    r"|openssl[ ]passwd[ ](?:-\w{1,6}[ ]){0,3}"
    rf"(?!-)){_VALUE}"
)

_STANDS_FOR = re.compile(
    r"[<{\[*(%.…`]|(?:id|src|type)=|33[0-9]{2}$|~?\.{0,2}/|[0-9]{1,5}:[0-9]{1,5}\b|\$(?:[A-Z_a-z{(]|$)|x{3,64}$|(?:my|your|the|new|old|db|some)?[_-]?(?:(?:api|access|secret|auth|db|admin)[_-]?)?(?:pass(?:word|wd|phrase)?|pwd|secret|token|key)"
    r"(?:[_-]?here)?[.,;:)\]]{0,3}$|(?:none|null|true|false|string|required|stdin|prompt|redacted|placeholder|env)"
    r"[.,;:)]{0,3}$"
    r"|change[-_]?(?:me|it)\b|example\b|dummy\b|os\.environ|process\.env|env\[|getenv|vault:|pass:\$|file:|env:|fd:|stdin",
    re.IGNORECASE,
)
_TALK = frozenset(
    """
    option options flag flags argument arguments parameter parameters prompt field value file line lines switch works
    asks reads needs takes gets expects means does stays goes instead reset login used
    """.split()  # noqa: SIM905
)
_NUMBER = re.compile(r"[0-9]{1,5}")


def _given(value: str, near: bool) -> float | None:
    """Score what a program is given as a secret: anything but a placeholder, another option, a word of the sentence."""
    if _STANDS_FOR.match(value) or (value.startswith("-") and len(value) < 20):
        return None
    word = value.strip("'\".,;:!?()").lower()
    return None if word in ENGLISH or word in _TALK or len(word) < 3 else 0.9


def _long(value: str, near: bool) -> float | None:
    """Score what stands behind "--password ": in talk a word goes on there."""
    return None if value.isdigit() and len(value) < 4 else _given(value, near)


def _not_a_port(value: str, near: bool) -> float | None:
    return None if _NUMBER.fullmatch(value) else _given(value, near)


def _rule(name: str, pattern: str, needs: tuple[str, ...], check: Check = _given, flags: int = 0) -> Rule:
    return Rule(name, CREDENTIAL, re.compile(pattern, flags | re.ASCII), 0.9, needs=needs, check=check)


def _option(option: _Option) -> Rule:
    behind = _GLUED if option.glued else rf"(?:[ ]{{1,3}}|=)(?!-[A-Za-z-])(?:pass:)?{_VALUE}"
    pattern = rf"(?<![\w.-])(?:{option.programs})(?:\.exe)?(?![\w-]){option.within}[ ]{option.option}{behind}"
    return _rule(f"command line, {option.needs[0]}", pattern, option.needs)


RULES: tuple[Rule, ...] = (
    *(_option(option) for option in _OPTIONS),
    _rule("command line, long option", _LONG, ("pass", "pw", "psk", "secret", "token", "key", "bearer"), _long,
          re.IGNORECASE),
    _rule("variable", _VARIABLE, ("pass", "pwd=", "secret", "token", "key=")),
    _rule("command line, user", _USER,
          ("curl", "wget", "http", "xh", "lftp", "smb", "rpcclient", "ncftp", "net"), _not_a_port),
    _rule("sql password", _SQL, ("identified", "password"), flags=re.IGNORECASE),
    _rule("piped secret", _PIPED, ("echo", "printf")),
    _rule("secret by place", _POSITIONAL,
          ("htpasswd", "wpa_", "rabbitmqctl", "vault", "net use", "sqlplus", "mysqladmin", "openssl")),
)  # fmt: skip
