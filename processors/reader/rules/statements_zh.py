"""Chinese episodes told in full sentences, and requests, each standing alone with its owner (D2)."""

from __future__ import annotations

import re

from processors.reader.rules.clauses_zh import ANIMALS, FAMILY, FILLER, KIN, STAFF, SUPPOSED, WE_TWO
from processors.reader.rules.common_zh import content_runs, content_weight
from processors.reader.rules.completeness_zh import advised, whole
from processors.reader.rules.found import Found
from processors.reader.rules.free_statement_subjects_zh import Alone
from processors.reader.rules.persons_zh import called
from processors.reader.rules.self_contained_zh import NO_OPENER, OF_KIN, SHORTEST, asks_for, of_before
from processors.reader.rules.text import QUOTED, Sentence
from processors.reader.rules.tidied_zh import tidy

_ASKED_OF = 2.0
"""Content words from which a question says of what it asks."""
_YOU_KNOW = re.compile(r"[你您](?=(?:还|可以|能|是否)?(?:知道|清楚|了解|告诉|帮我?[查找看问]|查|看看))")
"""Who is asked what they know or find is not who the question is about."""
_PROJECT = 2.0
"""Content words from which a sentence of a project is kept."""
LONGEST = 160

_FIRST = re.compile(r"我|咱|本人")
_ASKS = re.compile(
    r"吗$|呢$|什么|怎么|多少|哪|几[点个岁年号]|为什么|为啥|咋|(?<!无论)(?<!無論)如何|是不是|有没有|能不能|可不可以|会不会|么$|谁"
)
_POINTING = re.compile(r"(?:你|您|这|那|它|他|她|谢|太|真|好|哇|多么|祝)")
_YOU = re.compile(r"[你您]")
_COURTESY = re.compile(r"(?:ok|okay|bye|hi|hello|thanks?|谢谢|多谢|感谢)", re.IGNORECASE)
_WANTS = re.compile(
    r"(?:^|[，,、；])[^，,、；]{0,12}?(?<![不没])"
    r"(?:想(?![起到象法念过了着是哭笑吐])|要(?![是不求么])|打算|计划|希望|需要"
    r"|准备|得(?=找|去|订|住|买)|考虑|愿意|决定|就去|就选)"
)
_REQUEST = re.compile(
    r"(?:请|麻烦|劳驾|帮忙?|帮我|给我|替我|为我)(?:再|也|先|您|你|帮"
    r"|给|我|们|忙){0,4}(?:推荐|找|查|订|预订|预定|介绍|选|看|安排|列"
    r"|写|做|算|设置|提醒|告诉|搜|推|来|买|叫)"
    r"|(?:推荐|查一?下|找一?[个家下])"
)
_GREETING = re.compile(
    r"(?:你好|您好|嗨|哈喽|早上好|下午好|晚上好|好的?|嗯+|恩|哦|收到"
    r"|谢谢你?|可以|行|朋友|AI伴侣|是的|是啊|对啊?|当然会?|哇|哈哈|没问题"
    r"|明白了?|了解|知道了|那|就这个吧)"
    r"(?:[啊呀哦呢吧了]{0,2}(?:[，,！!。~、\s]{1,3}|$)|(?<=你好)|(?<=您好))"
)


_COMING = (
    r"(?:(?:[今明后]年|年[前后底末]|月[底末]|周末|[暑寒]假|春节|国庆|五一|过年|毕业|退休|这个?(?:季度|学期|月|周|星期)"
    r"|[上下]半年|下个?(?:季度|学期|月|周[一二三四五六日末]?|星期)|(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?:份|底|初)?)"
    r"(?:之?[前后内里]|以[前后])?){0,2}"
)
"""When it is to be, before what is planned."""
_OF_SPEAKER = re.compile(
    rf"{NO_OPENER}{_COMING}(?:想|要|打算|计划|希望|需要|准备|去|在|今天|昨天|明天|最近|刚|已|喜欢|觉得|决定|正|有|没|不|周|上|下|是|从|把|给|跟|和"
    r"|用|做|找|请|还|也|就|吃|住|得(?![了到过])|一定|无论如何|必须|争取)"
)
"""What a predicate opens with whose subject was left out."""


def bare(text: str) -> str:
    """Return a sentence without greetings and fillers before it."""
    for _ in range(4):
        match = _GREETING.match(text) or FILLER.match(text)
        if match is None or match.end() == 0 or len(text) - match.end() < 3:
            break
        text = text[match.end() :].lstrip("，, 、！")
    return text


def wants(text: str) -> bool:
    return _WANTS.search(bare(text)) is not None


_OF_ANOTHER = re.compile(
    rf"\{{owner\}}(?:家的?|等人的?|的)(?>{KIN}|{STAFF})(?!家|们|[，,]|(?:也|都)?(?:说|要求|让|叫)\{{owner\}})"
)
"""What a person of the owner's has before them is no plan of the owner's."""


def requests(text: str) -> bool:
    return _REQUEST.search(text) is not None


def episode(statement: Alone) -> Found:
    """Return a statement that stands alone as an episode of its owner, an intent where it says what they want. What
    does not stand alone names no owner."""
    text = reworded(statement.text)
    if statement.dropped != "unresolved":
        text = _possessor(text)
        text = text if "{owner}" in text else f"{{owner}}{text}"
    if wants(statement.text) and not _OF_ANOTHER.match(text):
        return Found(statement.start, statement.end, "intent", text, dropped=statement.dropped)
    return Found(
        statement.start, statement.end, "episode", text, episode_type="fact", dropped=statement.dropped
    )  # fmt: skip


def _possessor(text: str) -> str:
    """Say whose a person is with whom a statement opens."""
    if _LOST.match(text):
        return f"{{owner}}的{text}"
    match = _THEIRS.match(text)
    return text if match is None else f"{{owner}}的{called(match.group())}{text[match.end() :]}"


_FAMILY = re.compile(FAMILY)
_LOST = re.compile(
    r"(?:(?![常天刚偷慢默渐明白])(?P<twice>[\u4e00-\u9fff])(?P=twice)|阿[\u4e00-\u9fff])"
    r"(?=(?:昨天|今天|前天|上周|上个月|又|前几天)*(?:走丢|跑丢|丢|走失|不见|跑|死|去世)了)"
)
"""A pet by its name, whom the speaker lost."""
_THEIRS = re.compile(rf"(?:{OF_KIN.pattern}|(?>{STAFF})(?!们|证|[与和及、]|专业))(?!\{{owner\}})")


def of_project(sentence: Sentence, original: str) -> Found | None:
    """Return a sentence of a project as it was said: its figures, problems and solutions are nobody's own, and its
    report reads them. None for one that supposes, asks or only chats."""
    phrase = _trim(bare(tidy(original)))
    if match := SUPPOSED.search(phrase):
        phrase = phrase[: max(phrase.rfind("，", 0, match.start()), 0)]
    if (
        sentence.asks
        or _WRITTEN.search(original)
        or _EXCLAIMS.match(phrase)
        or _ASKS.search(phrase)
        or _YOU.search(phrase)
        or requests(phrase)
        or len(phrase) < SHORTEST
        or content_weight(phrase) < _PROJECT
    ):
        return None
    text = reworded(phrase)
    if wants(phrase):
        return Found(sentence.start, sentence.end, "intent", text)
    return Found(sentence.start, sentence.end, "episode", text, episode_type="fact")


_WRITTEN = re.compile(r"(?:写|印|贴|刷|发|念)(?:着|道|了|的是)?[：:，,]?\s?[“「『\"][^”」』\"]{6,}[”」』\"]")
"""Words that stand somewhere, and are nobody's here: README里写着“…”."""
_EXCLAIMS = re.compile(r"(?:哈{2,}|笑死|天[啊哪]|我去)?[，,]?[这那][^，]{1,8}(?:也|真|可|实在)?太[^，]{1,6}了?[吧啊]?$")


def wish(sentence: Sentence, original: str) -> Found | None:
    """Return what the owner tells an assistant they want or plan, where it names any particular."""
    phrase = _trim(bare(tidy(original)))
    match = _WANTS.search(phrase)
    if match is None or content_weight(phrase[match.end() :]) < 1.0 or len(phrase) > LONGEST or SUPPOSED.search(phrase):
        return None
    if advised(phrase):
        return None
    text = _possessor(reworded(phrase)) if _FAMILY.match(phrase) else reworded(phrase)
    dangling = "{owner}" not in text or of_before(phrase) or not asks_for(phrase) or not whole(phrase)
    if _OF_ANOTHER.match(text):
        return Found(sentence.start, sentence.end, "episode", text, dangling=dangling, episode_type="fact")
    return Found(sentence.start, sentence.end, "intent", text, dangling=dangling)


def request(sentence: Sentence, original: str, *, in_group: bool = False) -> Found | None:
    """Return what the owner asks for, with its particulars; None for a request without any, and in a group for one
    whose particulars are apart from it."""
    phrase = _trim(bare(tidy(original)))
    if not particular(phrase) or len(phrase) > LONGEST or advised(phrase):
        return None
    if _SHOWN_NOW.search(phrase) or (in_group and not _REQUEST.search(phrase)):
        return None
    text = reworded(phrase) if _FIRST.match(phrase) or wants(phrase) else f"{{owner}}请求：{_mine(phrase)}"
    return Found(sentence.start, sentence.end, "intent", text, dangling=not asks_for(phrase))


_SHOWN_NOW = re.compile(r"给我(?:先|再)?(?:看|瞧|瞅)(?:一?[下眼]|看)?$")
"""What is asked to be shown, which passes with the talk."""
_CONFIRMS = re.compile(r"(?:对|是|没错|不是)(?:吧|吗|么|不)[？?。]?$|对不对[？?]?$")


def inquiry(sentence: Sentence, original: str) -> Found | None:
    """Return a question about something named or measured; questions to the other person are chat."""
    phrase = bare(tidy(original))
    named = re.search(r"\d|《|[(（]|[A-Za-z]{2}", phrase) or any(len(run) >= 4 for run in content_runs(phrase))
    named = named or content_weight(phrase) >= _ASKED_OF
    of_you = _YOU.search(_YOU_KNOW.sub("", phrase))
    if not named or len(phrase) > LONGEST or of_you or SUPPOSED.search(phrase) or _CONFIRMS.search(original.strip()):
        return None
    return Found(
        sentence.start, sentence.end, "episode", f"{{owner}}问过“{_mine(phrase)}”", dangling=True, episode_type="qa"
    )


def fragment(sentence: Sentence, original: str, question: str | None) -> Found | None:
    """Return a short answer that names something, beside the question it answers."""
    phrase = bare(tidy(original))
    if sentence.asks or _ASKS.search(phrase) or _COURTESY.match(phrase):
        return None
    if not 2 <= len(phrase) <= 24 or _POINTING.match(phrase) or re.search(r"[我你您咱他她]", phrase):
        return None
    measured = re.search(r"\d|[A-Za-z]{2}", phrase) is not None
    if not measured and not (question and content_weight(phrase) >= 1.0) and content_weight(phrase) < 2.0:
        return None
    text = f"问到“{question}”，{{owner}}答“{phrase}”" if question else f"{{owner}}提过“{phrase}”"
    return Found(sentence.start, sentence.end, "intent", text, dangling=True)


def particular(text: str) -> bool:
    """Does a request say something of what it wants: a number, a name, or a few words beyond the everyday?"""
    return content_weight(text) >= 2.0


_OWN_KIN = re.compile(
    rf"(?!{WE_TWO})(?:我们|咱们?|我|俺)(?:家的?|的)?(?P<who>(?>{KIN}|{STAFF}))(?!家[在里]|且|时代|时期|证|们)"
)

_OWN_HOME = re.compile(r"(?:我们|咱们?|俺)家(?![长人乡]|里人)")


_HOME_PET = re.compile(rf"(?P<home>\{{owner\}}家)(?={ANIMALS})")


def _of_theirs(match: re.Match[str]) -> str:
    return "{owner}的" + called(match["who"])


def reworded(statement: str) -> str:
    """Name the owner: for 我, and before a predicate without a subject; what is said of other things stands as said."""
    statement = statement.rstrip("，,、 ").replace("俺", "我").replace("我俩", "我们")
    statement = _SAID_BY_SELF.sub("我", statement)
    if _OWN_KIN.match(statement) or _OWN_HOME.match(statement):
        return _mine(statement)
    if statement.startswith(("我们", "咱们")):
        shared = re.match(_SHARED, statement[2:]) is not None
        return ("{owner}的" if shared else "{owner}等人") + _mine(statement[2:])
    if statement.startswith("本人"):
        return "{owner}" + _mine(statement[2:].lstrip("，, "))
    if _AROUND.match(statement) or statement.startswith("我国"):
        return _mine(statement)
    if statement.startswith("我"):
        return "{owner}" + _mine(_LED.sub("", _OWN.sub(r"\g<thinks>\g<between>自己", statement[1:], count=1)))
    if _WISHES.match(statement) and not _FIRST.search(_OWN_KIN.sub("", _outside_quotes(statement))):
        return "{owner}" + _mine(statement)
    if _FIRST.search(_outside_quotes(statement)) or not _OF_SPEAKER.match(statement):
        return _mine(statement)
    return "{owner}" + statement


_SAID_BY_SELF = re.compile(r"^我(?:就|也|还|都)?说我(?=肯定|一定|不|要|想|会|打算|准备|以后)")
"""Who tells what they said of themselves says it."""
_AROUND = re.compile(r"(?<![自给对跟和让])我(?P<unit>[市省县镇村校院](?![长民花草友]))")
"""Where the speaker lives or belongs: 我市人民医院."""
_WISHES = re.compile(r"(?:真|好|就|很){0,2}(?:希望|想(?![起到象法念])|盼着?)")
"""Only its speaker says so of a person of theirs: 真希望我妈少操点心."""
_LED = re.compile(
    r"^(?:就是(?=无法|没法|没办法|忍不住|做不到|改不了|担心|怕|害怕|想|不想|不敢|不会|喜欢|不喜欢|很|特别|总|老(?!师|板|家)|一直|[^，这那一个想说问]{2,4}(?:很|太|特别|比较)?[强弱差](?:$|，))|也(?![许门])|就(?![读职诊业餐寝医近是])|又|当然|起码|至少(?!\d)|真的|还(?=总|经常|常|会|特别|很|挺|真|觉得))+(?=[\u4e00-\u9fff]{2})"
)
"""What joins a predicate to the clause before it, which is not told."""
_OWN = re.compile(
    r"(?P<thinks>^(?:一直|总是?|经?常|还|也|就|会|很|真的?|有点|特别|不|没|有时候?|最|现在|之前|当时|其实|又|都|只|可能|突然|慢慢|开始|越来越){0,4}"
    r"(?:怕|担心|觉得|感觉|希望|认为|发现|知道|相信|以为|后悔|怀疑|意识到|承认|讨厌|觉得是))"
    r"(?P<between>[\u4e00-\u9fff]{0,4}?)(?<![让叫给对跟和])我(?:自己)?(?![们国校院市省军])"
)
"""Who thinks of themselves is not named twice."""


def unnamed(text: str) -> str:
    """Name the owner except as the first word, as people leave out an unnamed subject (B8): `{of}` stands there. What
    is the owner's (我的时区) is named as such, and so is the owner beside somebody (我和老婆)."""
    text = bare(text.rstrip("，,、 "))
    if text.startswith(("我的", "我和", "我跟", "我与")):
        return _mine(text)
    return "{of}" + _mine(text.removeprefix("我") if not text.startswith("我们") else text)


def _outside_quotes(text: str) -> str:
    return QUOTED.sub("", text)


def _mine(text: str) -> str:
    pieces = []
    end = 0
    for quoted in QUOTED.finditer(text):  # 我 in a quotation is somebody else
        pieces.append(_owned(text[end : quoted.start()]) + quoted.group())
        end = quoted.end()
    return "".join(pieces) + _owned(text[end:])


_SHARED = r"[\u4e00-\u9fff]{0,2}(?:公司|学校|班|家|队|团队|部门|老师|老板|单位|小区|宿舍)"


def _owned(text: str) -> str:
    text = _AROUND.sub(r"{owner}所在的\g<unit>", text)
    text = _OWN_HOME.sub("{owner}家", _OWN_KIN.sub(_of_theirs, text))
    text = _HOME_PET.sub(r"\g<home>的", text)
    text = re.sub(rf"我们(?={_SHARED})", "{owner}的", text)
    text = re.sub(r"我们|咱们", "{owner}等人", text)
    text = re.sub(r"(?<=喜欢|讨厌)我自己", "自己", text)
    return re.sub(r"(?<!自)我(?!国|校|院|市|省|军)|咱", "{owner}", text)


def _trim(statement: str) -> str:
    """Drop clauses at the end that only ask or thank, and what is beyond LONGEST."""
    parts = re.split(r"(?<=[，,])", statement)
    while (
        len(parts) > 1
        and not re.search(r"\d", parts[-1])
        and (content_weight(parts[-1]) < 2.0 and (_ASKS.search(parts[-1]) or requests(parts[-1]) or "谢" in parts[-1]))
    ):
        parts.pop()
    text = ""
    for part in parts:
        if len(text) + len(part) > LONGEST:
            break
        text += part
    return (text or statement[:LONGEST]).rstrip("，, ")
