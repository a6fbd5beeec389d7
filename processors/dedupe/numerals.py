"""Numbers, clock times and dates in English and Chinese brought to one spelling (D3: "equal numbers, dates").

`canonical_numbers` rewrites a text so that equal quantities have equal tokens: ``32``, ``３２``, ``thirty-two`` and
``三十二`` all become ``#32``; ``3 pm``, ``15:00`` and ``下午三点`` become ``#15:00``; ``May`` and ``5月`` become
``@m5``; ``Friday`` and ``星期五`` become ``@w5``. Idioms that only look like numbers (一起, 十分) stay words.
"""

import re
from decimal import Decimal

from processors.dedupe.lexicon import EN_ORDINALS, EN_TENS, EN_UNITS, MONTHS, WEEKDAYS

_EN_NUMBERS = {word: value for value, word in enumerate(EN_UNITS)} | {w: 20 + 10 * i for i, w in enumerate(EN_TENS)}
_EN_ORDINALS = {word: 1 + i for i, word in enumerate(EN_ORDINALS)}
_EN_SCALE = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_EN_REPEAT = {"once": 1, "twice": 2}

_EN_WORD = "|".join(sorted([*_EN_NUMBERS, *_EN_ORDINALS, *_EN_REPEAT], key=len, reverse=True))
_EN_RUN = re.compile(rf"\b(?:{_EN_WORD})\b(?:[\s-]+(?:and\s+)?(?:{_EN_WORD}|hundred|thousand|million|billion)\b)*")

# "may" and "march" are verbs too, abbreviations are names too: they count only beside a number or a preposition.
_SHORT_MONTH = "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
_MONTH = re.compile(
    r"\b(january|february|april|june|july|august|september|october|november|december)\b"
    r"|(?:(?<=\bin )|(?<=\bof )|(?<=\blast )|(?<=\bnext )|(?<=\bthis )|(?<=\bsince )|(?<=\buntil )|(?<=\d )|(?<=th ))"
    r"(march|may)\b|\b(march|may)(?= \d)"
    rf"|\b({_SHORT_MONTH})\b\.?(?= ?\d)|(?<=\d )({_SHORT_MONTH})\b"
)
_WEEKDAY = re.compile(r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)(?=s?\b)")
_ZH_WEEKDAY = re.compile(r"(?:星期|礼拜|周)([一二三四五六日天1-6])(?![年岁个只])")
_ISO_DATE = re.compile(r"(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?!\d)")
_ZH_MONTH = re.compile(r"(?<!\d)(1[0-2]|0?[1-9])\s*月(?:份)?")

_EN_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2})(?::(\d\d))?\s*([ap])\.?\s?m\b\.?")
_CLOCK = re.compile(r"(?<![\d:.#])(\d{1,2}):(\d\d)(?::\d\d)?(?![\d:])")
_ZH_CLOCK = re.compile(
    r"(凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|今晚)?(\d{1,2})(?:点钟?|时)(?!间|候|期|代|多|子)(?:(半)|(一刻|三刻)|(\d{1,2})分?)?"
)
_LATE = {"下午", "傍晚", "晚上", "夜里", "今晚"}

_ZH_DIGIT = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2}
_ZH_SMALL = {"十": 10, "百": 100, "千": 1000}
_ZH_LARGE = {"万": 10**4, "亿": 10**8}
_ZH_CHARS = "零〇一二两三四五六七八九十百千万亿"
# What may follow a lone numeral that counts something; without one, 一 and 十 are mostly parts of words.
_MEASURE = (
    "个岁年月日号点天次周只条本块元人名位小分米公斤台件杯家间层楼张门种辆套头匹份段篇届期步口瓶盒班级星秒时美英千倍成刻"
)
_ZH_RUN = re.compile(
    rf"(?<![{_ZH_CHARS}])(?:第?([{_ZH_CHARS}]{{2,}}(?:点[零一二三四五六七八九]+(?![分]))?)|第([{_ZH_CHARS}])"
    rf"|([一二两三四五六七八九十])(?=[{_MEASURE}])|(俩))"
)
_ZH_IDIOM = re.compile(
    "一一|万一|千万(?![元块人个])|十分(?![钟之])|一百一|百万富翁"
    "|一点(?![钟半一二三四五])|一时|一天到晚|一人|七八|三三两两|五六"
)
_ZH_PERCENT = re.compile(rf"百分之([{_ZH_CHARS}]+|\d+(?:\.\d+)?)")
_DIGITS_ANY = re.compile(r"(?<![#:@\w.])(\d{1,3}(?:,\d{3})+(?!\d)|\d+)(\.\d+)?(st\b|nd\b|rd\b|th\b|k\b|万|亿)?")
_DAY_MONTH = re.compile(r"(?<!\S)(#[1-3]?\d)\s+(?:of\s+)?(@m\d+)(?!\S)(?!\s+#[1-3]?\d(?!\S))")
_SCALED = re.compile(r"(#[\d.]+)\s*(hundred|thousand|million|billion)\b")


def parse_chinese(run: str) -> Decimal | None:
    """The value of a Chinese numeral (三十二 -> 32, 二〇二三 -> 2023, 三点五 -> 3.5), or None when it is none."""
    whole, _, fraction = run.partition("点")
    if len(whole) > 1 and all(c in _ZH_DIGIT for c in whole):
        value = Decimal("".join(str(_ZH_DIGIT[c]) for c in whole))
    else:
        whole_number = _place_values(whole)
        if whole_number is None:
            return None
        value = Decimal(whole_number)
    if fraction:
        value += Decimal("0." + "".join(str(_ZH_DIGIT[c]) for c in fraction))
    return value


def _place_values(run: str) -> int | None:
    total = section = digit = unit = 0
    for c in run:
        if c in _ZH_DIGIT:
            digit = _ZH_DIGIT[c]
            unit = unit if digit else 0
        elif c in _ZH_SMALL:
            unit = _ZH_SMALL[c]
            section += (digit or 1) * unit
            digit = 0
        elif c in _ZH_LARGE:
            unit = _ZH_LARGE[c]
            total = (total + section + digit or 1) * unit
            section = digit = 0
        else:
            return None
    # 两万五 is 25,000 and 一百五 is 150; 一百零五 is 105.
    return total + section + (digit * unit // 10 if unit >= 100 else digit)


def _plain(value: Decimal) -> str:
    text = format(value.normalize(), "f")
    return f" #{text} "


def _english(match: re.Match[str]) -> str:
    total = current = 0
    parts: list[str] = []
    last = -1
    for word in re.split(r"[\s-]+", match[0]):
        if word == "and":
            continue
        if word in _EN_SCALE:
            scale = _EN_SCALE[word]
            if scale == 100:
                current = (current or 1) * 100
            else:
                total += (current or 1) * scale
                current = 0
            last = scale
            continue
        value = _EN_NUMBERS.get(word, _EN_ORDINALS.get(word, _EN_REPEAT.get(word, 0)))
        # "two three" are two numbers, "twenty three" is one.
        if last >= 0 and not (last >= 20 and value < 10 and last % 10 == 0) and last < 100:
            parts.append(_plain(Decimal(total + current)))
            total = current = 0
        current += value
        last = value
    parts.append(_plain(Decimal(total + current)))
    return "".join(parts)


def _en_clock(match: re.Match[str]) -> str:
    hour = int(match[1]) % 12 + (12 if match[3] == "p" else 0)
    return f" #{hour}:{match[2] or '00'} "


def _zh_clock(match: re.Match[str]) -> str:
    part, hour = match[1], int(match[2])
    if part in _LATE and hour < 12:
        hour += 12
    quarter = {"一刻": "15", "三刻": "45"}.get(match[4] or "", "")
    minute = "30" if match[3] else quarter or (match[5] or "0").zfill(2)
    return f" #{hour}:{minute} "


def _digits(match: re.Match[str]) -> str:
    value = Decimal(match[1].replace(",", "") + (match[2] or ""))
    scale = {"k": 1000, "万": 10**4, "亿": 10**8}.get(match[3] or "", 1)
    return _plain(value * scale)


def _zh_number(match: re.Match[str]) -> str:
    run = match[1] or match[2] or match[3] or "二"
    value = parse_chinese(run)
    return match[0] if value is None else format(value.normalize(), "f")


def _month(match: re.Match[str]) -> str:
    prefix = match[0][:3]
    return f" @m{next(i for i, m in enumerate(MONTHS, 1) if m.startswith(prefix))} "


def canonical_numbers(text: str) -> str:
    """`text` (NFKC, lower case) with numbers as ``#value``, months ``@m1..12``, weekdays ``@w1..7``."""
    text = _MONTH.sub(_month, text)
    text = _WEEKDAY.sub(lambda m: f" @w{1 + WEEKDAYS.index(m[1])} ", text)
    if any("\u4e00" <= c <= "\u9fff" for c in text):
        text = _ZH_WEEKDAY.sub(lambda m: f" @w{'一二三四五六日'.find(m[1].replace('天', '日')) + 1 or m[1]} ", text)
        text = _ZH_PERCENT.sub(lambda m: f" {_percent(m[1])} percent ", text)
        keep = {m.start() for m in _ZH_IDIOM.finditer(text)}
        text = _ZH_RUN.sub(lambda m: m[0] if m.start() in keep else _zh_number(m), text)
        text = _ISO_DATE.sub(r" \1年 \2月 \3日 ", text)
        text = _ZH_CLOCK.sub(_zh_clock, text)
        text = _ZH_MONTH.sub(lambda m: f" @m{int(m[1])} ", text)
    else:
        text = _ISO_DATE.sub(lambda m: f" {m[1]} @m{int(m[2])} {int(m[3])} ", text)
    text = _EN_CLOCK.sub(_en_clock, text)
    text = _CLOCK.sub(lambda m: f" #{int(m[1])}:{m[2]} ", text)
    text = text.replace("%", " percent ").replace("per cent", " percent ")
    text = _DIGITS_ANY.sub(_digits, text)
    text = _EN_RUN.sub(_english, text)
    text = _SCALED.sub(lambda m: _plain(Decimal(m[1][1:]) * _EN_SCALE[m[2]]), text)
    return _DAY_MONTH.sub(r" \2 \1 ", text)


def _percent(run: str) -> str:
    value = Decimal(run) if run[0].isdigit() else parse_chinese(run)
    return run if value is None else format(value.normalize(), "f")
