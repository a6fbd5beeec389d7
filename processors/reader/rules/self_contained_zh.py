"""What makes a Chinese sentence stand alone; the counterpart of `self_contained_en`, sentences still in the first
person."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from processors.reader.rules.clauses_zh import CHILD, KIN
from processors.reader.rules.common_zh import content_weight
from processors.reader.rules.completeness_zh import whole
from processors.reader.rules.own_state_zh import felt, of_oneself
from processors.reader.rules.places_zh import PLACE
from processors.reader.rules.whereabouts import is_where_zh

LONGEST = 36
"""Characters of a statement."""
WIDEST = 44
"""Characters of one that is a single clause."""
SHORTEST = 5

_DATA: dict[str, str] = tomllib.loads((files(__package__) / "self_contained_zh.toml").read_text(encoding="utf-8"))
SPEAKER = re.compile(r"[我俺咱]|(?:^|(?<=[，,\s是对跟和给与为我]))本人|自己")
YOU = re.compile(r"[你您]|楼主|各位|大家|亲亲?(?=[，,！])")
ASKS = re.compile(
    r"[?？]|啥|吗(?:[，。！]?$|(?=我))|[了过]没有?(?=$|，)|有[^，没]{1,6}没(?=$|，)|呢$|么$|什么|怎么|怎样|多少|哪[个里些儿家种位天一]|死哪|在哪(?=$|，)|为什么|为何|为啥|干嘛|干吗|咋|(?<!无论)(?<!無論)如何|是不是|有没有|能不能"
    r"|可不可以|会不会|要不要|该不该|谁|何必|难道|请问|求[教助问推指带]|有无|能否|是否|有多[大高长久重]|(?P<asked>[值带用开买吃喝做去考选报退换住管算])不(?P=asked)|[好行对]不(?!能|会|了|去|用|敢|太)"
)
SUPPOSED = re.compile(
    r"如果|要係|如係|假如|假设|要是|万一|倘若|若是|即使|就算|哪怕|的话|除非|比如(?!说?我?(?:感觉|觉得|以前|之前|小时候|曾|总|每|一直))|打个?比方|例如|梦[到见]|仿佛|好像|似乎|据说|听说|不管|无论(?!如何)"
)
_PERSON = re.compile(r"(?<![吉其倍])[他她](?!汀|嗪|定|滨|昔|唑|洛|克)们?|人家|对方|该(?:名|位)")
_SHOWN = re.compile(
    r"它们?|这(?!种[^，这那]{4,}的|个?(?:学期|季度|周末|[暑寒]假)|几年|两年|段时间|几天|两天|周|个月|辈子|几个月|半年|一年|次(?:期[中末]|考试)|[几两些]?天|里)"
    r"|那(?![年天]|时候|么[多大]|段时间|(?<=[\u4e00-\u9fff]那)[回次])|此(?!外|刻|后)|(?<!莫名)(?<![尤极])其(?!实|他|中|次|余)|同上|上述|以上|一样$|也是$|如下|[这那]样"
)
_AT_PLACE = re.compile(rf"(?P<place>{PLACE}|老家|国内|国外|公司|单位|学校)[这那]边儿?")
_NAMED = re.compile(
    rf"(?:{KIN})|[\u4e00-\u9fff]{{0,2}}(?:学[长姐弟妹]|女生|男生|女孩|男孩|男票|女票|男朋友|女朋友|老板|医生|孩子|前任|同学)"
    r"|(?<![A-Za-z])[A-Z][a-z]+|(?<![A-Za-z])(?:npy|bf|gf)(?![A-Za-z])"
)
_PLAYED = re.compile("|".join(_DATA["played"].split()))
_CORRECTED = re.compile(r"(?<=[\u4e00-\u9fff])不对(?=(?:[上下]?个?(?:周|星期|礼拜)|\d|是|应该))")
"""What was meant stands behind it, and where what was not meant begins is not known."""
_BARE = re.compile(
    rf"(?:[我俺咱]们?(?:的|家的?)?(?:[前老大小]|{KIN})?)(?:{KIN})(?:[他她]的?(?:{KIN}))?(?=[，,\s]|$)(?![，,][他她])"
)
"""A person of the speaker's of whom the clause says nothing."""
_AMOUNT = r"[^，]{0,6}[\d一二三四五六七八九十两百千万]"
_FOR_LONG = r"[^，]{0,10}[\d一二三四五六七八九十两半几多]+(?:个?多?月|年|周|个?礼拜|个?星期)"
_OWN = re.compile(
    rf"(?:(?:一年|每年|每?个?月|每个月|一个月)(?:税前|税后|的)?)?(?:{'|'.join(_DATA['amounts'].split())}){_AMOUNT}"
    rf"|[左右两双]?[边侧只条个]?(?:{'|'.join(_DATA['parts'].split())})(?:[^，]{{0,8}}(?:{'|'.join(_DATA['lasts'].split())})|{_FOR_LONG})"
)
"""What is the speaker's own where it is not said whose it is."""
_TALKED_OF = re.compile(
    r"(?:今天|昨天|最近|突然|有时候?|当时|后来)?(?:我们?|咱们?|本人|自己)?"
    r"(?:突然|真的|也|都|就|还|只|其实|个人|一直|有点|还是|可能|应该|大概|真|好|很|太|最|不太|不大|不)*"
    r"(?:觉得|感觉|认为|以为|想说|想问|想知道|好奇|猜|相信|希望(?=大家|他|她|能帮|有人)|祝|知道|懂|明白|理解|同意|赞同|支持|建议"
    r"|推荐|怀疑(?!是)|看来|表示|承认|发誓|说一?[句下]|告诉你|来说|估计|记得|忘了|忘记|(?:不太|不是很|不)清楚|有点印象|服了|晕|羡慕|哭了|笑了|爱了|醉了|无语|期待"
    r"|等一?下|稍等)"
)
"""What one thinks, feels, says: of the moment, or of the talk itself."""
_HEARD_OF = re.compile(r"(?:我们?|咱们?)?(?:也|都|就|还|只|好像|以前)*听过")
_LASTING = re.compile(r"从小|一直|总是|每[天次周]|最近|常常?|好几|(?<!\d)\d{1,2}年")
_YEAR = re.compile(r"\d{4}年")
_GENERAL = re.compile(
    r"^没[欸诶]|^(?:人(?!家)|人们|每个人|任何人|有些?人|生活|人生|世界|社会|爱情|感情|幸福|缘分|家人永远|时间|女人|男人|一个人|应该|要学会"
    r"|只要|只有|没有什么|一切)|^我们(?:都|要|应该|应当|总|每个人|必须)"
    r"|^[跟和对][我咱](?:说|讲)|^(?:告诉|帮|给[我咱]|教我|麻烦|别|不要|千万|记得|多(?!年)|先|可以|建议|赶紧|快|请|来|加油|祝)"
)
_DAY = (
    r"(?:大?[昨今明前后後尋噚琴聽听上下这這去本当當每](?:天|日|晚|早|夜|儿个?|年|周|週|个?月|個月|个?礼拜|個禮拜|个?星期"
    r"|学期|學期|个?季度|阵子|段时间|两[天年周]))"
)
NO_OPENER = rf"(?!{'|'.join(_DATA['no_openers'].split())})"
"""Before what may open a predicate: no noun that begins like one."""
_NOT_NOUN = re.compile(NO_OPENER)
_STARTS = re.compile(
    rf"{NO_OPENER}(?:{_DAY}|[早晚]上|[上中下]午|\d+(?:[年月日号点岁天个周次])|[一二两三四五六七八九十]+[年个]|第一次|最近|近期|平时|平常|目前|现在|之前|以前|后来|小时候"
    r"|从小|从来|想|要|打算|计划|希望|需要|准备|去|在|刚|已|曾|喜欢|讨厌|爱|怕|决定|正|有|没|不(?!是说|太懂|完全性|典型|稳定型)|冇|無|唔|仲|咗|系|係"
    r"|上[^，]{1,8}以来|几乎|自从|从|把|被|给|跟|和|同|用|做|找|还|也|就|吃|食|喝|住|买|買|卖|考|当|一直|每|经常|常常|总是|大[一二三四](?!老?学[长姐弟妹])|高[一二三中]"
    rf"|{'|'.join(_DATA['openers'].split())}"
    r"|初[一二三中]|毕业(?!照|季|论文|典礼)|工作|结婚|离婚|生了|分手|学[了的]|报了?名|换|改|搬|辞|养|得了|停|戒|只好|只能|老是?|偷偷|悄悄|不得不|试着|尝试|容易|害怕|习惯|缺乏|缺少|感到|难以|很难)"
)
"""What a clause without a subject opens with where it tells of its speaker."""
_STARTS_TOLD = re.compile(
    r"(?:夜里|半夜|凌晨)(?:老|总|经常|都)|家里(?!人)|全家|隔[天周一两三]|新[买换办]|主要|专门|必须|只"
    r"|[一二两三四五六七八九十\d]{1,2}个?(?:[周月点次]|星期|礼拜)"
    r"|(?:(?:周|星期)[末一二三四五六日天]|过年|节假日|放假|开学|[春夏秋冬]天|负责|平均|偶尔)"
    r"(?:去|回|吃|喝|跑|练|爬|游|打|值|上[班课]|加班|睡|陪|带|休息?|在家)"
    r"(?![^，]*(?:[的最对难贵堵挤好伤补解]|适合|便宜|容易|影响|多$))[^，]{0,6}(?:$|，)"
)
"""The same where nobody but the speaker is there to be told of: to an assistant. Of a season or a feast, only what
somebody does then is: 冬天适合吃羊肉 holds for all."""
_STARTS_LETTER = re.compile("|".join(_DATA["letter_openers"].split()))
_WHEN = re.compile(rf"{_DAY}|[\d一二两三四五六七八九十几多]+个?(?:年(?!级)|[月日号点岁天周次])")
_OF_DAYS = re.compile(_DAY)
_LEAD = re.compile(
    rf"(?>(?:{_DAY}|从小|每[次逢][\u4e00-\u9fff]{{2,5}}|[每当自从于]|[早中]?[晚早]上|[上中下]午|\d{{1,4}}[年月日号点]|最近|近期|平时|平常|周末"
    r"|目前|现在|之前|以前|后来|小时候|[春夏秋冬]天|有时候?|[，,\s])*)"
    r"(?:[\u4e00-\u9fff]{1,8}(?:的时候|[之以]?后|完|一下)[，,\s]?)?(?:[\u4e00-\u9fff]{2,5}[给让叫说派])?(?:为了[^，。我你您他她]{2,12}[，\s]?)?"
)
"""What may stand before the speaker: when it was, or who did it to them. A thing there is an object before its verb, or
what the talk is about."""
_NOT_OBJECT = re.compile(
    r"(?:^|，)(?:根据|按照?|依照?)[我俺咱]|(?:^|，)再[^，我]{0,4}下[来去][我俺咱]|(?:^|，)[^，我]{0,4}(?<![特分各])别(?![人的处])[^，我]{0,3}[我俺咱]"
    r"|(?:^|，)(?:请|麻烦)?[帮幫替吓嚇][我俺咱]|真是[我俺咱]|^[^，我]{1,6}[给給][我俺咱][^，了过]{1,6}的[^，]{1,4}(?:$|，)"
)
"""Orders, exclamations, what is only supposed or is no sentence: here no object stands before the speaker."""
_OF_PERSON = re.compile(rf"{KIN}|的(?:人|同学|同事|朋友|邻居)|[男女](?:人|生|孩)")
_THEIRS_THEN = re.compile(rf"，(?:但是?|可是?|而|不过)?(?:{KIN})(?![们，])[^，]*[我俺咱]")
"""A clause within, of what a person of the speaker's does to them."""
QUOTES = re.compile(r"[“「『\"《][^”」』\"》]{4,}")
QUOTED_AFTER = re.compile(
    r"(?<!我没)(?<!我没有)(?:(?<!小)(?<!传)(?<!听)说过?|写道|写着?|唱道?|唱得好|说道|上写|问道)[啊呀]?$"
)
"""What follows is somebody's words."""
LABELLED = re.compile(r"[\u4e00-\u9fffA-Za-z]{1,8}[：:]")
_CUT = re.compile(
    r"(?:有[几两三四五\d]+[个点件]\d?|的活儿?|完全是|知道|觉得|认为|以为|(?<!小)说|想|希望|发现|因为|所以|但是?|可是|于是|而且|并且|如果|虽然|然后|就是|的时候|(?<!小)时候?|之?[前后]|的是|的情况|[这那](?:次|回|趟)|没有?[一二三四五六七八九十\d]+周?岁"
    r"|[和跟与把被对给让在的])$(?<!以前)(?<!之前)"
)
"""A clause that another must follow."""
_IS_OF = re.compile(
    r"是(?![^，]{1,3}着[做来去走]|听|看|自己|很|挺|太|非常|比较|最|还|不|可以|应该|能|会|有|要|做梦|开[玩心始])(?:[^，的说]{3,14}|[跑干卖做开搞修教学送种养属][^，的说])的$"
    r"|(?:^|[我俺])(?:现在|以前|自己|主要|专门|也|是|就){0,3}(?!做梦|开[玩心始])[跑干卖做开搞修教学送种养][^，的了过着]{1,8}的$"
    r"|(?:喜欢|[偏不]爱|讨厌|习惯|只[喝吃用看穿买听])[^，的]{1,4}的$|(?<![个种有是了])[挺蛮][^，的]{1,10}的$|(?:每[天周月次日]|平均|最多|至少|只能)[^，]{1,8}小时$"
    rf"|是{PLACE}的$"
)
"""A predicate that its 的 ends: 是学法语的, 我修车的, 不爱吃甜的, 我挺怕冷的."""
_ADVISED = re.compile(r"绝对|肯定|应该|应当|可以|最好|必须|不能|不要|别|建议|需要|只要|才能|(?<![快正将])要[^求紧]")
"""What somebody is told where no speaker is named."""
_MOMENT = re.compile(rf"(?:正|还)在[^，]{{1,10}}着(?:$|，)|{'|'.join(_DATA['moment'].split())}")
"""What holds right now."""
_ONLY_WHEN = re.compile(
    r"(?:[\d一二三四五六七八九十]{1,4}[年月日号点周]|[到至、，和-]|上午|下午|早上|晚上|今年|去年|明年)+"
)
"""No more than when something is."""
_NO_SUBJECT = re.compile(r"(?:[让叫使令比是有给对被]|就是)[我俺咱]")
"""What did it, or was it, is in the turn before."""
LED = re.compile(
    r"(?:也|还|又|都|就(?![我是])"
    r"|从来|从不|很|真|太|特别|非常|一直|总是|总|经常|永远|有时候?|不(?!知不觉)|没|会(?![籍员议计所馆场])|要(?![係系是])|能|可以|愿意|一般|往往|只)"
)
"""A predicate whose subject stands in the clause before it."""
_DONE_TO = re.compile(rf"我(?!的?(?:{KIN}))")
_FIRST = re.compile(r"(?<!自)[我俺咱]")
_WITH_KIN = re.compile(
    rf"(?:[和跟与同陪]|[昨前]天|上周|最近|刚|已经|快要?){{1,3}}[^，他她]{{0,10}}(?:{KIN})(?![们的])[^，]{{2,}}"
)
"""What one does with a person of theirs is said in everyday words: 和男朋友分手了."""
_FRONTED = re.compile(
    r"[\u4e00-\u9fff]{1,4}[我俺](?:从来|一直|也|都|真的|早就)*(?:[不没能会吃喝用买卖养]|喜欢|讨厌|习惯)"
)
"""A short object before its speaker: 海鲜我不能吃."""
OF_KIN = re.compile(rf"(?:(?>{KIN})(?!们|之|一样|我|(?<=妹)[子纸])|{CHILD})")


_STATE = re.compile(
    rf"(?!(?:{'|'.join(_DATA['while'].split())})*是)(?:[我俺](?:们?家?的?(?:{KIN}))?|自己|本人)?"
    rf"(?:{'|'.join(_DATA['while'].split())})*"
    rf"(?:(?:{'|'.join(_DATA['states'].split())})(?!{'|'.join(_DATA['no_state'].split())})"
    rf"|(?:{'|'.join(_DATA['parts'].split())})(?:[^，]{{0,4}}(?:{'|'.join(_DATA['lasts'].split())})))"
)


_BEFELL = re.compile(
    rf"(?:[我俺](?:们?家?的?(?:{KIN}))?|[和跟与][^，我他她]{{0,10}}(?:{KIN}))(?:{'|'.join(_DATA['before_it'].split())})*"
    rf"(?:{'|'.join(sorted(_DATA['befalls'].split(), key=len, reverse=True))})了(?=$|，)"
)


def befell(text: str) -> bool:
    """Does a statement open with what befell its speaker, or a person of theirs, once in years: 我失业了?"""
    return _BEFELL.match(text) is not None


def played(text: str) -> bool:
    """Is this of a story or a game, or irony, and nobody's life?"""
    return _PLAYED.search(text) is not None


def resolved(text: str) -> bool:
    """Does everything that the text points at stand in the text before it?"""
    shown = _AT_PLACE.sub(r"\g<place>", text) if "边" in text else text
    if _SHOWN.search(shown):
        return False
    match = _PERSON.search(text)
    return match is None or _NAMED.search(text, 0, match.start()) is not None


def of_before(text: str) -> bool:
    """Is this a predicate about the speaker ("也心疼我"), its subject in the clause before? One about a person of the
    speaker's ("还想给我妈买") may be their own."""
    return LED.match(text) is not None and not SPEAKER.match(text) and _DONE_TO.search(text) is not None


def is_self_contained(text: str, *, of_other: bool, of_kin: bool, in_group: bool, among: bool = False) -> bool:
    """Is this a whole statement of the speaker's that needs nothing beside it? `of_other`, `of_kin`: its subject, named
    or carried on, is somebody else, or a person of the speaker's. Where others speak too (`in_group`) what stands
    before the speaker may be what those others speak of; to an assistant it is the speaker's object. Who speaks
    `among` people, also first, says much of others and of nobody: there the speaker, or a person of theirs, opens
    it."""
    least = 4 if befell(text) else SHORTEST if in_group or among else _least(text)
    placed = not (in_group or among) and is_where_zh(text)
    if len(text) < least or not (placed or resolved(text)) or _GENERAL.search(text):
        return False
    if (_CUT.search(text) and not _IS_OF.search(text)) or _BARE.match(text) or _CORRECTED.search(text):
        return False
    dated = not in_group and _YEAR.search(text)
    talked_of = _TALKED_OF.match(text) or (in_group and _HEARD_OF.match(text))
    if talked_of and not (_LASTING.search(text) or dated or felt(text) or of_oneself(text)):
        return False
    under_way = not (in_group or among) and tells_state(text)
    if _ONLY_WHEN.fullmatch(text):
        return False
    if _NO_SUBJECT.match(text) or (_MOMENT.search(text) and not under_way) or not whole(text):
        return False
    if of_before(text):
        return False
    if OF_KIN.match(text) or tells_of_speaker(text) or _THEIRS_THEN.search(text):
        return True
    if placed:
        return True
    if among and _FIRST.search(text) and (in_group or not _FRONTED.match(text)):
        return False
    if not in_group and SPEAKER.search(text) and not _NOT_OBJECT.search(text):
        return True
    if not of_other and (_OWN.match(text) is not None or felt(text)):
        return True
    least_said = 1.0 if (not in_group and is_habit(text)) or _WITH_KIN.match(text) else 1.5
    if of_other or _ADVISED.search(text) or content_weight(text) < least_said:
        return False
    if (in_group or among) and _NOT_NOUN.match(text) is None:
        return False
    opens = _STARTS.match(text) is not None
    opens = opens or (not in_group and (_STARTS_TOLD.match(text) or _STARTS_LETTER.match(text)) is not None)
    when = _WHEN.search(text)
    led = when is not None and _OF_DAYS.match(when.group()) and when.start() > 0 and "，" not in text[: when.start()]
    return of_kin or opens or (when is not None and not (led and (in_group or among)))


def _least(text: str) -> int:
    """To an assistant what one is, has or can in a word or two is a whole statement: 我属马, 我戴眼镜."""
    if not (text.startswith(("我", "俺")) and tells_state(text)) or _SHORT_ANSWER.match(text):
        return SHORTEST
    return 3 if text[1] in "属姓" else 4


def tells_of_speaker(text: str) -> bool:
    """Is the speaker the subject, or the one to whom somebody named does it?"""
    if _HOPES.match(text) is not None:
        return True
    named = SPEAKER.search(text)
    if named is None:
        return False
    if named.group() in {"自己", "本人"} or _OF_PERSON.search(text, 0, named.start()):
        return True
    return _LEAD.fullmatch(text, 0, named.start()) is not None


_HABIT = re.compile(
    r"(?:现在|最近)?(?:[^，我你您他她]{2,6}，)?(?:有时候?)?(?:总是|老是|经常|从小|动不动就)[^，你您他她]{3,}"
)


def is_habit(text: str) -> bool:
    """Does a statement without its speaker say what they always do: 总是不想学习?"""
    return _HABIT.match(text) is not None


_HOPES = re.compile(
    r"(?:真心|衷心|真的?|好|很|只|非常|特别|还是|也)*希望(?!大家|各位|所有|全部|世界|每个?人?|有人|[洞楼题]主|[dl]z|明天|今天|[^，]{0,6}(?:快乐|幸福|好运|顺利|开心)$)"
)
"""Only its speaker hopes: 真心希望学校早点放假."""
_SHORT_ANSWER = re.compile(
    r"我(?:是|有|没|没有|会|不会|信|怕|不办|不去|不用)"
    r"(?:的|了|过|啊|空|钱|事|错|用|完|来|行|他|她|它|这|那|好|懂|对|去|说|写|做|看|试|找|买|问|吃|喝|想|知|听|要)"
)
"""What answers the turn before: 我没有用, 我会来."""


def tells_state(text: str) -> bool:
    """Does a statement say what its speaker, or a person of theirs, is, has, can, likes or does for good?"""
    return _STATE.match(text) is not None


def by_nature(text: str) -> bool:
    """Does a statement that names nobody say what its speaker has by nature or by contract?"""
    return _OWN.match(text) is not None and SPEAKER.search(text) is None


_AS_SOON_AS = re.compile(r"一[^，]{1,6}就")


def opens_predicate(text: str) -> bool:
    """Does a clause without its subject open with a predicate, or with when it holds?"""
    return any(p.match(text) for p in (_STARTS, _STARTS_TOLD, LED, _AS_SOON_AS))


def weight(text: str) -> float:
    """Weigh a statement by what it is about, its speaker and its time."""
    return content_weight(text) + (3.0 if SPEAKER.search(text) else 2.0) + (1.0 if _WHEN.search(text) else 0.0)


def reports(text: str) -> bool:
    """May what is said of somebody, or asked for, be told: does it point at nothing outside, and speak to nobody?"""
    if len(text) > LONGEST + 8 or YOU.search(text) or ASKS.search(text):
        return False
    return _CUT.search(text) is None and _CORRECTED.search(text) is None and resolved(text)


def asks_for(text: str) -> bool:
    """May a wish or a request be told: as `reports` says, or because it names a number or a name?"""
    named = re.search(r"\d|《|[(（]", text) is not None and (YOU.search(text) is None or QUOTES.search(text) is None)
    return reports(text) or (len(text) <= 2 * LONGEST and named)
