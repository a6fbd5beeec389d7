"""Answers to an assistant's question (B1): "Are you married?" - "Yes" states "I am married".

The question gives the words, the user's yes or no the fact: without the answer nothing is taken from an assistant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from processors.reader.rules.answered_zh import answered, lasting
from processors.reader.rules.bare_values_en import doubted
from processors.reader.rules.clauses_zh import ANIMALS, CIRCLES, KIN, STAFF
from processors.reader.rules.found import Found
from processors.reader.rules.making_zh import planned
from processors.reader.rules.others import of_anothers_en
from processors.reader.rules.persons_zh import called
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.served_zh import DATA, either, serves, speaks_to_serve
from processors.reader.rules.short_answers import named_en, named_zh
from processors.reader.rules.statements_zh import reworded
from processors.reader.rules.text import prepare, sentences

_YES_EN = re.compile(
    r"(?:yes|yeah|yep|yup|right|correct|that's right|exactly|sure|indeed"
    r"|true|i do|i am|i have|that is correct|of course)\b",
    re.I,
)
_NO_EN = re.compile(
    r"(?:no|nope|nah|nobody|none|not yet|not so far|not really|i don't|i'm not|i am not|i do not|i"
    r" haven't|that's wrong|incorrect)\b",
    re.I,
)
_YES_ZH = re.compile(
    r"(?:是的?|对的?|没错|嗯+|恩+|有的?|正是|确实|当然|可以这么说|对啊|是啊|嗯嗯|会的?)(?=$|[，,。！!的呀啊呢])"
)
_NO_ZH = re.compile(r"(?:不是|没有|不对|不|没|还没有?|暂时没有?|目前没有?|并没有|不会)(?=$|[，,。！!的呀啊呢])")
_SHORT = 40
_ANY_PATIENT = re.compile(either("any_patient"))
_OF_THEIRS = re.compile(rf"的(?:{KIN})")
_AGED = re.compile(r"[\d一二三四五六七八九十两半]{1,4}多?个?多?(?:岁|月|天|周)(?:半|多|大)*")
"""An age with its unit: 6岁半."""
_IS_AGED = "我{}岁"
_AGE_CHARS = 8
"""Characters of an age: what is longer says something else."""
_ASKED_EN = re.compile(
    r"(?:so,? |and |ok(?:ay)?,? |just to confirm,? |can i confirm (?:that )?|to confirm,? )?"
    r"(?P<verb>are|were|do|did|have|can|will) you (?P<rest>[^?]{2,120})$", re.I,
)  # fmt: skip
_TAG_EN = re.compile(
    r"(?:so,? |and |ok(?:ay)?,? )?(?:you are|you're|you) (?P<rest>[^?,]{2,100}"
    r")(?:, (?:right|correct|is that (?:right|correct)|aren't you|don't"
    r" you))?$",
    re.I,
)
_FIRST_EN = {"are": "am", "were": "was", "do": "", "did": "", "have": "have", "can": "can", "will": "will"}
_SLOT_EN = (
    (re.compile(r"\bhow old are you\b|\byour age\b", re.I), "I am {}"),
    (re.compile(r"\bwhat(?:'s| is) your (?:full )?name\b|\bmay i have your name\b", re.I), "My name is {}"),
    (re.compile(r"\bwhere (?:do you live|are you (?:based|living|located))\b|\bwhich"
r" city (?:do you live|are you) in\b", re.I), "I live in {}"),
    (re.compile(r"\bwhere are you from\b|\bwhere do you come from\b", re.I), "I am from {}"),
    (re.compile(r"\bwhat do you do(?: for (?:a living|work))?$|\bwhat(?:'s| is)"
r" your (?:job|occupation|profession)\b", re.I), "I work as a {}"),
    (re.compile(r"\b(?:who|where) do you work(?: for| at)?$|\bwhich company\b", re.I), "I work for {}"),
    (re.compile(r"\bhow many years of (?:[a-z-]+ ){0,3}experience\b", re.I), "I have {} years of experience"),
)  # fmt: skip
_SLOT_ZH = (
    (re.compile(r"多大|几岁|年龄|贵庚"), _IS_AGED),
    (re.compile(r"怎么称呼|[你您][^，]{0,6}叫什么|^叫什么|名字|贵姓"), "我叫{}"),
    (re.compile(r"(?:住|居住|现居)在?(?:哪|什么)|所在(?:城市|地)|哪个城市"), "我住在{}"),
    (re.compile(r"哪里人|老家|籍贯|来自哪"), "我来自{}"),
    (re.compile(r"什么工作|职业|什么职位|做什么的|岗位"), "我从事{}工作"),
    (re.compile(r"学历"), "我是{}学历"),
    (re.compile(r"什么专业|专业是"), "我的专业是{}"),
    (re.compile(r"哪(?:所|个)(?:大学|学校)|毕业院校"), "我毕业于{}"),
    (re.compile(r"工作(?:了)?(?:几|多少|多久)年?|工作年限|几年.{0,4}经验|多少年.{0,4}经验"), "我工作{}年了"),
    (re.compile(r"年薪|年收入"), "我年薪{}"),
)  # fmt: skip

_WHERE_ZH = re.compile(r"(?:任职|就职|供职|服务)于|在[^，]{1,12}(?:做|当|担任)")
"""An answer with where one works, not as what."""

_NOT_NOW_EN = re.compile(
    r"\b(?:plan|planning|going|want|wanted|like|hope|hoping|wish|would|could|should|will|might|expect|expecting|dream"
    r"|were|did|was|had|used|when you|if you|ideally|next|before"
    r"|your (?:last|first|previous|former|old|next))\b",
    re.I,
)
"""A question about what was, is wished or would be: its answer is no state of today."""
_WORTH_KNOWING_EN = re.compile(
    r" (?:that )?(?:I|we) (?:should|ought to|need to) (?:know|be aware|remember)(?: about| of)?$", re.I
)
_HAPPENED_EN = re.compile(
    r"(?:ever |already |just |recently )?(?!(?:been an?|been living)\b)"
    r"(?:been|got|gotten|had|become|moved|retired|graduated|married|divorced|any|an?|kids|children|study|major|graduate"
    r"|finish|get|grow)\b",
    re.I,
)
"""What did happen, or has, stays so; who once worked or lived somewhere may do so no more."""
_FIRST_PERSON = re.compile(r"我|\b(?:I|I'm|my|we)\b", re.I)
_SINCE_EN = re.compile(r"\b(?:for|since)\b", re.I)
_LEAVES_OUT_YOU = re.compile(
    r"(?:那|现在|目前|已经)*(?:结婚|离婚|单身|已婚|未婚|抽烟|吸烟|喝酒|[^，你您他她]{0,6}有(?!点|些|事|空|时间))"
)
"""How a question goes on that leaves out whom it asks: 结婚了吗, 那边有住处吗."""
_ANOTHERS_ZH = re.compile(
    rf"(?:{KIN}|{ANIMALS})|[他她它]|(?:[你您]们?|^)的?(?:{STAFF}|{CIRCLES})(?!在?哪|工作|上班)|别人|对方"
)
_PERSON_ZH = re.compile(rf"[你您]们?家?的?(?P<kin>{KIN}|{ANIMALS})|^(?:请问|那)?(?:(?P<bare>{KIN})|[他她它](?!们))")
_WHEN_ZH = re.compile(
    r"以前|之前|曾经?|过去|当时|那时|时候?(?:您|你)?|小时候|上一?[份家个]|第一[份家个]|如果|退休|理想"
)


def as_statement(turn: TurnView) -> str | None:
    """Return what a short answer to the assistant's last question says as a sentence of the user's own, or None."""
    if not turn.previous or turn.previous[-1][0] != "assistant" or len(turn.content) > _SHORT:
        return None
    questions = _questions(turn)
    if not questions:
        return None
    phrase = prepare(turn.content).strip().rstrip("。.!！~ ")
    return (
        _chinese(questions[-1], phrase, of_asked=not _ANOTHERS_ZH.search("，".join(_just_before(turn))))
        if turn.language == "zh" or _has_han(questions[-1])
        else _english(questions[-1], phrase)
    )


def _just_before(turn: TurnView) -> list[str]:
    return [text for _, text in turn.previous[-3:]]


def with_the_answer(
    found: list[Found], left: list[Found], turn: TurnView, length: int, owned: Callable[[str], str]
) -> tuple[list[Found], list[Found]]:
    """What was found in a turn and what was not taken, where it answers a Chinese question with that answer in the
    question's words for what its first clause alone says. Values found in the clause stay."""
    worded = _worded(turn)
    if worded is None:
        return found, left
    statement, size = worded
    end = min(length, len(turn.content) - len(turn.content.lstrip()) + size)
    if any(f.start < end and (f.slots or f.kind == "relation") for f in found):
        return found, left
    text = reworded(statement)
    if speaks_to_serve(turn):
        text = f"{turn.speaker}说{DATA['patient']}{text.removeprefix('{owner}')}"
    phrase = Found(0, end, "episode", owned(text), episode_type="fact")
    return [phrase, *(f for f in found if f.start >= end)], [f for f in left if f.start >= end]


def _worded(turn: TurnView) -> tuple[str, int] | None:
    """What a Chinese answer says with the words of its question, and how many characters say it."""
    asked = (
        turn.previous and turn.previous[-1][0] == "assistant" and len(turn.content) <= 2 * _SHORT and _questions(turn)
    )
    if not asked or turn.language != "zh":
        return None
    phrase, serving = prepare(turn.content), speaks_to_serve(turn)
    if serving:  # a doctor's yes is of the patient, unless the doctor was asked of themselves
        return None if re.search(r"[你您]", asked[-1]) else answered(asked[-1], phrase, served=True)
    own = [text for role, text in turn.previous if role == "user"]
    served = serves(turn)
    return answered(asked[-1], phrase, served=served) or (lasting(asked, phrase, own) if served else None)


def person_asked_about_zh(turn: TurnView) -> str | None:
    """Whom of the user's people a Chinese question is about whose answer names nobody: what it says is theirs. Empty
    where the question only points at them; None where it is about nobody else."""
    if not turn.previous or turn.previous[-1][0] != "assistant" or len(turn.content) > 2 * _SHORT:
        return None
    if turn.language != "zh" or _FIRST_PERSON.search(turn.content) or not (questions := _questions(turn)):
        return None
    questions = [each.replace(turn.speaker or "您", "您") for each in questions]
    opening = (
        _PERSON_ZH.search(re.split(r"[，,]", questions[0])[-1]) if not re.search(r"[你您]", questions[-1]) else None
    )
    match = _PERSON_ZH.search(questions[-1]) or opening
    whom = None if match is None else match["kin"] or match["bare"] or ""
    return None if whom and _ANY_PATIENT.fullmatch(whom) else whom


def restated_for(found: Found, owner: str, whom: str) -> Found:
    """What an answer says of the user's person instead of the user: a value of theirs is no value of the user's."""
    theirs = f"{owner}的{called(whom)}"
    if not found.slots and _OF_THEIRS.match(found.text.removeprefix(owner)):
        return found
    if not whom or found.dropped is not None or (found.slots and (found.negated or found.attributes)):
        return replace(found, dropped=found.dropped or "of_another")
    if found.slots:
        phrase = found.text.removeprefix(owner).removeprefix(f"的{called(whom)}")
        return replace(found, text=theirs + phrase, slots=(), kind="episode", episode_type="fact")
    if not found.text.startswith(owner):
        return replace(found, dropped="of_another")
    return found if found.text.startswith(theirs) else replace(found, text=theirs + found.text.removeprefix(owner))


def answers_for_another(turn: TurnView) -> bool:
    """Does a short answer say something of somebody else, or of what is not so today: "12岁" to 您孩子多大了？"""
    if not turn.previous or turn.previous[-1][0] != "assistant" or len(turn.content) > _SHORT:
        return False
    if _FIRST_PERSON.search(turn.content) or not (questions := _questions(turn)):
        return False
    if turn.language == "zh" or _has_han(questions[-1]):
        question = _last_part(questions[-1])
        return any(p.search(question) for p, _ in _SLOT_ZH) and not _own_zh(question)
    return any(p.search(questions[-1]) for p, _ in _SLOT_EN) and not own_question_en(questions[-1])


_ASKS_ZH = re.compile(
    r"(?:吗|么|呢|(?:吃|用|喝)(?:的?是?)(?:什么|啥)[\u4e00-\u9fff]{0,2}|多[久大](?:了|啊|呀)?|几[岁天年](?:了|啊|呀)?|多长时间了?)$"
)
"""What asks also where its question mark was left out."""


def _questions(turn: TurnView) -> list[str]:
    ends = _ASKS_ZH if turn.language == "zh" else None
    asked = sentences(prepare(turn.previous[-1][1]))
    return [s.text for s in asked if s.asks or (ends is not None and ends.search(s.text))]


def _last_part(question: str) -> str:
    """您 stands in what is asked; before it stand greetings and who is spoken to."""
    last = question.split("，")[-1]
    return last if "，" in question and re.search(r"[你您]", last) else question


def own_question_en(question: str, *, once: bool = False) -> bool:
    """Does a question ask for what is so of the user, today, or (`once`) for what was?"""
    anothers = of_anothers_en(re.sub(r"\b(?:your|you)\b", "I", question, flags=re.I))
    return not anothers and (once or not _NOT_NOW_EN.search(question))


def _own_zh(question: str) -> bool:
    return not (_ANOTHERS_ZH.search(question) or _WHEN_ZH.search(question) or planned(question))


def _has_han(text: str) -> bool:
    return re.search(r"[\u4e00-\u9fff]", text) is not None


def _english(question: str, text: str) -> str | None:
    for pattern, sentence in _SLOT_EN if own_question_en(question) and not doubted(text) else ():
        if pattern.search(question) and not re.match(r"(?:i|i'm|my|we)\b", text, re.I):
            value = re.sub(r"^(?:an?|in|from|at|for|it's|a bit)\s+", "", text, flags=re.I)
            return sentence.format(value.removesuffix(" years old").removesuffix(" years"))
    open_one = _WORTH_KNOWING_EN.sub("", question)
    if own_question_en(open_one) and (named := named_en(open_one, text)) is not None:
        return named
    yes, no = _YES_EN.match(text), _NO_EN.match(text)
    match = _ASKED_EN.search(question) or _TAG_EN.match(question)
    if match is None or not (yes or no) or " or " in match["rest"]:
        return None
    verb = match.groupdict().get("verb")
    once = (verb or "").lower() in {"did", "have"} and not _HAPPENED_EN.match(match["rest"])
    if once and not _SINCE_EN.search(question):
        return None  # "Have you ever worked as a nurse?": what was is not so today
    first = (
        _FIRST_EN[verb.lower()]
        if verb
        else ("am" if re.match(r"(?:so,? |and |ok(?:ay)?,? )?you(?:'re| are)", question, re.I) else "")
    )
    rest = re.sub(r"\byour\b", "my", re.sub(r"\byou\b", "I", match["rest"])).removesuffix(" currently")
    rest = re.sub(r"^(?:currently|still|now|already|ever)\s", "", rest)
    if yes:
        return f"I {first} {rest}".replace("  ", " ")
    denial = f"{first} not" if first else "don't"
    return f"I {denial} {rest}"


def _chinese(question: str, text: str, *, of_asked: bool) -> str | None:
    """`of_asked`: nobody but who is asked was spoken of just before."""
    question = _last_part(question)
    for pattern, sentence in _SLOT_ZH if _own_zh(question) else ():
        if (
            pattern.search(question)
            and re.search(r"什么|多|几|哪|怎么|年龄|学历|年薪|收入|名字|贵姓|贵庚", question)
            and not text.startswith("我")
        ):
            value = re.sub(r"^(?:是|在|叫|做)|岁$|年$|了$", "", text)
            if _WHERE_ZH.match(text):
                return f"我{text}"
            if _AGED.fullmatch(value):
                return f"我{value}"
            if sentence != _IS_AGED or len(value) <= _AGE_CHARS:
                return sentence.format(value)
    if _own_zh(question) and (named := named_zh(question.rstrip("？?"), text)) is not None:
        return named
    yes, no = _YES_ZH.match(text), _NO_ZH.match(text)
    if not (yes or no) or "还是" in question:
        return None
    own = re.sub(r"(?:对吗|是吗|对吧|是吧|对不对|是不是|吗|吧|呢|么)$", "", question.rstrip("？? "))
    own = re.sub(r"^(?:请问|那么?|所以)[，,]?", "", own)
    own = re.sub(r"您|你", "我", own.replace("是不是", "是").replace("有没有", "有"))
    if "我" not in own and of_asked and _LEAVES_OUT_YOU.match(own):
        own = f"我{own}"
    if "我" not in own:
        return None
    if yes and not no:
        return own.rstrip("，, ")
    denied = re.sub(r"有", "没有", own, count=1) if "有" in own else re.sub(r"是", "不是", own, count=1)
    return (
        denied if denied != own else re.sub(r"我(?=[\u4e00-\u9fff])", "我没有" if "了" in own else "我不", own, count=1)
    )
