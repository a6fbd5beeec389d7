"""Personal numbers and addresses of the net that look alike in every language."""

import re

from inference.pii.checksums import is_date, resident_id
from inference.pii.rules import DIGIT, Rule

EMAIL, URL, RESIDENT_ID = "EMAIL_ADDRESS", "URL", "CN_RESIDENT_ID"

_LETTER = r"A-Za-z\u00c0-\u024f"

_EMAIL = (
    rf"[{_LETTER}0-9_](?:[{_LETTER}0-9._%+'-]{{0,62}}[{_LETTER}0-9_%+-])?"
    rf"@(?:[{_LETTER}0-9](?:[{_LETTER}0-9-]{{0,61}}[{_LETTER}0-9])?\.){{1,6}}[{_LETTER}]{{2,24}}(?![{_LETTER}])"
)
# Units of an init system and pictures for dense screens are written like addresses ("getty@tty1.service").
_NO_DOMAIN = re.compile(
    r".{1,255}\.(?:service|socket|timer|mount|target|slice|scope|png|jpe?g|gif|svg|webp|ico|pdf|js|jsx|ts|tsx|css|html?|json"
    r"|ya?ml|toml|md|txt|tgz|gz|whl|jar|py|sh)",
    re.IGNORECASE,
)
_URL = (
    r"(?<![A-Za-z0-9])(?:https?://|ftp://|www\.(?=[A-Za-z0-9]))"
    r"[A-Za-z0-9\[\]._~:/?#@!$&*+,;=%-]{1,2000}[A-Za-z0-9/#=_&-]"
)

_RESIDENT = (
    r"(?<![0-9A-Za-z])[1-9][0-9]{5}[ -]?(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
    r"[ -]?[0-9]{3}[0-9Xx](?![0-9A-Za-z])"
)
_ID_CONTEXT = re.compile(r"身份证|证件|\bid\b|identity|identification|resident", re.IGNORECASE)

# Who logs in where ("ssh -p 2222 ops@files.test"), and a path there ("backup@vault.test:/in").
_REMOTE_SHELL = re.compile(
    r"(?<![A-Za-z0-9])(?:ssh|scp|sftp|mosh|sshfs|ssh-copy-id)(?:[ ]-[A-Za-z]{1,4}(?:[ ][\w./~-]{1,24})?){0,3}[ ]$"
)
_REMOTE_PATH = re.compile(r":[/~]")


def _email(value: str, near: bool) -> float | None:
    return None if _NO_DOMAIN.fullmatch(value[value.index("@") :]) else 0.95


def _resident(value: str, near: bool) -> float | None:
    """Score a resident ID: its date must exist; without the check digit it counts, but less."""
    number = value.replace(" ", "").replace("-", "")
    if not is_date(number[6:14]):
        return None
    if resident_id(number):
        return 0.99
    return 0.97 if near else 0.85


RULES: tuple[Rule, ...] = (
    Rule(
        "email", EMAIL, re.compile(_EMAIL), 0.95, needs=("@",), check=_email, unless_after=_REMOTE_SHELL,
        unless_before=_REMOTE_PATH,
    ),
    Rule("url", URL, re.compile(_URL, re.IGNORECASE), 0.8, needs=("http", "ftp:", "www.")),
    Rule("resident id", RESIDENT_ID, re.compile(_RESIDENT), 0.7, needs=(DIGIT,), check=_resident, context=_ID_CONTEXT),
)
