"""Decisions, tasks and relations, in English and Chinese (D2): the engine's episodic atoms and entity relations."""

from __future__ import annotations

import re

from processors.reader.rules import (
    clauses_en,
    clauses_zh,
    completeness_en,
    resolved_en,
    self_contained_en,
    self_contained_zh,
)
from processors.reader.rules.beginnings_en import before_another
from processors.reader.rules.found import Found
from processors.reader.rules.known_things_en import is_known_by_the_talk
from processors.reader.rules.momentary_en import is_of_the_talk
from processors.reader.rules.others import KIN_EN
from processors.reader.rules.person_en import expand
from processors.reader.rules.persons_zh import called
from processors.reader.rules.statements_zh import bare, reworded
from processors.reader.rules.text import Sentence
from processors.reader.rules.words_en import alternatives

_DECIDED_EN = re.compile(
    r"\b(?:(?:I|we|the team|our team)(?:'ve| have|'s| has)? (?:just |finally |all |now |also |already )?"
    r"(?:decided|agreed|chose|chosen|settled on|opted|resolved|made the decision|concluded|picked|finalized|finalised)"
    r"|(?:the |my |our )?(?:final )?decision(?: is|:| was)"
    r"|(?:I|we)(?:'ve| have)? (?:finally |now |just )?made up (?:my|our) minds?"
    r"|(?<!he )(?<!she )(?<!they )(?<!you )(?<!who )(?<!was )(?<!been )(?<!not )(?<!be )(?<!is )(?<!are )(?<!haven't )"
    r"(?<!hasn't )(?<!got )decided(?=\s?[,:\u2013-]+ ?(?:I|im|we|no more|it's|its|going|quitting|stopping|gonna)\b)"
    r"|(?:let's|we will|we'll|we shall"
    r"|I'll|we are going to|we're going to) (?:go with|adopt|switch"
    r" to|stick with|use)"
    r"|it (?:was|is|has been) decided)\b(?! to (?:disagree|differ)\b)",
    re.I,
)
_DECIDED_ZH = re.compile(
    r"(?:决定|敲定|拍板|定下来|商定|选定|最终选择?|确定(?=用|采用|使用"
    r"|选|由|在|改)|达成一致|一致同意|定了(?=用|采用|要|在|[下本这]?(?:周|星期|礼拜)[一二三四五六日天末])"
    r"|(?:我们|咱们|大家|团队|会上|时间|日期|方案)(?:已经|终于|都)?定了(?=[，,：:])|(?<![你您])就用|就定"
    r"|改用|采用|选用)"
)
_UNDECIDED = re.compile(
    r"(?:没有?|还没|未|尚未|无法|难以|不能|怎么|如何|需要|帮我|请你?"
    r"|正在|考虑|是否|该|可以|能|想|要不要|建议)[^，。]{0,4}$"
)
_DAY_EN = (
    r"(?:(?:next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|noon|midnight|next (?:week|month)"
    r"|(?:the )?end of (?:the )?(?:day|week|month|year|quarter)|EOD|EOW|COB|the \d{1,2}(?:st|nd|rd|th)|\d{1,2} ?[ap]m"
    r"|\d{1,2}:\d{2}|(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december)\b)"
)
_TASK_EN = re.compile(
    r"(?:^(?:please|pls) (?!let|tell|say|explain|answer|find|search|book|reserve|recommend|suggest|\w+ (?:me|us)\b)"
    rf"[a-z]+ [^.!?]{{3,100}}?\b(?:by|before|until|no later than) {_DAY_EN}"
    r"|^next steps?:|\bTODO\b:?|\bto-do:?|\baction items?:?"
    r"|(?:^|\b(?:please|can you|could you|will you|would you|pls),? )remind me (?:to|about|that|of)\b"
    r"|\b(?:don't|do not) (?:let me )?forget (?:to|about)\b|\b(?:I|we"
    r") (?:have to|need to|must|should|'ve got to|have got to|am supposed"
    r" to|are supposed to) "
    r"(?=[^.!?]{3,120}\b(?:by|before|until|due|deadline|tomorrow|tonight"
    r"|next (?:week|month|monday|tuesday|wednesday|thursday|friday)"
    r")\b)"
    r"|\bdeadline (?:is|for)\b|\b(?<!that )(?<!which )(?:is|are) due\b)",
    re.I,
)
_TASK_ZH = re.compile(
    r"(?:(?<![他她它来会])提醒我|记得(?:要|提醒)|别忘了?|不要忘记?|待办[:：]?|TODO[:：]?|截止(?:日期|时间)?(?:是|到|为)?"
    r"|(?:[下本这]?(?:周[一二三四五六日天]?|个?月底?|星期.)|明天|后天"
    r"|今天|今晚|月底|年底|\d{1,2}月\d{1,2}[日号]|\d{1,2}[日号])(?:之?前"
    r"|以前)[^，。]{0,3}(?:要|必须|得|需要?|完成|提交|交|搞定)"
    r"|(?:[下本这]?(?:周[一二三四五六日天]|个?(?:星期|礼拜).|个?月底)|明天|后天|今晚|月底|\d{1,2}[日号])(?:之?前|以前)"
    r"[^，。了]{0,4}我[^，。了]{0,10}[\u4e00-\u9fff](?:好|完|出来|掉|给[你您他她大])(?![了的像])"
    r"|我[^，。了]{0,4}(?:[下本这]?(?:周[一二三四五六日天]|个?(?:星期|礼拜).|个?月底)|明天|后天|今晚|月底|\d{1,2}[日号])(?:之?前|以前)"
    r"[^，。了]{0,14}[\u4e00-\u9fff](?:好|完|出来|掉|给[你您他她大])(?![了的像])"
    r"|(?:[下这本]个?(?:周|礼拜|星期)[一二三四五六日天末]?|明天|后天|今晚|周末|下个?月|\d{1,2}[日号])(?:早上|上午|中午|下午|晚上)?"
    r"我(?:就|要|再|会|得|先)?(?:去|到|回|跑一?趟)[^，。了过]{1,10}(?:开具|补办|办(?=[^，。好])|取|领|盖章|公证|复查|复诊|挂号|签字)"
    r"(?![了过的])"
    r"|我(?:这边)?(?:会|就|再|先)?(?:[这下本]个?(?:周|礼拜|星期)[一二三四五六日天末]?|(?:周|礼拜|星期)[一二三四五六日天末](?=之?前)|明天|后天|今晚|过两天|下个?月|月底)"
    r"(?:之?前|早上|上午|中午|下午|晚上|左右)?(?:就|再|会|先|一起|直接|亲自|找人|让人){0,2}(?:把[^，。]{1,12})?"
    r"(?:拍照|拍个?照片?|扫描|复印|打包|整理好?)?(?:[拿发送寄交传带](?:给|到|过去|来|去)|补办|办理?(?=[^，。好了])|开具|递交|提交|填(?:好|完)|签(?:字|好)|缴|领(?=[^，。导]))"
    r"(?![^，。]{0,12}[了过])"
    r"|(?:要|必须|得|需要)在[^，。]{1,12}(?:之?前|以前))",
    re.I,
)
_LEAD_EN = re.compile(
    r"(?:(?:ok|okay|so|well|yes|ye+a+h?|yep|yup|ya|nope|oh|also|and|but|right|hi|hey|hello"
    r"|great|please|actually|anyway|then|plus|sure|haha|lol|um+|uh+|hmm+)\b[ ,!.]{0,3}){1,4}",
    re.I,
)
_OF_SPEAKER_EN = re.compile(r"(?:I|we|my|our)\b", re.I)
_RELATION_EN = re.compile(
    r"(?:my|My|our|Our) (?:(?:older|younger|elder|little|big|eldest"
    rf"|youngest|late|ex|good|close|old|new|twin|oldest)[- ]){{0,2}}"
    rf"(?P<kin>{KIN_EN})"
    r"(?:,? (?P<name>[A-Z][a-z]{1,20}(?: [A-Z][a-z]{1,20})?),?)?(?P<rest>"
    r" (?:is|was|are|were|has|have|lives?|lived|works?|worked|moved"
    r"|got|passed|died"
    r"|loves?|likes?|studies|studied|owns?|runs?|teaches|turned|just"
    r"|also|plays?|graduated|named|called|started|came|comes|speaks?"
    r"|enjoys?|used)\b[^\n]{1,120})"
)
_HAS_EN = re.compile(
    r"have (?P<which>an?|one|two|three)(?: (?:older|younger|elder|little"
    rf"|big|twin|good|close|best|\\d{{1,2}}[- ]year[- ]old))? (?P<kin>{KIN_EN}"
    rf")s?,? (?:named|called) (?P<name>[A-Z][a-z]{{1,20}}(?: and [A-Z]"
    rf"[a-z]{{1,20}})?)"
)
_NAMED_EN = re.compile(
    rf"(?:my|our) (?:\w{{2,8}} )?(?P<kin>{KIN_EN})(?:'s name is| is"
    rf" (?:named|called)) "
    r"(?P<name>(?-i:(?:(?:Mr|Mrs|Ms|Dr|Miss)\.? )?[A-Z][a-z]{1,20}"
    r"(?: (?!(?:My|Our|And|But|So|He|She|They|We|Who|His|Her|The)\b)[A-Z][a-z]{1,20})?)"
    r"|(?!on\b|in\b|not\b)[a-z]{2,20}$)",
    re.I,
)
_RELATION_ZH = re.compile(
    rf"(?:我(?:们)?(?:的|家)?)?(?P<kin>{clauses_zh.KIN})(?P<rest>(?:叫|是"
    r"|在|住|今年|今天|有|做|当|从事|毕业|喜欢|去年|已经|刚|现在|也"
    rf"|来自|得了|结婚|退休|上[小初高大]|[\u4e00-\u9fffA-Z][\u4e00-\u9fffa-z]{{0,11}}?"
    rf"(?:住在|在|是|叫|今年|做))[^，。！？]{{1,60}})"
)
# Family needs no 我: "老婆是老师" is about the speaker's; a teacher or a patient may be anyone's.
_FAMILY_ZH = re.compile(
    r"(?:爸爸?|妈妈?|父亲|母亲|父母|老公|丈夫|老婆|妻子|太太|爱人|女朋友"
    r"|男朋友|女友|男友|哥哥|姐姐|弟弟|妹妹|儿子|女儿|爷爷|奶奶|外公"
    r"|外婆)"
)
_NAME_ZH = re.compile(r"^(?:叫|名字叫)?(?P<name>[\u4e00-\u9fff]{2,3}?|[A-Z][a-z]{1,15})(?=$|住在|在|今年|是|做|，)")
_NOT_NAME_ZH = re.compile(
    r"^(?:[和跟与同及们我他她在住做有是也都今现去刚已正还退结来毕喜上得就当开从经工身很非特最]"
    r"|今年|现在|已经|刚刚?|也是|就是|一直|去年|昨天|今天|最近|喜欢"
    r"|退休|结婚|来自|毕业|一个|一名|一位|都在|不在|住在|正在|上班|做的?"
    r")"
)


_WHOLE = 3
"""Words up to which the beginning of a relation says nothing: "my sister is"."""


def relations_en(clause: clauses_en.Clause, *, in_group: bool = False) -> list[Found]:
    """Return the relation of one English clause; `in_group`: said among people."""
    if clause.states and clause.subject == "I" and (has := _HAS_EN.match(clause.body)):
        text = f"{{owner}} has {has['which']} {has['kin']} called {has['name']}"
        return [_relation(clause.start, clause.end, text, has["kin"], has["name"], in_group=in_group)]
    if not clause.states or clause.subject != "my":
        return []
    if named := _NAMED_EN.match(clause.body):
        text = f"{{owner}}'s {named['kin'].lower()} is called {named['name']}"
        return [_relation(clause.start, clause.end, text, named["kin"], named["name"], in_group=in_group)]
    match = _RELATION_EN.match(clause.body)
    if match is None:
        return []
    heads = before_another(match.group(), in_group=in_group)
    phrase = next((head for head in heads if len(head.split()) > _WHOLE), match.group()).rstrip(" ,;")
    behind = len(match.group()) - len(phrase)
    end = clause.end - behind if behind and clause.body.endswith(match.group()) else clause.end
    return [_relation(clause.start, end, phrase, match["kin"], match["name"], in_group=in_group)]


def _relation(start: int, end: int, text: str, kin: str, name: str | None, *, in_group: bool = False) -> Found:
    attributes = {"relation": kin.lower()} | ({"name": name} if name else {})
    english = text.isascii()
    whole = self_contained_en.reports(text) if english else self_contained_zh.reports(text) and "我" not in text
    points = not whole or (english and completeness_en.leaves_open(text, in_group=in_group))
    points = points or (english and in_group and (is_of_the_talk(text) or is_known_by_the_talk(text)))
    return Found(start, end, "relation", text, dangling=points, attributes=attributes)


def relations_zh(clause: clauses_zh.Clause) -> list[Found]:
    """Return the relation of one Chinese clause."""
    own = clause.subject in {"我的", "亲友"} or _FAMILY_ZH.match(clause.body)
    match = _RELATION_ZH.match(clause.body) if clause.states and own else None
    if match is None or "__" in match["rest"]:
        return []
    rest = match["rest"].rstrip("的了")
    name = _NAME_ZH.match(rest)
    named = name["name"] if name and not _NOT_NAME_ZH.match(rest) else None
    ending = ("的" if rest.startswith("是") and match["rest"].rstrip("了").endswith("的") else "") + (
        "了" if match["rest"].endswith("了") else ""
    )
    phrase = f"{{owner}}的{called(match['kin'])}{rest.replace('我', '{owner}')}{ending}"
    return [
        _relation(
            clause.start, clause.end, phrase, match["kin"], named
        )
    ]


_CHOSEN_EN = re.compile(
    r"(?:(?:ok|okay|right|so|then|well|yes|yeah|fine|great|alright|all right)[, ]{1,2}){0,3}"
    r"(?:(?P<it>(?:(?:the|option|plan) [\w'&-]+(?: [\w'&-]+){0,3}?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?!(?:that|this|how|so|is|as|what\w*|who\w*|which\w*)\b)[\w'&-]+(?: (?!as\b)[\w'&-]+){0,3}?(?= it is,? then\b)))"
    r" it is"
    r"|(?:let's|lets) (?P<do>(?:go with|stick (?:to|with)|switch to|stay with)"
    r" (?!(?:this|that|it|these|those|you|your|the flow)\b)[^,;.!]{2,80}?)"
    r"|(?P<will>(?:we|I)(?:'ll| will| are going to|'re going to|'m going to) (?:stick (?:to|with)|stay with|go with)"
    r" (?!(?:this|that|it|these|those|you|your|the flow)\b)[^,;.!]{2,80}?))"
    r"(?:,? then)?(?=\s*(?:$|[.;!])|, (?:[a-z]+ing|it|that|he|she|they|we|I|my|our)\b)"
    r"|(?:(?:ok|okay|right|so|then|well|yes|yeah|fine|great|alright|all right)[, ]{1,2}){0,3}(?:let's|lets)"
    r" (?P<then>(?:"
    rf"{alternatives('done_then')})"
    r" (?!(?:this|that|it|these|those|you|your|one|some|something|me|us)\b)(?=[^,;.!?]*(?:\d|(?<= )(?-i:[A-Z])))"
    r"[^,;.!?]{2,80}?),? (?:then|instead)"
    r"(?=\s*(?:$|[.;,!]))",
    re.I,
)
"""What a single user tells an assistant to be chosen: "the blue one it is", "let's use tabs then"."""


_REASON_EN = re.compile(r"\b(?:because|since|as)\b", re.I)


def _chosen_en(sentence: Sentence, original: str) -> Found | None:
    match = _CHOSEN_EN.match(original)
    if sentence.asks or match is None or clauses_en.SUPPOSED.search(original) or _REASON_EN.search(original):
        return None
    if match["it"]:
        what = re.sub(r" one$", "", match["it"])
        text = f"{{owner}} decided on {what}" if resolved_en.resolved(f"I take {what}") else ""
    elif done := match["do"] or match["then"]:
        what = f"{done[0].lower()}{done[1:]}"
        text = f"{{owner}} decided to {what}" if resolved_en.resolved(what) else ""
    else:
        text = match["will"] if resolved_en.resolved(match["will"]) else ""
    if not text or self_contained_en.YOU.search(text) or len(text.split()) > self_contained_en.LONGEST:
        return None
    end = sentence.start + match.end()
    return Found(sentence.start, end, "episode", text, episode_type="decision")


def decision_en(sentence: Sentence, original: str, *, in_group: bool = False) -> Found | None:
    """What is decided in an English sentence; `in_group`: among people, who also propose."""
    if not in_group and (chosen := _chosen_en(sentence, original)) is not None:
        return chosen
    if sentence.asks or not (match := _DECIDED_EN.search(sentence.text)):
        return None
    if clauses_en.SUPPOSED.search(sentence.text[: match.start()]) or re.search(
        r"\b(?:haven't|hasn't|not|didn't|can't|yet to|never)\b[^.]{0,12}$", sentence.text[: match.end()]
    ):
        return None
    text = _lead(original)
    return Found(sentence.start, sentence.end, "episode", text, episode_type="decision")


def decision_zh(sentence: Sentence, original: str) -> Found | None:
    match = _DECIDED_ZH.search(sentence.text)
    if sentence.asks or match is None or clauses_zh.SUPPOSED.search(sentence.text):
        return None
    if _UNDECIDED.search(sentence.text[: match.start()]) or len(sentence.text) - match.end() < 2:
        return None
    return Found(sentence.start, sentence.end, "episode", _owned(original), episode_type="decision")


def task_en(sentence: Sentence, original: str, *, in_group: bool = False) -> Found | None:
    """What is to be done in an English sentence; `in_group`: among people, of whose tasks only what stands alone is
    told so."""
    match = _TASK_EN.search(sentence.text)
    if match is None or clauses_en.SUPPOSED.search(sentence.text[: match.start()]):
        return None
    text = _lead(original)
    if in_group and _OF_SPEAKER_EN.match(text) and not self_contained_en.is_self_contained(expand(text), in_group=True):
        return None
    if remind := re.match(
        r"(?:(?:can|could|would|will) you )?(?:please |pls )?remind me "
        r"(?P<how>to|about|that|of) ",
        text,
        re.I,
    ):
        text = f"{{owner}} wants to be reminded {remind['how']} {text[remind.end() :]}"
    elif todo := re.match(r"(?:TODO|to-do|action items?|next steps?)\b[: -]*", text, re.I):
        text = f"{{owner}} has to do: {text[todo.end() :]}"
    elif forget := re.match(r"(?:don't|do not) (?:let me )?forget (?P<how>to|about) ", text, re.I):
        text = f"{{owner}} must not forget {forget['how']} {text[forget.end() :]}"
    return Found(sentence.start, sentence.end, "episode", text, episode_type="task") if len(text) > 12 else None


def task_zh(sentence: Sentence, original: str) -> Found | None:
    if _TASK_ZH.search(sentence.text) is None or clauses_zh.SUPPOSED.search(sentence.text):
        return None
    phrase = bare(original.strip())
    if todo := re.match(r"(?:TODO|待办)(?:事项)?[:： ]{0,3}", phrase, re.I):
        text = f"{{owner}}待办：{phrase[todo.end() :]}"
    else:
        text = f"提醒{{owner}}{phrase[3:]}" if phrase.startswith("提醒我") else _owned(original)
    return Found(sentence.start, sentence.end, "episode", text, episode_type="task")


def _owned(original: str) -> str:
    """Name the owner where the sentence is theirs; what a team or a project does stands as said."""
    phrase = bare(original.strip())
    return reworded(phrase).replace("{owner}说：", "")


def _lead(text: str) -> str:
    phrase = " ".join(text.split())
    match = _LEAD_EN.match(phrase)
    rest = phrase[match.end() :] if match else phrase
    return rest if len(rest) > 8 else phrase
