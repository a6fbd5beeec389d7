"""No domain word stands in the product's Python: what a domain is made of is its profile.

The words are the profiles' own (names, aliases, lexicons, the literal parts of their patterns). Those that domains
share with everyone's talk, or with the engine's own things, are listed here; any other in a string or regular
expression of the product fails.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from processors.reader.rules.common_en import CHAT, FUNCTION
from schemas.profile.model import PROFILES_DIR, Profile, load_profile
from schemas.profile.slots import SLOTS

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("memstream", "schemas", "streams", "processors", "sinks", "query", "inference")
DOMAINS = tuple(load_profile(name) for name in ("health", "clinical_trial", "immigration", "engineering"))
GENERAL = load_profile("general")

# Of everyone's talk: time, amounts, family, jobs, wishes, places. 香港 is a place; 投资, 架构, 医生, 前端 are trades.
_TALK = """
    adopted agreed approximately architect autumn capital current deadline decided decision detailed doctor due
    engineer family father fully general grandfather grandmother husband interested kilos latest lead lower
    manager million month months mother nearly newest pain parents partner pass plan planning pounds prefer
    quit recently roughly smoking
    sector several spring stop summer thousand to-do todo twice usual wife winter working 丈夫 上周 不太
    不是 为什么 之前 了解 从事 使用 倾向 偏好 做的 公司 公斤 决定 决策 准备 千万 半年 历史 厘米 可以 同意 周报 喜欢
    外公 外婆 大概 大约 太太 奶奶 如何 妈妈 妻子 完成 家人 家里人 就行 尽量 差不多 希望 延迟 待办 得了
    怎么样 截止 打算 投资 担任 提交 搞定 支持 方向 方面的 最好 最近 架构 母亲 比较 没有 爱人 父亲 父母 爷爷 爸爸
    cardiologist clinic department dermatologist neurologist prof professor psychiatrist urologist
    主任 医生 大夫 教授 普通
    百万 科技 经验 老公 老婆 考虑 行业 计划 设为 详细 负责人 过去 选择 非常 项目 香港 几个
    现在 目前 一律 方案 列表 表格
    began four hand hours hurt keeps longer mostly neck
    stopped sugar taken worse
    不再 偶尔 后的 开始 怎么 总是
    手术 没再 消了 特别 真的 经常 还是
    generally meals minute normally surgery 今天 停了 到了 厉害 基本 好了 完全 小时 工具 得过 慢慢 我的 护士 时候
    姐姐 姥姥 姥爷 公公 岳父母 哥哥 弟弟 爸妈 岳母 公婆 妹妹 婆婆 全家 自己 每次 一直 以前 帮我 给我 让我 那边
    这边 那里 后来 可能 只要 只好 早上 今早 去年 前年 每天 一天 平时 刚才 以后 今后 之后 曾经 暂时 上次 上个 争取 改成
    换成 改用 年轻时 方面 联系 本地 反对 本周 这周
    办理 复诊 挂号 递交 改为 国庆 春节
    早就 昨天 没几 空腹 终于 觉得 越来越 老是 提供 loss
    call charge designer joined joining named responsible team tester 上个 主管 主要 产品 今年 刚刚 前年
    前端 去年 后端 团队 安全 小时候 工作 年前 开发 数据 测试 设计 负责 运维 这儿 这边 这里 部分
    aiming beginning board break broke brother brought came changed chose chosen cold company consultant died early
    enter face favou gran grandad grandma grandpa late living manage moved news note nurse opted
    picked record save settled sister stone swapped switched tongue write
"""
# Things of the engine, or of programs: columns, metrics, commands, the weight of a feature, the height of a page.
_ENGINE = """
    alternative amendment apply audit backend background budget cache charts cite daily database debug delivery mysql
    endpoint error feedback function height history info internal latency lists logging logs negative outcome owner
    performance policy postgresql progress project project_name protocol quality redis reference release
    reports session_id status tables task test timezone trace verify version warning weight zone
    baseline body bottom double empty head left level minor number operation operations percent
    random reading removed resolved returned runs temperature total upper
    code colon monitor pg post postgres rate sharp value
    data heading master mobile platform position product releases running security serve
    program software warn
"""
TALK = frozenset(_TALK.split()) | {"how to", "last week"}
ENGINE = frozenset(_ENGINE.split())
_GROUP = re.compile(r"\(\?P<\w+>|\{[a-z][\w.]*\}|\[[^\]]*\]|\\\w")
_LITERAL = re.compile(r"[\u4e00-\u9fff]{2,}|[A-Za-z]{4,}")


def literals(patterns: Iterable[str]) -> set[str]:
    """The words that stand in patterns as they are."""
    return {word for pattern in patterns for word in _LITERAL.findall(_GROUP.sub(" ", pattern))}


# Parts of wordings in which everyone's talk stands: when, how much, what reading and feeling are called.
_EVERYDAY = ("about_en", "clock_en", "day_en", "gap_en", "zh_usual", "about_zh", "or_so_zh", "clock_zh", "gap_zh",
             "number_zh", "feel_en")  # fmt: skip
# Those of which a request is made beside what it names: when, how politely; and what no name is.
_REQUESTS = ("visit_en", "visit_zh", "polite_zh", "with_zh", "dr_en", "doctor_en")
_NO_NAMES = ("no_name_en", "day_name_en", "day_title_en", "month_name_en")
# Those that keep a wording from being read: what they name is of other domains.
_GUARDS = ("aims_en", "no_reading_en", "no_number_zh", "no_reading_zh", "no_thing_en", "no_symptom_en", "no_symptom_zh",
           "no_thing_zh", "no_surgery_en", "no_surgery_zh", "opens_zh", "past_en", "past_zh", "aims_zh", "slashed_en",
           "compared_en", "apart_en")  # fmt: skip


def worded(name: str) -> set[str]:
    """The words of a profile's own wordings, and of their parts but for those named above."""
    raw = tomllib.loads((PROFILES_DIR / f"{name}.toml").read_text(encoding="utf-8"))
    parts = raw.get("wording_parts", {})
    own = [text for part, text in parts.items() if part not in (*_EVERYDAY, *_GUARDS, *_REQUESTS, *_NO_NAMES)]
    everyday = literals(parts[part] for part in _EVERYDAY if part in parts)
    return literals([*own, *(w["pattern"] for w in raw.get("wordings", []))]) - everyday


def no_names(name: str) -> set[str]:
    raw = tomllib.loads((PROFILES_DIR / f"{name}.toml").read_text(encoding="utf-8"))
    return literals(text for part, text in raw.get("wording_parts", {}).items() if part in _NO_NAMES)


def words_of(profile: Profile) -> set[str]:
    """What a profile names."""
    own = {slot: table for slot, table in profile.lexicon.items() if slot not in SLOTS}
    words = {name for table in own.values() for pair in table.items() for name in pair}
    words |= {slot for w in profile.wordings for slot in w.slots()}
    words |= worded(profile.name)
    words |= {word for c in profile.categories for word in (c.name, *c.aliases)}
    words |= {word for h in profile.hot_keys for word in (h.key, *h.aliases)}
    words |= {word for i in profile.intents for word in (i.name, *i.keywords)}
    words |= {f.name for f in profile.fields} | literals(p for f in profile.fields for p in f.patterns)
    words |= {word for p in profile.projects for word in (p.id, *p.aliases)}
    words |= {word for t in profile.tables for word in (t.name, t.namespace, *(c.name for c in t.columns))}
    habits = profile.habits
    words |= {*habits.usual, *habits.times, *habits.labels} | {s.value for s in habits.said if s.value is not None}
    words |= {word for s in habits.said for pair in s.aliases.items() for word in (pair[0], *pair[1])}
    named = [s for s in habits.said if s.value is None and s.key in habits.usual]  # their patterns name values
    words |= literals(p for s in named for p in s.patterns) - no_names(profile.name)
    return {word.lower() for word in words}


def domain_words() -> frozenset[str]:
    general = {f.name.lower() for f in GENERAL.fields} - {s for w in GENERAL.wordings for s in w.slots()}
    words = set.union(*map(words_of, DOMAINS)) | {n for t in ("condition", "medication") for n in GENERAL.lexicon[t]}
    return frozenset(words - general - SLOTS - CHAT - FUNCTION - TALK - ENGINE)


def strings(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each string of a module; docstrings, which explain, are none."""
    tree = ast.parse(source)
    explained = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained:
            yield node.lineno, node.value


def found(source: str, words: frozenset[str]) -> list[tuple[int, str]]:
    """(line, word) of the domain words in a module's strings: Latin words between ends, Chinese anywhere."""
    latin = sorted((re.escape(w) for w in words if w.isascii()), key=len, reverse=True)
    pattern = re.compile(rf"(?<![a-z0-9])(?:{'|'.join(latin)})(?![a-z0-9])")
    chinese = [w for w in words if not w.isascii()]
    out: list[tuple[int, str]] = []
    for line, text in strings(source):
        low = text.lower()
        out += [(line, word) for word in (*pattern.findall(low), *(w for w in chinese if w in low))]
    return out


WORDS = domain_words()


@pytest.mark.parametrize("package", PRODUCT)
def test_no_domain_word_stands_in_a_string_of_the_product(package: str) -> None:
    results = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, word in found(path.read_text(encoding="utf-8"), WORDS)
    ]
    assert results == [], "a domain's words belong into its profile (docs/extending.md)"


@pytest.mark.parametrize(
    "line",
    [
        'X = re.compile(r"blood pressure (?:is|was)")',
        'X = {"am allergic to": "allergy"}',
        '_LEADS = r"(?:服用|在吃)"',
        'PRESSURE = f"血压{n}"',
        'MEASURED = "心率|舒张压"',
        'ACHES = "throbbing"',
        'UNITS = "mmol"',
        'SCHEMES = "优才|高才通"',
        'KEYS = ("enrolled_count",)',
        'NAMES = "metformin insulin"',
    ],
)
def test_a_domain_word_in_a_string_is_seen(line: str) -> None:
    assert found(line, WORDS)


def test_an_explanation_may_name_an_example() -> None:
    assert not found('def f():\n    """As in: my blood pressure is 128/82."""\n', WORDS)


def test_no_list_of_exceptions_outlives_its_reason() -> None:
    """A word that no profile names needs no exception."""
    named = set.union(*map(words_of, DOMAINS))
    assert (TALK | ENGINE) - named == frozenset()
