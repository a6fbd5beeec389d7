"""Chinese clauses: who each is about. Chinese drops subjects, so a clause keeps that of the one before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from processors.reader.rules.corrections import replace_corrected_zh, takes_back_zh
from processors.reader.rules.named_subjects_zh import named
from processors.reader.rules.own_state_zh import FINDINGS
from processors.reader.rules.text import Sentence

Subject = Literal["我", "我们", "我的", "亲友", "other", "unnamed"]
"""我的: something of the speaker's; 亲友: a person of theirs; unnamed: nobody is named yet, and it may be another."""

# Chinese is often written with a space before a word in Latin script, which ends no clause; nor do those of New York.
_BREAK = re.compile(
    r"[，,；;：:]|(?<![A-Za-z])\s{1,3}(?![A-Za-z])|(?<=[\u4e00-\u9fff])\s{1,3}(?=(?:npy|bf|gf|[dl]z)(?![A-Za-z]))|(?<=[A-Za-z])\s{1,3}(?=[^A-Za-z\s的里中])|(?<=我)(?=我(?!们))|(?<=[\u4e00-\u9fff])"
    r"(?=但是|(?<=[了的])但(?=[\u4e00-\u9fff])|不过(?![敏于来分错])|而且|然后"
    r"|所以|因为|如果|要是|可是|其实我|我(?:现在|目前|今年))"
)
_RELATIVES = """
    爸爸 妈妈 老爸 老妈 爸妈 爹妈 爸 妈 爹 娘 父亲 母亲 父母 双亲 继父 继母 养父 养母 干爹 干妈 老公 丈夫 先生 老婆 妻子
    太太 爱人 媳妇 媳妇儿 老伴 对象 伴侣 女朋友 男朋友 女友 男友 未婚妻 未婚夫 前妻 前夫 前女友 前男友 前任 哥哥 姐姐
    弟弟 妹妹 大哥 二哥 大姐 二姐 小弟 小妹 哥 姐 弟 妹 兄弟 姐妹 儿子 女儿 闺女 娃 孩子 小孩 宝宝 双胞胎 爷爷 奶奶
    女票 男票 (?<![A-Za-z])(?:npy|bf|gf)(?![A-Za-z])
    外公 外婆 姥姥 姥爷 叔叔 阿姨 舅舅 姑姑 叔 婶婶 婶 姑妈 姑父 大伯 伯父 伯母 姨妈 姨父 姨 舅妈 舅 嫂子 嫂 姐夫 妹夫
    弟媳 表哥 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹 侄子 侄女 外甥 外甥女 孙子 孙女 外孙 外孙女 儿媳 儿媳妇 女婿 亲家
    亲戚 岳父 岳母 岳父母 公公婆婆 岳父岳母 老太太 老爷子 老人家 婆家人 娘家人 婆家 娘家 丈人 丈母娘 公公 婆婆 公婆
    家人 家里人 小姑子 小叔子 大姑子 妯娌 连襟 继子 继女 养子 养女(?!儿)
    (?<![室体院境国校家省市县区])内子(?![女公]) (?<![室体院境国校业圈家户省市县区车])内人(?![员民士口群工物]) 拙荆
    荆妻 贱内 糟糠之妻 夫人
    (?<![海号野意宫中老])外子(?![女公宫集]) 夫君 拙夫 当家的 那口子 孩[子儿]他?[爸爹妈娘]
    老头子(?!的?[^，]{0,3}[仪器计秤表]) 老婆子 婆娘 婆姨 堂客 另一半 亡妻 亡夫 先妻 先夫 家室
    家父 家母 家严 家慈 家君 家尊 先父 先母 先严 先慈 先考 先妣 高堂 令尊 令堂 老父 老母(?![鸡猪牛狗]) 二老 老豆
    老窦 阿[爷嬷嫲公婆] 爹地 妈咪
    祖父母? 祖母 外祖父母? 外祖母 曾祖[父母]? 太爷爷? 太奶奶? 家祖[父母]? 先祖[父母]? 嫲嫲 家翁 家婆 外父 外母 岳丈 家岳
    家兄 家姐 家姊 家嫂 家弟 家妹 舍弟 舍妹 舍侄 胞[兄弟姐妹姊] 兄长 长[兄姐姊] 令[兄弟妹姐姊] 姊姊 姊妹
    阿[哥姐弟妹] 老[弟妹] 弟妇 弟妹 嫂夫人 尊夫人 令夫人
    [内妻][弟兄妹姐] 妻舅 [大小]舅[子哥] [大小]姨子 大伯子 [二三四]姨 大姨(?!妈) [大小]姑 [二三四]叔 [二三四]伯 大娘
    叔父 叔母 叔公 伯公 婶娘 婶母 舅父 舅母 姨母 姨丈 姨夫 姑母 姑丈 姑夫 堂兄 表兄 侄儿
    犬子 犬女 小犬 小女(?![孩生人子友兵神巫]) 小儿(?![科麻推多童媳感肺咳药保急退氨用常]) 令郎 令[爱嫒] 令千金
    (?<!单)独[子女](?![性]) (?<![一两三几每上下这那多首0-9])次子(?![宫女弹])
    (?<![部院局校班组队厂市县董村站处科会])长子(?![女弹公宫])
    (?<![部院局校班组队厂市县董村站处科会])长女(?![士性]) (?<![一两三几每上下这那多首0-9])次女(?![士性生]) 幼子 幼女
    爱女 爱子 幺儿 幺女 囡囡? 崽崽? 细佬 细妹 妹仔
    (?<=我)爷(?![爷们]) (?<=我)奶(?![奶茶粉油酪牛]) (?<=我)姥(?![姥爷]) (?<=我)婶(?!婶) (?<=我)嫂(?!子)
"""
_ACQUAINTANCES = """
    朋友 同学 同事 前同事 同屋 老板 前老板 领导 上司 上级 下属 室友 舍友 同桌 队友 战友 网友 老乡 搭档 合伙人 发小 死党
    哥们 闺蜜 邻居 房东 老师 医生 导师 师傅 师父 徒弟 师兄 师姐 师弟 师妹 学长 学姐 学弟 学妹 客户 学生 病人 患者
"""


def _either(words: str) -> str:
    return "|".join(sorted(words.split(), key=len, reverse=True))


ACQUAINTANCES = _either(_ACQUAINTANCES)
_KIN = _either(_RELATIVES + _ACQUAINTANCES)
KIN = _KIN
FAMILY = _either(_RELATIVES)
FILLER = re.compile(
    r"(?:大家好|各位好|你好|您好|嗨|嗯+|哦|噢|啊|哎|诶|欸|唉|哇塞?|呃+|额(?!度|外|头|温|定)|喔|哈哈+|嘿嘿?|好的?|行|对了|对的|对(?=[，,\s啊呀]|我(?:今年|现在|目前|叫|姓|住))|是的|[那这]个(?=[，,]|就是|我|嗯|呃|那个)|那么|那(?![次天时个年里些种家边儿么位一])|其实"
    r"|另外|还有|而且|并且|然后|然而|所以|因为|可(?=[我俺](?:是|有|没|不|还|也|在))|但是?|不过(?![敏于来分错])|可是|就是|反正"
    r"|总之|说实话|老实说"
    r"|我?(?:跟|和|给|向)(?:你们?|您|大家|各位|诸位)(?:说|讲|汇报|通报|交代)(?:一?下|一声|个?事儿?|近况)?(?=[，,:：\s我俺])|我先?[说来]吧(?=[，,\s我俺])"
    r"|对了|(?:顺便|顺带|再)(?:说|提)(?:一下|一句|一嘴|一声|下|句)?(?!明|服|法)|谢谢|不好意思|说错了|不对|更正一下|首先|其次"
    r"|最后|当然|请问|哈喽|听我说|我想说|我说一下|补充一下|因此|同时|(?:自从|自打|每当|每次|当)(?=我)"
    r"|此外|(?:请|你)?(?:记得|记住|记着)(?=我(?:是|有|不|没|对|只)))[，,\s]*"
)
_RUN_ON = 44
"""Characters from which a clause runs on."""
_WITHIN = re.compile(
    r"但(?![是凡愿])|虽然|反正|并且|(?<![和跟对给让叫被把比为帮替找向与陪带离令使得着的说问是])我们?(?=[很都就也还总]|知道|认识|喜欢|觉得|感觉|现在|已经|一直|曾|每次|是|不)"
    r"|(?<![和跟对给让叫被把比为帮替找向与陪带离令使得着的说问是道欢意])[他她](?=[是很总都也]|每次|对我|不)"
)
_OPENS_WITH_ONE = re.compile(rf"\s*(?:{FILLER.pattern})?[我俺](?![们的家])")
_NAMED_AGAIN = re.compile(
    r"(?<![和跟对给让叫被把比为帮替找向与陪带离令使得着的说问是道现以信怕望认觉想当时候前后完像看听等猜但而要里])[我俺]"
    r"(?=也|还|又|就|都|这人|从来|平时|真的|一直|以前|之前|昨天|上周|去年)"
)
"""The speaker, who opened the clause, as the subject of another without a comma: 我从来不炒股我这人胆小."""
_AGAIN_FROM = 6
"""Characters of what stands before it at least."""
_SAYS_THEN = re.compile(rf"(?<=[了过])(?=(?:{_KIN})(?:[都也]?(?:说|讲)))")
"""Who says something, behind what was done: 我查过了医生说没事."""
_ASKS_OF_IT = re.compile(
    rf"\s*(?:{FILLER.pattern})?[我俺](?!想|要问|不知|不懂|不清楚|不确定|咨询|这)[^，。问]{{3,20}}?(?<![有是想说看道不没])"
    r"(?=还?(?:可以|能)[\u4e00-\u9fff]{1,10}(?:吗|么|嘛)[？?]?$|(?:能不能|可不可以|能否)[\u4e00-\u9fff]{1,10}|(?:会不会|要不要|需不需要|该怎么|应该怎么|怎么办|怎么治|怎么处理"
    r"|吃什么|有影响吗|正常吗|行吗|行不行))"
)
_UNREAL = re.compile(r"就好了|该多好|多好[啊呀]?$|的话$|再说[吧]?$")
"""Behind what is only wished or not yet so."""
SUPPOSED = re.compile(
    r"如果|假如|假设|假定|想象一?下|假装[你我](?=[是在有会])|要是|万一|倘若|若是|假使|要不是|除非"
    r"|比如说?我(?!感觉|觉得|以前|之前|小时候|曾|昨|今天|经常|总|每|一直|上)|打个?比方|梦[到见]"
    r"|好像是|听说|据说|是否|是不是|会不会|能不能|可不可以|有没有|该不该"
    r"|要不要"
)
_ASKING = re.compile(
    r"有多[大高长久]的?[\u4e00-\u9fff]{0,3}$|可以[^，]{0,12}吧$|吗$|么$|(?:吗|(?<!着)呢)[啊呀]?$|什么|怎么|多少|哪[个里些儿家种]|(?<!好)几(?:[点个岁号]|(?<!有几)年|年(?!了))|为什么|为啥|咋|请问|(?<!无论)(?<!無論)如何|能否|可否|谁"
)
# Behind 我 only: by themselves these are what somebody is (司机) or what is spoken of.
STAFF = _either("""
    教练 律师 司机 助理 秘书 保姆 家教 班主任 组长 班长 校长 站长 店长 院长 科长 处长 厂长 队长 主任 经理 总监 会计 保洁
    经纪人 中介
""")
ANIMALS = (
    r"(?:养的|那|这|[一两三]){0,2}[只条匹头]?[大小老橘黑白花]?"
    r"(?:猫咪?|狗狗?|兔子|仓鼠|鹦鹉|乌龟|金毛|泰迪|柯基|哈士奇|布偶|宠物|主子|毛孩子)"
)
CIRCLES = _either("公司 单位 学校 部门 团队 工厂 厂 店 小区 村 医院 办公室 项目组 实验室 课题组 班 组 家 宿舍")
WRITER = (
    r"(?<![A-Za-z觉])(?:dz|DZ|lz|LZ)(?=自己|本人|今年|大[一二三四]|研[一二三]|[♂♀]|[男女][，,\s生]|在读|之前|从小|目前|最近|[，,\s]+(?:我|女朋友|男朋友))"
)
"""How who opened a thread speaks of themselves where they tell of themselves; elsewhere others speak of them."""
WE_TWO = rf"(?:我们|咱们?|俺们)(?:{_KIN})俩(?=都|也|还|就|一起|一直|想|要|打算|准备|决定|在|去|住|合|今年|从小|$|，)"
"""The speaker and a person of theirs: 我们哥俩都想去. 我妈俩腿疼 speaks of two legs."""
_FIRST = re.compile(
    rf"(?!{WE_TWO})(?:我们|咱们|俺们|我|咱|俺)(?:的|(?:{CIRCLES})(?:里|上|楼下|隔壁)?的?)?(?:最好的|[一两几那这]个|[大小老亲前现准]){{0,2}}"
    rf"(?P<kin>(?:{_KIN}|{STAFF}|{ANIMALS}|老[大二三四幺](?![叔爷家]))(?!家[在里]|且|时代|时期|证))"
    rf"|(?:我们|咱们|俺们|我|咱|俺)(?P<own>的|(?:{CIRCLES.replace('|家', '')})(?![里当]|附近|上班))"
    r"|(?:我们|咱们?|俺们)(?:这[边里儿](?!的|是))?|(?:我|俺|本人|自己|在下|鄙人|{WRITER})(?:这[边里儿](?!的|是))?"
)
"""Whose the clause is: only where no person, animal or circle of theirs follows is it the speaker."""
_INTRODUCED = re.compile(rf"(?:有|养了?|生了|认识|遇[到见]|碰到)[^，]{{0,6}}?(?:{_KIN}|{STAFF}|{ANIMALS})们?$")
_OF_WHOM = re.compile(
    r"(?:今年|现年|现在|已经|刚刚?|刚满|都|才|快){0,3}(?:\d{1,2}|[一二两三四五六七八九十]{1,3})(?:个?多?月|周?岁|了)"
    r"|(?:名字)?叫|是|(?:现在)?在[^，]{1,12}(?:上学|读|念书|上班|工作)"
)
"""Of whom a clause speaks that follows "我有个女儿，"."""
_GROWS = r"今年|现在|已经|刚|才|都|也|还|在|上[小初高大幼中]|读|是|\d|[一二两三四五六七八九十]{1,3}个?[岁月]"
CHILD = rf"(?:老[大二三四幺]|[大二三小]宝)(?={_GROWS})"
"""One of the speaker's children by their order, where something is said of them."""
_OTHER = re.compile(
    r"(?:他们?|她们?|它们?|你们?|您|大家|有人|别人|人家|该|其|老人(?!家)|隔壁|对门"
    r"|(?:招聘|应聘|任职|岗位|职位|用人)(?:要求|条件|启事|信息)|[男女](?:主角?|[方二])(?![人管持席播任要动观题张食面])"
    r"|第?\d{1,6}号(?:[\u4e00-\u9fff]{1,2}[者人员友]|(?=对(?![我俺于])))|(?!或者)[\u4e00-\u9fff]{1,2}者(?=[对有是在的])"
    rf"|(?P<child>{CHILD})|[大小]的(?={_GROWS})"
    r"|[这那](?!学期|[一几两半个]?(?:周|月|年|天|星期|礼拜|阵|段|次|回)|会儿?|里|边|儿|时|辈子|之[前后])"
    rf"|(?:家里的?)?(?P<kin>{_KIN})|(?:(?![\u4e00-\u9fffA-Za-z]{{0,5}}(?:{FINDINGS})说)(?!(?:上[次回]|刚才?|刚刚|之前|前面|昨天|那天)说)[\u4e00-\u9fff]{{1,6}}(?:说|觉得|认为|问|告诉"
    r"|以为)))"
)
_KNOWN_TO = re.compile(r"[我俺]所?(?:知道|认识|见过|了解|听说)的")
"""Somebody else: 我所知道的，年薪30w."""
_REPORTED = re.compile(
    r"(?<![给跟和对向与])(?:他们?|她们?|您|你们?|人|妈|爸|友|师|生|家|事|板)(?:都|总|常|也|就)?(?:说|觉得|认为|以为|猜|问|告诉|看出)"
)
_IS_SPEAKER = re.compile(
    rf"(?<![让叫给对跟和与被把比为帮替找问向随教是])[我俺](?:俩|们俩)?(?![的们家这那]|$)(?!(?:{KIN})(?!们))"
)
"""The speaker as subject behind what a clause begins with."""
_WITH_THEIRS = re.compile(rf"[和跟与同陪带让给](?:{FAMILY})(?![们的])")
"""What one does with the mother is done by her child: only the speaker has her without a word of whose she is."""
_KNOWS = re.compile(
    r"(?:[也还都就只倒个人真]|可是|当然|确实|倒是)*"
    r"(?:(?:知道|记得|听说过?|听过|看过|查到|查过|了解|认为|以为|猜|估计|看来|听[\u4e00-\u9fff]{1,4}说)"
    r"|(?:觉得|感觉|发现|喜欢|相信|希望|担心|怕)(?=[他她它佢这那]))"
)
"""Behind who knows or thinks it stands what is known; a clause after it goes on with that: 我记得是山城，有一条江."""
_IS_WHO = re.compile(r"(?:[也还都就只]|好像)*(?:记得|听说过?|猜|估计|看来)是")
"""Of oneself nobody has to remember who one is: 我记得是山里人."""
_OF_ONESELF = re.compile(r"自己|[我俺咱]")
_HAS_ONE = re.compile(
    rf"(?:还|也|倒)?(?:有|认识)(?:一?个|几个|[一两几]?位)[^，]{{0,4}}?(?:{_KIN})(?=在|是|做|当|去|也|拿|走|靠|从|就|已经|都)"
)
"""Who is introduced and told of at once: 我有个同学在银行, and what follows is theirs."""
_AT_SOMEBODY = re.compile(r"[这那][种个位](?:人|家伙|[男女]的)$")
"""What follows goes on with somebody who is pointed at: 不喜欢这个人，说话太冲."""
_CORRECTION = re.compile(r"不对|说错了|更正|纠正|应该是|其实是|不是.{1,12}是|记错了|搞错")


@dataclass(frozen=True, slots=True)
class Clause:
    """`body` is the clause without fillers and, where the subject is the speaker, without the subject; `after` is the
    rest of its sentence, `before` what it says before."""

    subject: Subject
    body: str
    start: int
    end: int
    asks: bool
    supposed: bool
    correcting: bool
    raw: str = ""
    after: str = ""
    before: str = ""

    @property
    def states(self) -> bool:
        return not (self.asks or self.supposed)


def clauses(sentence: Sentence, before: Subject = "我", *, in_group: bool = False) -> list[Clause]:
    """Split one sentence into clauses; `before` is who the clause before the sentence was about, `in_group` whether
    others speak too: what is known of a third is told to them, of oneself to an assistant."""
    text = replace_corrected_zh(sentence.text)
    spans: list[tuple[int, int]] = []
    begin = 0
    for cut in _BREAK.finditer(text):
        spans.append((begin, cut.start()))
        begin = cut.end()
    spans.append((begin, len(text)))
    spans = [each for b, e in spans if text[b:e].strip() for each in _apart(text, b, e)]
    found: list[Clause] = []
    supposed = False
    for at, (begin, end) in enumerate(spans):
        raw = text[begin:end].strip()
        supposed = supposed or SUPPOSED.search(raw) is not None
        last = at == len(spans) - 1
        unreal = _UNREAL.search(raw) is not None or (not last and takes_back_zh(text[slice(*spans[at + 1])].strip()))
        asks = (sentence.asks and last) or _ASKING.search(raw) is not None
        subject, body = _subject(raw, before)
        of_speaker = subject == "unnamed" and (_IS_SPEAKER.search(body) or _WITH_THEIRS.search(text, begin))
        with_theirs = subject == "other" and at and _subject(raw, "我")[0] == "我" and _WITH_THEIRS.match(body)
        subject = "我" if of_speaker or with_theirs else subject
        if subject in {"我", "unnamed"} and _OF_WHOM.match(body) and at and _INTRODUCED.search(found[-1].raw):
            subject = "亲友"
        knows = subject in {"我", "我们"} and (_KNOWS if in_group else _IS_WHO).match(body)
        introduces = subject in {"我", "我们"} and _HAS_ONE.match(body)
        of_another = (knows and not _OF_ONESELF.search(body)) or _AT_SOMEBODY.search(raw) or introduces
        before = "other" if of_another else subject
        correcting = _CORRECTION.search(sentence.text) is not None
        found.append(
            Clause(
                subject,
                body,
                sentence.start + begin,
                sentence.start + end,
                asks,
                supposed or unreal,
                correcting,
                raw,
                text[end:],
                text[:begin],
            )
        )
    return found


def _apart(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """A clause, and what it asks of the speaker apart from what they say before it: 我有高血压能吃柚子吗. One that runs
    on without a comma is cut where it names its subject again or turns."""
    match = _ASKS_OF_IT.match(text, begin, end)
    if match is not None:
        return [(begin, match.end()), (match.end(), end)]
    cuts = {m.start() for m in _SAYS_THEN.finditer(text, begin + 4, end)}
    if _OPENS_WITH_ONE.match(text, begin, end):
        cuts |= {m.start() for m in _NAMED_AGAIN.finditer(text, begin + _AGAIN_FROM, end)}
    if end - begin > _RUN_ON:
        cuts |= {m.start() for m in _WITHIN.finditer(text, begin + 4, end)}
    return list(pairwise([begin, *sorted(cuts), end]))


_STILL_OPENS = re.compile(r"[，,\s]|就是|[一那这][点件个]?事|[我咱俺你您他她它]|今年|现在|目前")


def having_more(clause: Clause) -> Clause:
    """A clause behind one that says what somebody is or has: there 还有 is the verb ("我32岁，还有高血压"). Behind a
    verb with its object it only joins another object ("我喜欢猫，还有狗")."""
    opener = clause.raw.removesuffix(clause.body)
    if clause.subject not in {"我", "我们"} or not opener.endswith("还有") or _STILL_OPENS.match(clause.body):
        return clause
    return replace(clause, body=f"还有{clause.body}")


def carried(clause: Clause) -> bool:
    """Is the subject that of the clause before, and not named?"""
    return _subject(clause.raw, "我")[0] != _subject(clause.raw, "other")[0]


def _subject(raw: str, before: Subject) -> tuple[Subject, str]:
    body = raw
    for _ in range(4):
        filler = FILLER.match(body)
        if filler is None or filler.end() == len(body):
            break
        body = body[filler.end() :]
    if _REPORTED.search(body[:24]):
        return "other", body
    if _KNOWN_TO.match(body):
        return "other", body
    if match := _FIRST.match(body):
        if match.group("kin"):
            return "亲友", body
        if match.group("own"):
            return "我的", body
        plural = match.group().startswith(("我们", "咱", "俺们"))
        return ("我们" if plural else "我"), body[match.end() :]
    if (match := _OTHER.match(body)) or named(body):
        return ("亲友" if match and match["child"] else "other"), body
    own_again = ("今年", "现在我") if before == "我的" else ("今年我", "现在我") if before == "亲友" else ()
    return ("我" if own_again and body.startswith(own_again) else before), body


_TOPIC = 4
"""Characters of what stands before its doer at most: 咖啡我现在不喝了."""


def runs_on(clause: Clause, after: Clause) -> bool:
    """Does another follow a clause, more than a topic, without a mark between them?"""
    return clause.end == after.start and len(clause.raw) > _TOPIC


def joined(parts: Sequence[Clause]) -> list[Clause]:
    """Clauses, where a short one that says nothing of its own is joined to the one behind it, which names its doer."""
    out: list[Clause] = []
    for part in parts:
        last = out[-1] if out else None
        if last is not None and last.end == part.start and len(last.raw) <= _TOPIC and part.raw.startswith("我"):
            out[-1] = replace(part, start=last.start, raw=last.raw + part.raw)
        else:
            out.append(part)
    return out
