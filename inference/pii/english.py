"""English numbers that need context, and street addresses."""

import re

from inference.pii.rules import DIGIT, Rule

_SUFFIX = (
    r"(?:street|str|st|avenue|ave|av|road|rd|boulevard|blvd|drive|dr|lane|ln|court|ct|place|pl|plaza|square|sq|terrace"
    r"|ter|trail|trl|circle|cir|highway|hwy|parkway|pkwy|way|alley|loop|crescent|close|grove|mews|row|walk|crossing"
    r"|path|pike|point|ridge|run|branch|burg|falls|park|gardens|hill|hills|heights|meadow|meadows|quay|wharf|yard)"
)
_UNIT = r"(?:apartment|apt|suite|ste|unit|floor|room|rm|building|bldg|flat|box|#)\.?[ ]?#?[0-9A-Za-z-]{1,8}"
_DIRECTION = r"(?:[ ](?:north|south|east|west)(?:east|west)?|[ ][NSEW][EW]?\b)"
# A house number, up to five words of which the last is a kind of street, perhaps a direction and a unit.
_STREET = (
    r"(?<![0-9A-Za-z$.,:/-])[0-9]{1,6}[A-Za-z]?(?:[ /-][0-9]{1,5})?[ ,]{1,2}"
    r"(?:[A-Za-z0-9\u00c0-\u024f'.-]{1,20}[ ]){1,4}"
    + _SUFFIX
    + r"\b\.?"
    + _DIRECTION
    + r"?(?:[,]?[ \n]{1,2}"
    + _UNIT
    + r"){0,2}"
)
_BOX = r"\bP\.?[ ]?O\.?[ ]?Box[ ][0-9]{1,6}\b"

_LICENSE_NUMBER = r"(?<![0-9A-Za-z-])[A-Za-z]{0,3}[0-9](?:[ -]?[0-9A-Za-z]{1,8}){1,5}(?![0-9A-Za-z-])"
_LICENSE_CONTEXT = re.compile(
    r"driv(?:er|ing)(?:'?s|s'?)?[ -]{1,2}(?:licen[cs]e|permit)|\blicen[cs]e (?:number|no)|驾照|驾驶证", re.IGNORECASE
)


def _license(value: str, near: bool) -> float | None:
    return 0.85 if sum(c.isdigit() for c in value) >= 5 else None


RULES: tuple[Rule, ...] = (
    Rule("street", "ADDRESS", re.compile(_STREET, re.IGNORECASE), 0.85, needs=(DIGIT,)),
    Rule("post box", "ADDRESS", re.compile(_BOX, re.IGNORECASE), 0.85, needs=(DIGIT,)),
    Rule(
        "driver license",
        "US_DRIVER_LICENSE",
        re.compile(_LICENSE_NUMBER),
        0.85,
        needs=("licen", "permit", "驾"),
        check=_license,
        context=_LICENSE_CONTEXT,
        context_required=True,
    ),
)
