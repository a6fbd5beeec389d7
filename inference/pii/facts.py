"""Dates, ages and postal codes: no secrets, but entities that a policy may name and memory may use."""

import re

from inference.pii.rules import DIGIT, Rule

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?:1[89]|20)[0-9]{2}"
_CLOCK = r"(?:[ T]{1,2}[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?)?"
_DATE = (
    r"(?<![0-9A-Za-z./-])(?:"
    rf"{_YEAR}([-/.])(?:1[0-2]|0?[1-9])\1(?:3[01]|[12][0-9]|0?[1-9]){_CLOCK}"
    rf"|(?:3[01]|[12][0-9]|0?[1-9])([-/.])(?:3[01]|[12][0-9]|0?[1-9])\2(?:{_YEAR}|[0-9]{{2}}){_CLOCK}"
    rf"|{_MONTH}[ ](?:3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th)?,?[ ]{_YEAR}"
    rf"|(?:3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th)?[ ](?:of[ ])?{_MONTH},?[ ]{_YEAR}"
    rf"|{_YEAR}年(?:1[0-2]|0?[1-9])月(?:(?:3[01]|[12][0-9]|0?[1-9])[日号])?"
    r")(?![0-9A-Za-z/-])(?!\.[0-9])"
)
_AGE = (
    r"(?<![0-9])(?<![0-9][.,:/-])(?P<value>1[01][0-9]|[1-9]?[0-9])"
    r"(?=[ -]?(?:(?:years?|yrs?)[ -]old|y/?o|yrs?/o)\b|[ ]?周?岁(?!月))"
)
_ZIP = (
    r"(?:zip(?:[ ]?code)?|post(?:al|[ ]?)[ ]?code|邮编|邮政编码)[^0-9\n]{0,15}?(?<![A-Za-z])"
    r"(?P<value>[0-9]{5,6}(?:-[0-9]{4})?|[A-Z]{1,2}[0-9][0-9A-Z]?[ ][0-9][A-Z]{2})(?![0-9A-Za-z])"
)

RULES: tuple[Rule, ...] = (
    Rule("date", "DATE_TIME", re.compile(_DATE, re.IGNORECASE), 0.8, needs=(DIGIT,)),
    Rule("age", "AGE", re.compile(_AGE, re.IGNORECASE), 0.8, needs=("old", "y/o", "yo", "yrs", "岁")),
    Rule("postal code", "ZIP_CODE", re.compile(_ZIP, re.IGNORECASE), 0.8, needs=("zip", "post", "邮")),
)
