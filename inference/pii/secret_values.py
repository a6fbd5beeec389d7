"""What people give as a secret in plain words: figures, figures in words, turns of a dial, a word, a description.

Shapes for patterns (each a group of its own, bounded) and checks of what they found.
"""

import re

from inference.stopwords import ENGLISH

FIGURE_WORD = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_FIGURES = r"[#*]?[0-9]{1,10}(?:[ -][0-9]{1,10}){0,9}[#*]?"
_IN_WORDS = rf"(?:(?:double|triple)[ ])?{FIGURE_WORD}(?:[ ,-]{{1,2}}(?:(?:double|triple)[ ])?{FIGURE_WORD}){{2,20}}"
_MIXED = r"(?=[A-Za-z-]{0,8}[0-9])[A-Za-z0-9][A-Za-z0-9#*-]{2,20}"
_TURN = r"(?:clockwise|(?:counter|anti)-?[ ]?clockwise|left|right)"
DIAL = (
    rf"(?:{_TURN}[ ](?:to[ ])?[0-9]{{1,2}}(?:,?[ ](?:then[ ]|and[ ]){{0,2}}{_TURN}[ ](?:past[ ][0-9]{{1,2}}[ ])?"
    r"(?:to[ ])?[0-9]{1,2}){1,5}"
    rf"|[0-9]{{1,2}}[ ](?:to[ ]the[ ])?{_TURN}(?:,?[ ](?:then[ ]"
    rf"|and[ ]){{0,2}}[0-9]{{1,2}}[ ](?:to[ ]the[ ])?{_TURN})"
    r"{1,5})"
)
CODE = (
    rf"(?P<value>{_IN_WORDS}|{_FIGURES}|{_MIXED})(?![A-Za-z0-9%°€$£]|[.,:/][0-9])"
    # What is counted goes on with its noun ("400 grams"); a code ends, or the sentence goes on behind it.
    r"(?=['\"”’]?(?:[.,;:!?)\]\n]|\Z|[ ]{1,2}(?:[(–—]|-[ ]|(?:and|then|to|followed|or|in|on|before|after|with|plus"
    r"|by|as|if|for"
    r"|is|but|so|until|when|at|now|twice|within|first|instead|please|thanks|because|since|while|again|from"
    r"|unless|which|not)\b)))"
)
"""Figures, figures in words or a mixed code, ended as a code is."""

WORD = r"(?P<value>[A-Za-z][A-Za-z0-9'’_-]{3,40})"
WORDS = r"(?P<value>[A-Za-z][A-Za-z0-9'’_-]{3,30}(?:[ ][A-Za-z][A-Za-z'’-]{2,20}){0,2}?)"
DESCRIBED = (
    r"(?P<value>(?:the|my|our|his|her|their|when|mum['’]s|mom['’]s|dad['’]s)[ ][^.,;:!?\n\"”]{3,60}?)"
    r"(?=[.,;:!?\n\"”]|\Z|[ ](?:but|so|don['’]t|because|in[ ]case|if|which|easy"
    r"|and[ ](?:don|if|tell|then|it|that|i|you|the|my))"
    r"(?![A-Za-z]))"
)
_DESCRIBES = re.compile(
    r"\b(?:birth|born|birthdays?|birthdate|anniversary|wedding|married|post ?code|zip|house number|number ?plate"
    r"|plates?"
    r"|maiden|(?:dog|cat|pet|kid|son|daughter)['’]s (?:name|birthday)|backwards?|reversed?|in reverse"
    r"|first (?:two|three|four|six)|last (?:two|three|four|six)|plus|followed by)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(rf"[0-9]|\b{FIGURE_WORD}\b", re.IGNORECASE)
_REPEATED = re.compile(r"\b(?:double|triple)\b", re.IGNORECASE)
_LEAST_FIGURES = 3
_FAR = re.compile(r"(?!(?:19|20)[0-9]{2}$)(?=.{4}).{1,120}")
_TRAILING = ".,;:!?)]}>'\"`’”"

# Programs, standards and machines by name and number: "Firefox128", "OAuth2.0", "ed25519", "k8s-node-3a".
_PROGRAM = re.compile(
    r"(?:firefox|chrome|chromium|safari|edge|opera|oauth|openid|oidc|saml|excel|word|office|windows|win|ubuntu|debian"
    r"|fedora|centos|python|java|jdk|node|php|ruby|dotnet|mysql|mariadb|postgres(?:ql)?|redis|oracle|ios|ipados|macos"
    r"|android|ipad|iphone|galaxy|pixel|thinkpad|yubi-?key|fritz!?box|google|ipv|wpa|https?|tls|ssl|ssh|usb|sha"
    r"|rsa|aes"
    r"|md|face[ _-]?id|touch[ _-]?id|wpa|wep|utf|erc|bep|base|bcrypt|argon|scrypt|pbkdf|blake|ed|curve|x|es|hs"
    r"|rs|ps|gpt|llama|qwen|claude)"
    r"[-_ ]?v?[0-9]{1,5}(?:[.-][0-9]{1,5}){0,3}[a-z]{0,3}",
    re.IGNORECASE,
)
_VERSIONED = re.compile(r"[A-Za-z]{1,30}[-_]?v?[0-9]{1,4}(?:\.[0-9]{1,5}){1,3}")
_HOST_PART = r"(?:[a-z]{2,20}[0-9]{0,4}|[a-z0-9]{1,4})"
_HOST = re.compile(rf"(?=(?:[a-z0-9]{{1,20}}[-_.]){{0,5}}[a-z]{{3,20}}(?:[-_.]"
                   rf"|$)){_HOST_PART}(?:[-_.]{_HOST_PART}){{1,5}}")
_MEASURE = re.compile(r"[0-9]{1,8}[A-Za-z]{1,12}")

# Words that say something about a password, or answer a question about one, and are none.
_ABOUT = frozenset(
    """
    about absolutely active again almost already also always annoying another anything ask being best better blank
    box broken case certainly change changes common complex complicated correct crap definitely different difficult
    dunno easy either empty enough entry everything expired field fields fine first forgotten form free generator gone
    good great guess hard hash hello here hidden hint hints important impossible incorrect insane invalid just kept
    known last like locked login long longer lost manager managers mandatory maybe mine missing more myself necessary
    needed never nobody none nonsense nope nothing obsolete okay old only optional outdated page perhaps please policy
    probably prompt public random recent reset resets ridiculous right rules safe same saved screen secret secure
    sensitive short shorter simple simpler something somewhere sorry still stored strong stronger sure temporary
    terrible thanks that there this true unclear unique unknown useless valid very visible weak well what where
    whatever working worse wrong yeah yours
    afterwards done later monday tuesday wednesday thursday friday saturday sunday nowhere often settings sometimes soon
    today tomorrow tonight yesterday
    """.split()  # noqa: SIM905
)
_ABOUT_ENDING = re.compile(r"[a-z]{2,40}(?:ed|ing|able|ible|ful|less|ive|ous|ory|ary|ly|n['’]t)", re.IGNORECASE)


def code(value: str, near: bool) -> float | None:
    """Score a code: three figures or more, said or written."""
    if is_named(value) or re.fullmatch(r"[0-9]{1,5}x[0-9]{1,5}", value):
        return None
    figures = len(_FIGURE.findall(value)) + len(_REPEATED.findall(value))
    return 0.85 if figures >= _LEAST_FIGURES else None


def word(value: str, near: bool) -> float | None:
    """Score a word that is given as a password: nothing that is said about one."""
    bare = value.rstrip(_TRAILING).lower()
    is_ordinary = bare in _ABOUT or bare in ENGLISH or _ABOUT_ENDING.fullmatch(bare)
    return None if is_ordinary or len(bare) < 4 else 0.75


def words(value: str, near: bool) -> float | None:
    """Score one to three words that are given as a password: each as one."""
    return 0.75 if all(word(each, near) for each in value.split() if len(each) > 3) and word(value, near) else None


def plain_words(value: str, near: bool) -> float | None:
    """Score words that a passphrase or a seed is made of: none is grammar, none says something about a secret."""
    parts = re.split(r"[ ,\n-]{1,2}", value.lower())
    about = any(part in ENGLISH or part in _ABOUT or _ABOUT_ENDING.fullmatch(part) for part in parts)
    return None if about else 0.9


def marked(value: str, near: bool) -> float | None:
    """Score what is written as no word is: a figure in it, or a mark or a capital within."""
    bare = value.rstrip(_TRAILING)
    if len(bare) < 5 or "://" in bare or bare[0] in "<{$" or re.fullmatch(r"[0-9]{1,2}[:.][0-9]{2}.{0,2}", bare):
        return None
    within = re.search(r"[^A-Za-z'’.,/-]", bare) or re.search(r"[a-z][.]?[A-Z]", bare)
    return 0.8 if within and any(c.isalpha() for c in bare) else None


def written(value: str, near: bool) -> float | None:
    """Score what stands behind "password" with nothing between: a mark, or two words run together by a dot."""
    bare = value.rstrip(_TRAILING)
    return 0.8 if "(" not in bare and re.search(r"[!@#$%^&*+~_]|[a-z][.][A-Z]", bare[1:]) else None


def long_code(value: str, near: bool) -> float | None:
    """Score a code that stands further from its word: four figures or more, and no year."""
    return code(value, near) if _FAR.fullmatch(value) else None


def document(value: str, near: bool) -> float | None:
    """Score the number of a document of identity: five digits or more among its letters."""
    return 0.85 if sum(c.isdigit() for c in value) >= 5 else None


def described(value: str, near: bool) -> float | None:
    """Score words from which a secret can be worked out."""
    return 0.8 if _DESCRIBES.search(value) else None


def everyday_score(value: str, near: bool) -> float | None:
    """Score what is quoted as a secret: more than a word about one."""
    several = " " in value and re.search(r"\b(?:is|was|forgot|forgotten|please)\b", value) is None
    return 0.85 if several else word(value, near)


def is_named(bare: str) -> bool:
    """Is it a program, a standard or a machine by its name and number?"""
    return bool(_PROGRAM.fullmatch(bare) or _VERSIONED.fullmatch(bare) or _HOST.fullmatch(bare))


def figured(value: str, near: bool) -> float | None:
    """Score letters with figures that stand where a password is told: no program, machine, address, measure."""
    bare = value.rstrip(_TRAILING.replace("!", ""))
    letters = sum(c.isalpha() for c in bare)
    if len(bare) < 6 or letters < 3 or letters == len(bare) or "://" in bare or re.search(r"[@/=(]", bare[1:-1]):
        return None
    if re.search(r"pass?w[o0]rd", bare, re.IGNORECASE):
        return None  # "Passw0rd!" stands for any
    marks = any(c.isdigit() for c in bare) or re.search(r"[!#$%^&*+~_]", bare)
    return None if not marks or _MEASURE.fullmatch(bare) or is_named(bare) else 0.8


def paired(value: str, near: bool) -> float | None:
    """Score what stands behind a user's name and a slash: words with a figure too ("ops / ten-boats-9")."""
    bare = value.rstrip(_TRAILING.replace("!", ""))
    words = re.fullmatch(r"[a-z]{3,20}(?:[-_][a-z]{3,20}){1,4}[-_]?[0-9]{1,4}", bare)
    return 0.75 if words else figured(value, near)


def capital(value: str, near: bool) -> float | None:
    """Score what is figured and has a capital beside small letters: it may stand further off."""
    both = any(c.isupper() for c in value) and any(c.islower() for c in value) and any(c.isdigit() for c in value)
    return figured(value, near) if both and len(value.rstrip(_TRAILING)) >= 8 else None


def mixed(value: str, near: bool) -> float | None:
    """Score what nobody writes but a generator: capitals, small letters and figures by turns, ten or more."""
    bare = value.rstrip(_TRAILING)
    kinds = (str.isdigit, str.islower, str.isupper)
    if len(bare) < 10 or bare.startswith("AAAA") or is_named(bare) or "://" in bare:
        return None
    if not all(any(map(kind, bare)) for kind in kinds):
        return None
    turns = len(re.findall(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])", bare))
    return 0.75 if turns >= 3 else None


def no_time(value: str, near: bool) -> float | None:
    """Score a code that is no hour of the day."""
    return None if re.fullmatch(r"(?:[01][0-9]|2[0-3])[0-5][0-9]", value) else code(value, near)


# Numbers that say how much, when or which year; keypads have other ones more often than not.
_AMOUNT = re.compile(r"[1-9][0-9]{0,5}00|(?:19|20)[0-9]{2}|[0-9]{1,2}")


def no_amount(value: str, near: bool) -> float | None:
    """Score a code where nothing calls it one: no round sum, no year, no hour of the day."""
    return None if _AMOUNT.fullmatch(value) else no_time(value, near)


_NETWORK_NAMED = re.compile(r"(?:wpa|wep|ieee|802|wi-?fi|http)", re.IGNORECASE)


def network_key(value: str, near: bool) -> float | None:
    """Score the key of a network, which has eight characters or more: letters with a figure or a mark."""
    bare = value.rstrip(_TRAILING.replace("!", ""))
    if len(bare) < 8 or _NETWORK_NAMED.match(bare) or _PROGRAM.fullmatch(bare) or _VERSIONED.fullmatch(bare):
        return None
    if re.search(r"[@/=(<{:]", bare) or _MEASURE.fullmatch(bare) or sum(c.isalpha() for c in bare) < 3:
        return None
    return 0.8 if re.search(r"[0-9!#$%^&*+~_]", bare) else None


def no_sum(value: str, near: bool) -> float | None:
    """Score what wheels are set to: no round sum, no year."""
    return None if _AMOUNT.fullmatch(value) else code(value, near)


_SEALED = re.compile(r"(?=.{0,62}[!#$%^&*+~_])[A-Za-z0-9].{5,63}|[a-z]{3,20}[.-][A-Z][a-z]{2,20}"
    r"|[A-Z][a-z]{2,20}[._][a-z]{3,20}")
_HYPHENED = re.compile(r"[a-z]{3,20}-[A-Z][a-z]{3,20}(?:-?[0-9]{1,4})?|[A-Za-z]{3,20}-[A-Za-z]{3,20}-[0-9]{1,4}")


def sealed(value: str, near: bool) -> float | None:
    """Score what a machine is unlocked with: figures among letters, a mark, or two words run together by a dot."""
    bare = value.rstrip(_TRAILING)
    if is_named(bare) or "(" in bare or "://" in bare or bare[0] in "<{$-":
        return None
    return 0.75 if _SEALED.fullmatch(bare) and "_" not in bare else unspoken(value, near)


def joined(value: str, near: bool) -> float | None:
    """Score what stands where a login's password does: figured, or two words joined by a hyphen, one a capital's."""
    return 0.75 if _HYPHENED.fullmatch(value.rstrip(_TRAILING)) else unspoken(value, near)


def symbolic(value: str, near: bool) -> float | None:
    """Score figures or a capital among letters with a mark that no product's name has."""
    return figured(value, near) if re.search(r"[!#$%^&*~]", value.rstrip(_TRAILING.replace("!", ""))) else None


def unspoken(value: str, near: bool) -> float | None:
    """Score figures among letters with a mark or a capital beside small letters: as no word, unit or model is."""
    bare = value.rstrip(_TRAILING.replace("!", ""))
    marks = re.search(r"[!#$%^&*+~]", bare)
    both = any(c.isupper() for c in bare[1:]) and any(c.islower() for c in bare)
    return figured(value, near) if marks or both else None


_PREFIXED = re.compile(r"[a-z]{1,8}_[A-Za-z0-9]{8,64}|[0-9a-f-]{1,128}|[0-9A-F-]{1,128}")
"""Ids of objects ("cus_Nff..."), and what is written in hexadecimal."""


def generated(value: str, near: bool) -> float | None:
    """Score what nobody writes but a generator, where no word says what it is: twelve characters or more, letters and
    figures by turns; hexadecimal is more often a hash or an id."""
    bare = value.rstrip(_TRAILING)
    if len(bare) < 12 or _PREFIXED.fullmatch(bare):
        return None
    if re.search(r"[0-9]{4}-?[01][0-9]-?[0-3][0-9]|[a-z]{6}|\.[a-z]{2,4}$", bare):
        return None  # a date, a word, a file
    return mixed(bare, near)


def strung(value: str, near: bool) -> float | None:
    """Score what is called a password behind it: figured, or words joined with a figure."""
    bare = value.rstrip(_TRAILING)
    joined_words = _HYPHENED.fullmatch(bare) or _SEALED.fullmatch(bare)
    return 0.75 if joined_words and "_" not in bare else figured(value, near)


_JOINS = frozenset("over under and of in on at to for with the a an my no into by from near without or".split())  # noqa: SIM905
_TECHNICAL = frozenset(
    """
    text input policy knowledge data string value argument parameter variable part luck job issue problem sensitive
    hash error message question answer management security entry character characters letters digits rotation sharing
    reuse habit protected word words phrase default side way thing mess pain joke nightmare risk
    """.split()  # noqa: SIM905
)


def passphrase(value: str, near: bool) -> float | None:
    """Score the words of a passphrase: words of things, joined by a preposition at most."""
    parts = value.lower().split()
    if len(parts) < 2 or parts[-1] in _TECHNICAL or parts[0] in _JOINS or parts[-1] in _JOINS:
        return None
    others = [part for part in parts if part not in _JOINS and not part.isdigit()]
    about = any(p in ENGLISH or p in _ABOUT or _ABOUT_ENDING.fullmatch(p) for p in others)
    return None if about or len(others) < 2 else 0.8


def plain_pair(value: str, near: bool) -> float | None:
    """Score two plain words that are given as a password: neither says something about one."""
    parts = value.lower().split()
    about = any(p in ENGLISH or p in _ABOUT or p in _TECHNICAL or _ABOUT_ENDING.fullmatch(p) for p in parts)
    return None if about else 0.75
