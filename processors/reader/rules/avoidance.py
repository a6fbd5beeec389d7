"""What the owner never eats, drinks or smokes, and the diet they keep, in English and Chinese (B1)."""

from __future__ import annotations

import re

from processors.reader.rules import clauses_en, clauses_zh
from processors.reader.rules.found import Found
from processors.reader.rules.making_zh import is_asserted, made, of_others, past
from processors.reader.rules.words_en import alternatives

_NEVER_EN = re.compile(
    r"(?:(?:really|actually|also|just|personally|generally|usually) )?"
    r"(?P<no>don't|do not|never|can't|cannot|can not|no longer)(?: ever)? "
    r"(?P<verb>eat|drink|smoke|vape|touch)(?: any)?"
    r"(?P<object> (?!any ?more|any longer|at all|either|for\b)[A-Za-z][\w' -]{1,30}?"
    r"(?:(?:, | or | and |, or )[a-z][\w' -]{1,20}?){0,4})?"
    r"(?: at all| any ?more| any longer| either| for (?:\w+ ){1,2}reasons)?"
    r"(?=$|[.;!(]|,? (?:because|since|so|but|as|due)\b)"
)
_NOTHING_EN = re.compile(
    r"(?:it|that|this|these|those|them|there|here|much|many|enough|well|out|alone|anything|everything|nothing"
    r"|something|before|after|until|till|at|in|on|with|without|like|as|when|while|if|unless|and|or|too|very|so|more"
    r"|less|another|my|your|his|her|their|our|the|breakfast|lunch|dinner|supper|food|meals?|right|a lot"
    r"|(?!jelly)\w+ly)\b",
    re.I,
)
"""What says how, when or which, or means eating as such."""
_WHO_EN = re.compile(alternatives("roles"), re.I)
"""Somebody who is spoken to: "I don't drink, chef"."""
_SOMETIMES_EN = re.compile(
    r"\b(?:after|before|at|in|on|during|when|with|without|until|till|past|for|to|from|than|that|which|whose|too)\b",
    re.I,
)
"""Coffee after noon is not coffee."""
_HABITS_EN = {"smoke": "smoking", "vape": "vaping", "drink": "alcohol"}
_CIGARETTES = re.compile(r"(?:cigarettes?|tobacco|cigars?)$", re.I)
_SPLIT_EN = re.compile(r", or |, | or | and ")
_DIET_EN = re.compile(
    r"(?:(?:currently|now|always|only|strictly|mostly) )?"
    r"(?:(?:eat|keep)(?: only)? (?P<a>halal|kosher|vegan|vegetarian|plant-based|gluten[- ]free)"
    r"|(?:am on|follow|keep to|stick to|am following) an? (?:strict )?(?P<b>vegetarian|vegan|keto|ketogenic"
    r"|gluten[- ]free|dairy[- ]free|plant-based|low[- ](?:carb|salt|sodium|fat|sugar)|halal|kosher|mediterranean"
    r"|dash) diet"
    r"|(?:went|have gone|became|have become|turned) (?P<c>vegetarian|vegan))\b",
    re.I,
)

_ALWAYS_ZH = r"(?:也|都|是|一直|从小就?|向来|平时|基本上?|完全|一口|一点|常年|现在|如今|目前|已经|只|本来就|又|更)*"
_DIET_ZH = re.compile(
    rf"^{_ALWAYS_ZH}(?P<not>不)?(?:是)?(?:一?[个名位])?(?:严格的?)?"
    r"(?:(?P<vegan>(?:吃)?(?:纯素|全素)(?:主义者?|者)?|维根)|(?P<veg>吃(?:蛋奶)?素|(?:蛋奶)?素食(?:主义)?者?)"
    r"|(?P<halal>(?:吃|只吃)?清真(?:食品|餐)?))(?:的|了|的人|为主)?$"
)
_NEVER_ZH = re.compile(
    rf"^{_ALWAYS_ZH}(?P<not>从来不|从不|绝不|不能?|不可以|不敢)(?P<verb>[吃喝碰抽吸])"
    r"(?P<object>[\u4e00-\u9fffA-Za-z]{1,8}(?:[、和或跟][\u4e00-\u9fffA-Za-z]{1,6}){0,4})$"
)
_NOTHING_ZH = re.compile(
    r"^(?:[了过着完到得起惯饱掉下多少太点口这那它他她你我您别一两几]|早饭?|午饭?|晚饭?|中饭|中餐$|晚餐|早餐|午餐"
    r"|夜宵|宵夜|饭|药|亏|苦$|醋$|惊|力|水$|东西|什么|任何东西|外卖|食堂)|[了吗呢吧的过]$|时候|(?:之|以)?[前后]$"
)
_PASSING_ZH = re.compile(
    r"[今明昨后]天|[今当]晚|今早|早上|晚上|中午|这[次顿几两段阵周个]|刚|暂时|先|最近|到时|手术|检查|抽血|空腹|减肥|怀孕"
)
"""For now, not for good."""
_AND_ZH = re.compile(r"(?<=[\u4e00-\u9fff])(?=(?:也|都|又|更)?(?:从来?|绝)?不[吃喝碰抽吸能敢])")
_SPLIT_ZH = re.compile(r"[、和或跟]")


def avoids_en(clause: clauses_en.Clause) -> list[Found]:
    """Return what an English clause says its speaker never takes, each thing by itself, and their diet."""
    if clause.subject != "I" or not clause.states:
        return []
    attributes = {"correction": True} if clause.correcting else {}
    if match := _DIET_EN.match(clause.body):
        diet = next(g for g in match.groups() if g).lower()
        text = f"{{owner}}'s diet is {diet}"
        return [Found(clause.start, clause.end, "fact", text, (("diet", diet),), attributes=attributes)]
    match = _NEVER_EN.match(clause.body)
    if match is None:
        return []
    never = _third_person(match["no"], match["verb"])
    return [
        Found(
            clause.start, clause.end, "fact", f"{{owner}} {never}{shown}", (("avoids", thing.lower()),),
            attributes=attributes,
        )
        for thing, shown in _things_en(match["verb"], (match["object"] or "").strip())
    ]  # fmt: skip


def _things_en(verb: str, text: str) -> list[tuple[str, str]]:
    """What is never taken, and how the statement goes on."""
    if verb in _HABITS_EN and (not text or (verb != "drink" and _CIGARETTES.fullmatch(text))):
        return [(_HABITS_EN[verb], "")]
    if not text or _NOTHING_EN.match(text) or _SOMETIMES_EN.search(text):
        return []
    return [(t, f" {t}") for t in _SPLIT_EN.split(text) if t and not (_NOTHING_EN.match(t) or _WHO_EN.fullmatch(t))]


def _third_person(no: str, verb: str) -> str:
    if no in {"never", "no longer"}:
        return f"{no} {verb}{'es' if verb.endswith('ch') else 's'}"
    return f"{'cannot' if no.startswith('can') else 'does not'} {verb}"


def avoids_zh(clause: clauses_zh.Clause) -> list[Found]:
    """Return what a Chinese clause says its speaker never takes, each thing by itself, and their diet."""
    if clause.subject != "我" or not clause.states or of_others(clause) or past(clause):
        return []
    body = clause.body
    if (match := _DIET_ZH.match(body)) and is_asserted(body, match.start()):
        kept = "纯素" if match["vegan"] else "素食" if match["veg"] else "清真"
        no = match["not"] is not None
        return [made(clause, match.span(), f"{{owner}}饮食{'不' if no else ''}是{kept}", ("diet", kept), negated=no)]
    if _PASSING_ZH.search(clause.raw):
        return []
    parts = [m for m in map(_NEVER_ZH.match, _AND_ZH.split(body)) if m is not None]
    return [
        made(clause, (0, len(body)), f"{{owner}}{m['not']}{m['verb']}{thing}", ("avoids", thing))
        for m in parts
        for thing in _SPLIT_ZH.split(m["object"])
        if thing and not _NOTHING_ZH.search(thing)
    ]
