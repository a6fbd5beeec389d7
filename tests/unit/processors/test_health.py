"""A patient who tells symptoms, readings and operations over weeks, in both languages: what becomes of them, and when
it held (B1, C6, N8)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from processors.ports import Models
from processors.reader.rules.protocol import values_of
from schemas.events.memory import Candidate, MemoryUpdate
from schemas.log import topics
from schemas.profile.model import load_profile
from tests.unit.extract.support import extract
from tests.unit.processors.talk import Talk

HEALTH = load_profile("health")
READINGS = {f.name for f in HEALTH.fields if f.reading is not None}
SHANGHAI = ZoneInfo("Asia/Shanghai")
MONDAY = datetime(2026, 11, 2, 3, 0, tzinfo=UTC)
"""11:00 there."""


def day_of(c: Candidate) -> str | None:
    return f"{c.occurred_from.astimezone(SHANGHAI):%Y-%m-%d}" if c.occurred_from else None


def read(text: str) -> list[tuple[Any, Any, str | None, bool]]:
    """(field or fields, value, day from which it holds, denied) of a turn of Monday, 2 November 2026."""
    return [
        (c.field or c.fields, c.value, day_of(c), c.negated)
        for c in extract(text, HEALTH, at=MONDAY)
        if values_of(c)
    ]


@pytest.mark.parametrize(
    ("text", "symptoms", "since"),
    [
        ("I've had a splitting headache for three days.", ["headache"], "2026-10-30"),
        ("My knee has been hurting since Thursday.", ["knee pain"], "2026-10-29"),
        ("I started coughing last Tuesday and it won't go away.", ["cough"], "2026-10-27"),
        ("Two weeks ago I got chest pain while climbing stairs.", ["chest pain"], "2026-10-19"),
        ("I feel dizzy every morning when I get up.", ["dizziness"], None),
        ("I have a sore throat and a runny nose.", ["sore throat", "runny nose"], None),
        ("The rash on my arm came back yesterday.", ["rash"], "2026-11-01"),
        ("I've been sleeping badly since August.", ["trouble sleeping"], "2026-08-01"),
        ("我头疼三天了。", ["头痛"], "2026-10-30"),
        ("我膝头痛三天了。", ["膝盖痛"], "2026-10-30"),
        ("我手指头疼三天了。", ["手指头痛"], "2026-10-30"),
        ("我骨头疼三天了。", ["骨头痛"], "2026-10-30"),
        ("我从周四开始膝盖疼。", ["膝盖痛"], "2026-10-29"),
        ("两周前爬楼梯的时候胸口疼。", ["胸痛"], "2026-10-19"),
        ("昨晚我有点喘不上气。", ["气短"], "2026-11-01"),
        ("我最近老是失眠，还拉肚子。", ["失眠", "腹泻"], None),
        ("我头晕、恶心两天了。", ["头晕", "恶心"], "2026-10-31"),
        ("我又咳嗽又发烧。", ["咳嗽", "发热"], None),
    ],
)
def test_c6_a_symptom_is_kept_with_its_time(text: str, symptoms: list[str], since: str | None) -> None:
    assert read(text) == [("symptoms", each, since, False) for each in symptoms]


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("The headache is gone now.", "headache"),
        ("My cough has cleared up.", "cough"),
        ("I'm not dizzy any more.", "dizziness"),
        ("My knee doesn't hurt anymore.", "knee pain"),
        ("头已经不疼了。", "头痛"),
        ("我膝头痛好了。", "膝盖痛"),
        ("我偏头痛好了。", "偏头痛"),
        ("咳嗽好了。", "咳嗽"),
        ("我不发烧了。", "发热"),
    ],
)
def test_c6_a_symptom_that_is_over_is_denied(text: str, symptom: str) -> None:
    assert read(text) == [("symptoms", symptom, None, True)]


@pytest.mark.parametrize(
    "text",
    [
        "My mother has a headache.", "I'm afraid of getting a headache.", "What should I do about a cough?",
        "If I get a fever I'll call you.", "I used to get headaches.", "I want to buy cough medicine.",
        "My sister had knee surgery in 2019.", "I might need knee surgery.", "I watched a surgery on TV.",
        "I'm having cataract surgery next month.", "I've never had surgery.", "I paid 150 over 95 for it.",
        "The doctor wants my blood pressure below 130/80.", "The normal blood pressure is 120/80.",
        "我妈头疼。", "我怕头疼。", "发烧怎么办？", "头晕是高血压的症状吗？", "我想买咳嗽药。", "这药会引起头晕。",
        "我爸做过心脏手术。", "我可能要做手术。", "我没做过手术。", "我下个月要做白内障手术。",
        "医生让我把血压控制在130/80以下。", "我儿子发烧39度。",
    ],
)  # fmt: skip
def test_c6_what_is_another_s_feared_asked_or_to_come_is_none(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "values", "day"),
    [
        ("My blood pressure this morning was 142/91.", {"bp_systolic": 142, "bp_diastolic": 91}, "2026-11-02"),
        ("BP 138/88 at 7 am.", {"bp_systolic": 138, "bp_diastolic": 88}, "2026-11-02"),
        ("I measured 150 over 95 just now.", {"bp_systolic": 150, "bp_diastolic": 95}, None),
        ("My systolic was 145 and diastolic 92 yesterday.", {"bp_systolic": 145, "bp_diastolic": 92}, "2026-11-01"),
        ("Blood pressure: 128/82, pulse 76", {"bp_systolic": 128, "bp_diastolic": 82, "heart_rate": 76}, None),
        ("My fasting glucose was 6.8 mmol/L on Friday.", {"fasting_glucose": 6.8}, "2026-10-30"),
        ("Blood sugar 126 mg/dL fasting.", {"fasting_glucose": 7}, None),
        ("My blood sugar two hours after lunch was 9.4.", {"postprandial_glucose": 9.4}, None),
        ("My blood sugar is 140.", {"glucose": 7.8}, None),
        ("My A1C came back at 7.1%.", {"hba1c": 7.1}, None),
        ("My temperature last night was 101.3.", {"temperature": 38.5}, "2026-11-01"),
        ("My oxygen saturation is 96%.", {"oxygen_saturation": 96}, None),
        ("On 28 October my oxygen saturation was 96%.", {"oxygen_saturation": 96}, "2026-10-28"),
        ("On October 28th my heart rate was 96.", {"heart_rate": 96}, "2026-10-28"),
        ("My LDL was 132 mg/dL in September.", {"ldl_cholesterol": 3.41}, "2026-09-01"),
        ("I weighed 176 pounds this morning.", {"weight": 79.8}, "2026-11-02"),
        ("My usual blood pressure is 125/80.", {"baseline_bp_systolic": 125, "baseline_bp_diastolic": 80}, None),
        ("My normal fasting glucose is around 5.6.", {"baseline_fasting_glucose": 5.6}, None),
        ("早上7点量的，高压138，低压88。", {"bp_systolic": 138, "bp_diastolic": 88}, "2026-11-02"),
        ("我高压一百四，低压九十。", {"bp_systolic": 140, "bp_diastolic": 90}, None),
        ("昨晚10点测的血压是138/86。", {"bp_systolic": 138, "bp_diastolic": 86}, "2026-11-01"),
        ("刚量了血压，150/95。", {"bp_systolic": 150, "bp_diastolic": 95}, None),
        ("我今早空腹血糖六点八。", {"fasting_glucose": 6.8}, "2026-11-02"),
        ("空腹血糖126mg/dL。", {"fasting_glucose": 7}, None),
        ("午饭后两小时血糖9.4。", {"postprandial_glucose": 9.4}, None),
        ("血糖仪显示6.9。", {"glucose": 6.9}, None),
        ("我的糖化血红蛋白是7.1%。", {"hba1c": 7.1}, None),
        ("九月查的低密度脂蛋白3.4。", {"ldl_cholesterol": 3.4}, "2026-09-01"),
        ("体温38度5。", {"temperature": 38.5}, None),
        ("今天早上称了81.5公斤。", {"weight": 81.5}, "2026-11-02"),
        ("我平时空腹血糖5.6左右。", {"baseline_fasting_glucose": 5.6}, None),
        ("我心率平时大概58。", {"baseline_heart_rate": 58}, None),
        ("My blood sugar before breakfast was 6.2.", {"fasting_glucose": 6.2}, None),
        ("I'm usually around 120/75.", {"baseline_bp_systolic": 120, "baseline_bp_diastolic": 75}, None),
        ("早餐前测的血糖6.6。", {"fasting_glucose": 6.6}, None),
        ("昨天空腹7.1。", {"fasting_glucose": 7.1}, "2026-11-01"),
        ("我平常空腹5.8。", {"baseline_fasting_glucose": 5.8}, None),
    ],
)
def test_c6_a_reading_has_its_value_in_one_unit_and_its_day(text: str, values: dict[str, Any], day: str | None) -> None:
    found = [c for c in extract(text, HEALTH, at=MONDAY) if values_of(c)]
    assert {n: v for c in found for n, v in values_of(c).items()} == values
    assert {day_of(c) for c in found} == {day}


@pytest.mark.parametrize(
    "text",
    [
        "我没有头痛。", "我从来不失眠。", "我没有胸痛，也不咳嗽。", "我不是头疼，是心烦。", "这个bug让我头疼。",
        "我负责失眠门诊的系统。",
        "药的副作用是恶心。", "血糖仪花了200。", "BMI超过30算肥胖。", "心率应该保持在60到100之间。",
        "我的心率表花了1200。",
        "尿酸超过420就是高尿酸。", "体温接口返回38。", "帮我妈记一下，血压150/90。", "张三的空腹血糖是8.8。",
        "比分是128/82。",
        "我给电视机做了个手术。", "我是外科医生，上周做了三台手术。", "示例：我头痛三天了。",
        "I don't have a headache.", "I never get headaches.", "I have a headache of a bug to fix.",
        "BMI over 30 is obese.",
        "My glucose meter cost 50 dollars.", "I check my blood sugar at 7.", "I got 85/100 on the exam.",
        "My heart rate app has 200 users.", "My blood pressure should be 120/80.",
        "I did a surgery on a patient today.",
        "My dad's sugar was 9.", "Please log 140/90 for my husband.",
    ],
)  # fmt: skip
def test_c6_a_denial_a_figure_of_speech_and_a_number_of_something_else_are_none(text: str) -> None:
    health = {"symptoms", "surgeries", *READINGS}
    assert [r for r in read(text) if r[3] or not isinstance(r[0], str) or r[0] in health] == []


@pytest.mark.parametrize(
    "text",
    [
        "My mother is 78. Blood pressure 160/100.", "Mum went to the doctor today. BP 160/100, pulse 90.",
        "My son is ill. Had a fever of 39.", "I saw Mrs Chen today. Blood pressure 180/100.",
        "A 45-year-old woman came in. Blood pressure 90/60.", "I treated a woman with a blood pressure of 180/110.",
        "I met a runner with resting heart rate 38.", "I saw Bob with blood pressure 160/100.",
        "He told me: my blood pressure is 180/110.", "Patient in bed 4. Blood pressure 90/60.",
        "我今天带我妈去医院了。血压160/100，心率90。", "新来一个病人。血压90/60，心率120。", "我给小李测血压150/95。",
        "我碰到一个人心率45。", "小王：血压160/100", "张三，血压160/100", "陈女士来了。血压180/100。", "我家娃体温39。",
        "我闺女体温39度。", "她说：我血压180/110。", "我血压120/80，不对，那是我老公的。",
    ],
)  # fmt: skip
def test_c6_what_names_nobody_is_told_of_whom_the_turn_named_last(text: str) -> None:
    assert [r for r in read(text) if not isinstance(r[0], str) or r[0] in {"symptoms", *READINGS}] == []


@pytest.mark.parametrize(
    "text",
    [
        "My husband measured me. Blood pressure 142/90.", "Good morning doctor. Blood pressure 142/90.",
        "My doctor changed my pills. BP is 142/90.", "Readings for today. Blood pressure 142/90.",
        "今天的记录。血压142/90。", "谢谢，血压142/90。", "体检完了。血压142/90。",
    ],
)  # fmt: skip
def test_c6_what_names_nobody_is_the_speaker_s_where_the_turn_named_none_since(text: str) -> None:
    assert [r[:2] for r in read(text)] == [(("bp_systolic", "bp_diastolic"), {"bp_systolic": 142, "bp_diastolic": 90})]


@pytest.mark.parametrize(
    "text",
    [
        # ranges, and the two pressures the wrong way round
        "My heart rate was 60-70.", "My heart rate was 60 - 70 last night.", "My fasting glucose is 5.5-6.0.",
        "My blood pressure was 120/80-130/85.", "My blood pressure was 80/120.", "我心率60~70。", "我血糖5～6。",
        "我血压120到130。", "我血压120/80~130/85。", "我体重130到135斤。",
        # either unit
        "My glucose is 38.", "我血糖38。", "我体重130。",
        # something else that is counted
        "I weigh 5 kg more than I should.", "I weigh 20 pounds less than my brother.", "I weighed 3 kg of potatoes.",
        "My weight is 5 kg over the limit.", "I am 6 feet away from the screen.", "I'm 5 m from the door.",
        "我体重3年没变了。", "我体重2018年开始涨。", "我体重5公斤5公斤地涨。", "我测血糖7点30，吃早饭8点。",
        "My max heart rate is 185.", "我的最大心率是185。", "My watch alerts me when my heart rate is 120.",
        # a day that is not read, and a past without one
        "My blood pressure was 150/95 on 10/28.", "10/28 血压150/95", "My blood pressure was 150/95 at my last visit.",
        "Last time my blood pressure was 150/95.", "上次体检血压150/95。", "I weighed 95 kg in college.",
        "I weighed 3 kg at birth.", "我以前体重90公斤。", "我上大学时体重95公斤。", "我手术前体重95公斤。",
        # headings, examples, dreams
        "Targets. Blood pressure 120/80. Fasting glucose 5.6.", "Reference range. Fasting glucose: 5.6.",
        "Chapter 5. Heart rate 72. Blood pressure 120/80.", "My dream: I had a fever of 40.",
        "For example, my blood pressure is 150/95.", "I bet my blood pressure is 180/100.",
        "I joked that my blood pressure was 200/100.", "参考范围。空腹血糖：5.6。", "病例3。血压90/60。心率120。",
        "题目：血压150/95，心率110，诊断是什么？", "书上写：血压120/80。", "写一段对话：我发烧39度，咳嗽。",
        "我感觉心率有200。", "我血糖升高了3。", "我非高密度胆固醇3.4。", "My non-HDL cholesterol is 130.",
        "我很少头疼。", "我头疼少多了。", "我学了急救，会处理呼吸困难。",
        # figures of speech
        "I had a fever dream about it.", "I threw up my hands.", "I threw up a quick prototype.",
        "I passed out the flyers.", "I have a rash decision to make.", "I have a rash of complaints to answer.",
        "I was dizzy with joy.", "I am itching to go.", "我手痒了，想买新手机。", "我吐了口气。", "我头疼他的成绩。",
        "我换了膝盖护具。",
    ],
)  # fmt: skip
def test_c6_what_is_no_reading_of_now_is_none(text: str) -> None:
    health = {"symptoms", "surgeries", "height", *READINGS}
    assert [r for r in read(text) if not isinstance(r[0], str) or r[0] in health] == []


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("My glucose is 38 mmol/L.", "glucose", 38), ("My glucose is 250.", "glucose", 13.9),
        ("我血糖24。", "glucose", 24),
        ("我体重65左右。", "weight", 65), ("我体重130斤。", "weight", 65), ("我体重130磅。", "weight", 59),
        ("I weigh 180 pounds.", "weight", 81.6), ("我血糖6点8。", "glucose", 6.8), ("I am 6 feet tall.", "height", 183),
        ("I threw up the whole night.", "symptoms", "vomiting"), ("I passed out twice.", "symptoms", "fainting"),
        ("I have a rash of red spots.", "symptoms", "rash"), ("I'm dizzy with every step.", "symptoms", "dizziness"),
        ("我吐了两次。", "symptoms", "呕吐"), ("我手酸。", "symptoms", "手酸"),
        ("我换了膝盖。", "surgeries", "膝关节置换"),
    ],
)  # fmt: skip
def test_c6_what_stands_beside_what_is_none_is_read(text: str, field: str, value: Any) -> None:
    assert [r[:2] for r in read(text)] == [(field, value)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Blood pressure 150/95, chest pain for 2 days.", None), ("BP 150/95 with a headache for 2 days.", None),
        ("My systolic was 150 and diastolic 95 yesterday.", "2026-11-01"),
    ],
)
def test_c6_how_long_something_else_has_gone_on_is_no_time_of_a_reading(text: str, day: str | None) -> None:
    [pressure] = [c for c in extract(text, HEALTH, at=MONDAY) if c.fields == ("bp_systolic", "bp_diastolic")]
    assert day_of(pressure) == day


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("我头痛不能上班。", "头痛"), ("我头疼，没去上班。", "头痛"), ("我咳嗽，没有发烧。", "咳嗽"),
        ("我没发烧，就是流鼻涕。", "流鼻涕"),
        ("I have a headache and can't go to work.", "headache"), ("I don't have a fever but I have a cough.", "cough"),
    ],
)  # fmt: skip
def test_c6_a_denial_of_something_else_denies_no_symptom(text: str, symptom: str) -> None:
    assert [(value, denied) for field, value, _, denied in read(text) if field == "symptoms"] == [(symptom, False)]


@pytest.mark.parametrize(
    ("text", "surgery", "year"),
    [
        ("I had my appendix removed in 2015.", "appendectomy", "2015"),
        ("I had heart bypass surgery six years ago.", "heart bypass", "2020"),
        ("I had surgery on my left shoulder last year.", "left shoulder surgery", "2025"),
        ("My gallbladder was taken out when I was 40.", "gallbladder removal", None),
        ("I had an operation for a hernia in March 2018.", "hernia repair", "2018"),
        ("我2015年做过阑尾炎手术。", "阑尾切除", "2015"),
        ("六年前做了心脏搭桥手术。", "心脏搭桥", "2020"),
        ("我左膝2017年动过刀。", "左膝手术", "2017"),
        ("我40岁的时候切了胆囊。", "胆囊切除", None),
        ("2020年放了两个支架。", "支架植入", "2020"),
        ("我剖腹产过两次。", "剖宫产", None),
        ("我做过心脏支架。", "支架植入", None),
        ("膝盖前年开过刀。", "膝盖手术", "2024"),
        ("腰椎三年前动过手术。", "腰椎手术", "2023"),
    ],
)
def test_c6_an_operation_is_kept_with_its_year(text: str, surgery: str, year: str | None) -> None:
    [(field, value, since, denied)] = read(text)
    assert (field, value, since and since[:4], denied) == ("surgeries", surgery, year, False)


def test_c6_a_statement_of_its_time_says_its_date() -> None:
    results = [c.text for text in SAID_WITH_DATES for c in extract(text, HEALTH, at=MONDAY) if values_of(c)]
    assert results == list(SAID_WITH_DATES.values())


SAID_WITH_DATES = {
    "I've had a headache for three days.": "User has had a headache for three days (since 30 October 2026)",
    "BP 138/88 at 7 am.": "User's blood pressure is 138/88 (2 November 2026, 07:00)",
    "I had my appendix removed in 2015.": "User had their appendix removed in 2015",
    "我头疼三天了。": "用户头疼三天了（2026年10月30日起）",
    "昨晚10点测的血压是138/86。": "血压138/86（2026年11月1日22:00）",
    "六年前做了心脏搭桥手术。": "用户六年前做了心脏搭桥手术（2020年）",
}

WEEKS = {
    "en": (
        "My blood pressure is 128/82.", "My blood pressure is 128/82.", "My blood pressure is 142/91.",
        "Yesterday my blood pressure was 150/95.", "I've had a headache since Friday.", "I still have a headache.",
        "The headache is gone.", "I've had a headache since yesterday.",
    ),
    "zh": (
        "血压128/82。", "血压128/82。", "血压142/91。", "昨天血压150/95。", "我从周五开始头疼。", "我还是头疼。",
        "头已经不疼了。", "我从昨天开始头疼。",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_c6_n8_readings_are_a_history_and_spells_begin_and_end(models: Models, language: str) -> None:
    talk = Talk(models, HEALTH, MONDAY)
    first, same, third, late, begun, still, over, again = WEEKS[language]
    for day, text in ((0, first), (1, same), (2, third), (2, late), (6, begun), (8, still), (10, over), (17, again)):
        await talk.until(MONDAY + timedelta(days=day))
        await talk.say(text)
    newest: dict[str, MemoryUpdate] = {}
    for e in talk.driver.read(topics.UPDATES):
        if isinstance(e, MemoryUpdate) and e.kind == "fact":
            newest[e.row_key] = e

    def rows(field: str) -> list[tuple[Any, str, str | None, str]]:
        kept = [u for u in newest.values() if field in (u.field, *u.fields)]
        return sorted(
            (
                u.sealed.value[field] if u.fields else u.sealed.value,
                f"{u.valid_from:%d}",
                f"{u.valid_to:%d}" if u.valid_to else None,
                u.state,
            )
            for u in kept
        )

    assert sorted(rows("bp_systolic"), key=lambda r: r[1:]) == [
        (128, "02", "03", "superseded"), (150, "02", "04", "superseded"), (128, "03", "04", "superseded"),
        (142, "04", None, "active"),
    ]  # fmt: skip
    headache = "headache" if language == "en" else "头痛"
    assert rows("symptoms") == [(headache, "05", "12", "superseded"), (headache, "17", None, "active")]
