"""English numbers that need context, and street addresses in Latin script.

Street words: the suffixes of USPS Publication 28, appendix C1, and the common street words of Europe's languages.
"""

import re

from inference.pii.rules import DIGIT, Rule

# Of USPS appendix C1; each stands for its plural too.
_USPS = (
    "Alley|Anex|Arcade|Avenue|Bayou|Beach|Bend|Bluff|Bottom|Boulevard|Branch|Bridge|Brook|Burg|Bypass|Camp|Canyon|Cape"
    "|Causeway|Center|Circle|Cliff|Club|Common|Corner|Course|Court|Cove|Creek|Crescent|Crest|Crossing|Crossroad|Curve"
    "|Dale|Dam|Divide|Drive|Estate|Expressway|Extension|Fall|Ferry|Field|Flat|Ford|Forest|Forge|Fork|Fort|Freeway"
    "|Garden|Gateway|Glen|Green|Grove|Harbor|Haven|Height|Highway|Hill|Hollow|Inlet|Island|Isle|Junction|Key|Knoll|Lake"
    "|Landing|Lane|Light|Loaf|Lock|Lodge|Loop|Mall|Manor|Meadow|Mew|Mill|Mission|Motorway|Mount|Mountain|Neck|Orchard"
    "|Oval|Overpass|Park|Parkway|Passage|Path|Pike|Pine|Place|Plain|Plaza|Point|Port|Prairie|Radial|Ramp|Ranch|Rapid"
    "|Rest|Ridge|River|Road|Route|Row|Rue|Run|Shoal|Shore|Skyway|Spring|Spur|Square|Station|Stravenue|Stream|Street"
    "|Summit|Terrace|Throughway|Trace|Track|Trafficway|Trail|Tunnel|Turnpike|Underpass|Union|Valley|Viaduct|View"
    "|Village"
    "|Ville|Vista|Walk|Wall|Way|Well|Close|Mews|Quay|Wharf|Yard"
)
_ABBREVIATED = "Ave?|Blvd|Cir|Ct|Dr|Hwy|Ln|Pkwy|Pl|Plz|Rd|Sq|St|Str|Ter|Trl"
_PLAIN = "street|st|avenue|ave|road|rd|boulevard|blvd|drive|lane|ln|court|terrace|highway|parkway|crescent"

_CAP = r"(?:[A-Z\u00c0-\u00de][A-Za-z\u00c0-\u024f'’-]{0,24}\.?|[0-9]{1,3}(?:st|nd|rd|th)|de|des|du|la|le|of|van|der)"
_NUMBER = r"(?<![0-9A-Za-z$])(?<![0-9][.,:/-])[0-9]{1,6}[A-Za-z]?(?:[ /-][0-9]{1,5})?"
_UNIT = (
    r"(?:[Aa]partment|[Aa]pt|[Ss]uite|[Ss]te|[Uu]nit|[Ff]loor|[Rr]oom|[Bb]uilding|[Bb]ldg|[Ff]lat|[Bb]ox)"
    r"\.?[ ]?#?[0-9]{1,5}[A-Za-z]?\b"
)
_UNITS = rf"(?:[,]?[ \n]{{1,3}}{_UNIT}){{0,2}}"
_DIRECTION = r"(?:[ ](?:North|South|East|West)(?:east|west)?\b|[ ][NSEW][EW]?\b)?"
# A numbered street with capitals; the same in a text without them, with few words and plain suffixes only.
_STREET = rf"{_NUMBER}[ ,]{{1,2}}(?:{_CAP}[ ]){{1,5}}(?:(?:{_USPS})s?|{_ABBREVIATED})\b\.?{_DIRECTION}{_UNITS}"
_LOWER_STREET = (
    rf"{_NUMBER}[ ](?:(?!(?:the|a|an|of|on|in|to|my|this|that|from|and|for|or|at|off|down|up)\b)"
    rf"[a-z0-9\u00df-\u024f'-]{{2,20}}[ ]){{1,2}}(?:{_PLAIN})\b\.?(?:[,]?[ \n]{{1,3}}{_UNIT}){{0,2}}"
)
# A number, a name and a unit, whatever the street is called.
_WITH_UNIT = rf"{_NUMBER}[ ](?:{_CAP}[ ]){{1,5}}(?:[0-9]{{1,5}}[,]?[ \n]{{1,3}})?{_UNIT}(?:[,]?[ \n]{{1,3}}{_UNIT})?"
# Street word first ("Rue X 12", "12 Via X", "ul. X 3"); a number on one side.
_FIRST = (
    r"(?:Rue|Via|Viale|Vicolo|Calle|C/|Avenida|Avda\.?|Av\.|Avenue|Boulevard|Rua|R\u00faa|Travessa|Ctra\.?|Carretera"
    r"|Plaza|Pra\u00e7a|Paseo|Piazza|Corso|Strada|Estrada|Chemin|Impasse|Quai|Largo|[Uu]l\.|[Uu]lica|Al\.|Os\.)"
)
_STREET_FIRST = (
    rf"{_NUMBER}[ ]{_FIRST}[ ](?:{_CAP}[ ]?){{1,5}}(?:[ ]?[0-9]{{1,5}}\b)?"
    rf"|\b{_FIRST}[ ](?:{_CAP}[ ]){{1,5}}[0-9]{{1,5}}\b"
)
# Street word last and joined ("Ziegelgasse 19") or apart ("Victor Hugo u. 97").
_JOINED = (
    r"stra\u00dfe|strasse|straat|laan|weg|gasse|allee|platz|plein|kade|gracht|vej|vejen|gade|gaden|gata|gatan|gaten"
    r"|v\u00e4gen|veien|vegen|bakken|katu|kuja|utca|braut|st\u00edgur"
)
_APART = r"utca|u\.|\u00fat|t\u00e9r|ulica|Strasse|Stra\u00dfe|Str\.|vei|veg|vej|Weg|n\u00e1m\.|rkp\.|Straat"
_STREET_LAST = (
    rf"(?:{_NUMBER}[ ])?(?:[A-Z\u00c0-\u00de][a-z\u00df-\u024f-]{{2,20}}(?:{_JOINED})|(?:{_CAP}[ ]){{1,4}}(?:{_APART}))"
    rf"[ ][0-9]{{1,4}}[A-Za-z]?\b\.?{_UNITS}"
)
_BOX = (
    r"\b(?:P\.?[ ]?O\.?[ ]?Box|Postbox|Postfach|Post Office Box|PSC|Unit)[ ][0-9]{1,6}(?:,?[ ]Box[ ][0-9]{1,6})?"
    r"(?:\s{1,2}[AFD]PO[ ]A[AEP][ ][0-9]{5})?"
    r"|(?:\bUS[A-Z]{1,3}[ ][A-Z][\w-]{1,30}\s{1,2})?\b[AFD]PO[ ]A[AEP][ ][0-9]{5}"
)
_SMALL_UNIT = r"\b(?:Apartment|Apt\.?|Suite|Ste\.)[ ]#?[0-9]{1,5}[A-Za-z]?\b"
_STATE = (
    "A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]"
)
_STATE_ZIP = rf"\b(?:{_STATE})[ ][0-9]{{5}}(?:-[0-9]{{4}})?\b"

# Behind a blank only what has a digit soon goes on: "D1234567 expires" is one number and a word.
_LICENSE_NUMBER = (
    r"(?<![0-9A-Za-z-])[A-Za-z]{0,5}[0-9](?:-?[0-9A-Za-z]{1,8}|[ ](?=[A-Za-z]{0,3}[0-9])"
    r"[0-9A-Za-z]{1,8}){1,5}(?![0-9A-Za-z-])"
)
_LICENSE_CONTEXT = re.compile(
    r"driv(?:er|ing)(?:'?s|s'?)?[ -]{1,2}(?:licen[cs]e|permit)|\blicen[cs]e (?:number|no)"
    r"|\bdl (?:number|no\b|#)|驾照|驾驶证",
    re.IGNORECASE,
)


def _license(value: str, near: bool) -> float | None:
    return 0.85 if sum(c.isdigit() for c in value) >= 5 else None


def _address(name: str, pattern: str, score: float = 0.85) -> Rule:
    return Rule(name, "ADDRESS", re.compile(pattern), score, needs=(DIGIT,))


RULES: tuple[Rule, ...] = (
    _address("street", _STREET),
    _address("street, lower case", _LOWER_STREET, 0.75),
    _address("street with unit", _WITH_UNIT),
    _address("street word first", _STREET_FIRST),
    _address("street word last", _STREET_LAST),
    _address("post box", _BOX),
    _address("unit", _SMALL_UNIT, 0.75),
    _address("state and zip", _STATE_ZIP, 0.75),
    Rule(
        "driver license",
        "US_DRIVER_LICENSE",
        re.compile(_LICENSE_NUMBER),
        0.85,
        needs=("licen", "permit", "dl ", "驾"),
        check=_license,
        context=_LICENSE_CONTEXT,
        context_required=True,
    ),
    # "The license S530-4471-9028": a letter or two and groups of figures, as the states write it.
    Rule(
        "driver license, by its form",
        "US_DRIVER_LICENSE",
        re.compile(
            r"\b(?:[Ll]icen[cs]e|DL)(?:[ ](?:number|no\.?|#))?(?:[ ](?:is|was))?[ :]{1,2}"
            r"(?P<value>[A-Z]{1,2}[0-9]{2,4}(?:-[0-9]{2,5}){2,3})(?![0-9A-Za-z-])"
        ),
        0.8,
        needs=("licen", "dl "),
    ),
)
