"""Habits from plain turns, without metadata of the caller (C5, C11): English and Chinese, on the shipped profile."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from processors.memory.habits.appointment_times import SLOT, times_of
from processors.memory.habits.mentions import habit_mentions
from processors.ports import Models
from schemas.events.memory import MemoryUpdate
from schemas.profile.model import load_profile
from tests.unit.processors.talk import Talk

HEALTH = load_profile("health")
START = datetime(2026, 9, 7, tzinfo=ZoneInfo("Asia/Shanghai"))
"""A Monday."""
DAY = timedelta(days=1)
MEASURED = {
    "zh": ("记录血压 {}/82", "今天血压{}/79，记录血压", "记录血压，{}/84"),
    "en": ("Log my blood pressure: {} over 82", "Log my blood pressure please, {}/79",
           "Morning. Log my blood pressure, {}/84"),
}  # fmt: skip
BOOKED = {
    "zh": ("帮我挂心内科张医生的号", "我想约心血管内科张医生，周四上午", "预约一下心内科的张医生"),
    "en": ("Book me in with Dr Zhang in cardiology please", "I'd like an appointment with Dr. Zhang, cardiology",
           "Can you book a visit to my cardiologist? Dr Zhang again."),
}  # fmt: skip
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])


SOME_WEEKS = ("usual/phrase/FOLLOW_UP", "usual/slot/", "usual/part/")
"""What the bookings say on some weeks alone."""


async def eight_weeks(models: Models, language: str) -> dict[str, MemoryUpdate]:
    """A patient who measures on working days about 08:00 and books a visit each Wednesday afternoon."""
    talk = Talk(models, HEALTH, START)
    for n in range(56):
        day = START + n * DAY
        if day.isoweekday() < 6:
            await talk.until(day + timedelta(hours=8, minutes=n % 5))
            await talk.say(MEASURED[language][n % 3].format(120 + n % 9), session=f"m{n}")
        if day.isoweekday() == 3:
            await talk.until(day + timedelta(hours=15))
            await talk.say(BOOKED[language][n // 7 % 3], session=f"b{n}")
    return {str(u.key): u for u in talk.updates("pattern")}


@LANGUAGES
async def test_c5_c11_eight_weeks_of_plain_turns_teach_time_weekday_department_doctor_function_and_phrase(
    models: Models, language: str
) -> None:
    habits = await eight_weeks(models, language)
    assert {k: u.state for k, u in habits.items()} == dict.fromkeys(
        ("time/BP_RECORD", "time/FOLLOW_UP", "usual/department", "usual/doctor", "usual/function",
         "usual/phrase/BP_RECORD", "active_hours"), "active",
    ) | {k: u.state for k, u in habits.items() if k.startswith(SOME_WEEKS)}  # fmt: skip
    fields = {k: u.sealed.value for k, u in habits.items()}
    assert (fields["time/BP_RECORD"]["time"], fields["time/BP_RECORD"]["weekdays"]) == ("08:00", [1, 2, 3, 4, 5])
    assert (fields["time/FOLLOW_UP"]["time"], fields["time/FOLLOW_UP"]["weekdays"]) == ("15:00", [3])
    texts = {k: u.sealed.text for k, u in habits.items()}
    assert texts["time/FOLLOW_UP"] == {
        "en": "Usually on Wednesdays at 15:00: book a follow-up", "zh": "通常周三15:00预约复诊"
    }[language]  # fmt: skip
    assert texts["usual/department"] == {"en": "Usual department: cardiology", "zh": "常用科室：心内科"}[language]
    assert texts["usual/doctor"] == {"en": "Usual doctor: Dr Zhang", "zh": "常用医生：张医生"}[language]
    assert fields["usual/function"]["value"] == "BP_RECORD"
    assert fields["usual/phrase/BP_RECORD"]["value"] == {"en": "log my blood pressure", "zh": "记录血压"}[language]


BOOK, LOG, LOOK = "FOLLOW_UP", "BP_RECORD", "RECORD_QUERY"
ASKED = {"zh": (("user", "我想预约"), ("assistant", "好的，请问哪个科室？")),
         "en": (("user", "Book me an appointment, please"), ("assistant", "Which department?"))}  # fmt: skip


@pytest.mark.parametrize(("text", "action", "values"), [
    ("血压 126/80", LOG, {}),
    ("帮我把血压录入一下，118/76", LOG, {}),
    ("我刚量的血压是135到88，存一下吧", LOG, {}),
    ("血压130/85正常吗？", None, {}),
    ("我妈血压150，帮我记一下", None, {}),
    ("今天不用记录血压了", None, {}),
    ("我有高血压", None, {}),
    ("This morning my blood pressure was 131 over 84, please note it down", LOG, {}),
    ("Is 130/85 a normal blood pressure?", None, {}),
    ("My mother's blood pressure is 150, log it please", None, {}),
    ("No need to record my blood pressure today", None, {}),
    ("想挂个皮肤科的号", BOOK, {"department": "皮肤科"}),
    ("能不能帮我约消化科，最好是下周一", BOOK, {"department": "消化内科"}),
    ("预约复诊，还是心内科张医生", BOOK, {"department": "心内科", "doctor": "张医生"}),
    ("麻烦给我妈挂个骨科", BOOK, {}),
    ("取消周三的预约", None, {}),
    ("我已经预约好了", None, {}),
    ("张医生说我要少吃盐", None, {}),
    ("Please book me in with Dr. Patel on Thursday", BOOK, {"doctor": "Dr Patel"}),
    ("I want an appointment for my son, paediatrics", BOOK, {}),
    ("Cancel my appointment with Dr Patel", None, {}),
    ("I already have an appointment in neurology", None, {}),
    ("Dr Patel told me to eat less salt", None, {}),
    ("128 over 80 this morning, log it.", LOG, {}),
    ("Save today's pressure: 124 over 78.", LOG, {}),
    ("今天量了，126/80，帮忙登记。", LOG, {}),
    ("记一下128/80，今早的", LOG, {}),
    ("记一下12/10开会", None, {}),
    ("The ratio is 120/80, save it.", None, {}),
    ("Can I get in to see Dr Lopez next Tuesday?", BOOK, {"doctor": "Dr Lopez"}),
    ("Any chance of an appointment with Dr Ito this week?", BOOK, {"doctor": "Dr Ito"}),
    ("Same as last time: dermatology, Dr Stone.", BOOK, {"department": "dermatology", "doctor": "Dr Stone"}),
    ("Find me a time with my dermatologist.", BOOK, {"department": "dermatology"}),
    ("Book me a table with Dr Pepper.", None, {}),
    ("帮我看看张主任下周二上午有没有号。", BOOK, {"doctor": "张主任"}),
    ("还是老样子，皮肤科李医生。", BOOK, {"department": "皮肤科", "doctor": "李医生"}),
    ("我要看心内科。", BOOK, {"department": "心内科"}),
    ("麻烦安排一下下周的内分泌科门诊。", BOOK, {"department": "内分泌科"}),
    ("昨天看了心内科。", None, {}),
    ("我朋友想看骨科。", None, {}),
    ("What were my readings in September?", LOOK, {"query_style": "by_range"}),
    ("How has my blood pressure been this week?", LOOK, {"query_style": "by_range"}),
    ("我九月份的血压都是多少？", LOOK, {"query_style": "by_range"}),
    ("把我最近三次血压调出来。", LOOK, {"query_style": "by_range"}),
    ("血压多少算高？", None, {}),
    ("我想看看最近一个月的血糖。", LOOK, {"query_style": "by_range"}),
    ("I'd like to schedule Dr Rossi for Thursday.", BOOK, {"doctor": "Dr Rossi"}),
    ("I want to see Dr Strange, the film.", None, {}),
    ("Dr Kaplan again, cardiology, about the cough", BOOK, {"department": "cardiology", "doctor": "Dr Kaplan"}),
    ("dr zhang as usual, cardiology, thurs am pls", BOOK, {"department": "cardiology", "doctor": "Dr Zhang"}),
    ("friday, dr brennan, the usual", BOOK, {"doctor": "Dr Brennan"}),
    ("does dr patel have anything tomorrow afternoon?", BOOK, {"doctor": "Dr Patel"}),
    ("Need the dermatologist again, rash is back", BOOK, {"department": "dermatology"}),
    ("need a slot at the eye clinic friday afternoon", BOOK, {"department": "ophthalmology"}),
    ("Dr Kaplan, cardiology, told me to cut down on salt", None, {}),
    ("dr zhang was running late again", None, {}),
    ("does dr osei have a website?", None, {}),
    ("my next appointment with dr ito is on tuesday", None, {}),
    ("my husband needs to see dr zhang in cardiology", None, {}),
    ("can you see dr patel's note please", None, {}),
    ("唐医生，内分泌科，老规矩", BOOK, {"department": "内分泌科", "doctor": "唐医生"}),
    ("下周四心内科，张医生，上午都行", BOOK, {"department": "心内科", "doctor": "张医生"}),
    ("周五吴大夫有号的话给我挂上", BOOK, {"doctor": "吴大夫"}),
    ("吴大夫的门诊，周五上午，帮我定一个", BOOK, {"doctor": "吴大夫"}),
    ("该去骨科复查了，约周三下午吧", BOOK, {"department": "骨科"}),
    ("张医生周四上午跟我说别喝咖啡", None, {}),
    ("周四上午张医生的号退了吧", None, {}),
    ("我同事约的吴大夫", None, {}),
    ("张医生，我周四上午又胸闷了", None, {}),
    ("今天吴大夫没号了", None, {}),
    ("log my bp, 150/94. argument with my son, might be that", LOG, {}),
    ("吴大夫那边说周五上午复查结果出来", None, {}),
    ("查一下最近一周的血压记录", LOOK, {"query_style": "by_range"}),
    ("看看我3月5号的检查结果", LOOK, {"query_style": "by_date"}),
    ("Show me my readings from the last two weeks", LOOK, {"query_style": "by_range"}),
    ("Can you pull up yesterday's results?", LOOK, {"query_style": "by_date"}),
])  # fmt: skip
def test_c5_what_a_plain_turn_says_of_habits(text: str, action: str | None, values: dict[str, str]) -> None:
    found = habit_mentions(text, (), HEALTH.habits)
    assert found.action == action
    assert {k: v for k, v in found.values.items() if k != "function"} == values
    assert found.values.get("function") == action


@pytest.mark.parametrize(("text", "before", "values"), [
    ("心内科，张医生", ASKED["zh"], {"department": "心内科", "doctor": "张医生"}),
    ("Cardiology, Dr. Zhang again", ASKED["en"], {"department": "cardiology", "doctor": "Dr Zhang"}),
    ("心内科，张医生", (("user", "我想预约"), ("assistant", "好的。")), {}),
    ("Cardiology, Dr Zhang", (("user", "Good morning"), ("assistant", "How can I help?")), {}),
    ("Cardiology, Dr Zhang", ASKED["en"][1:], {}),
    ("Book me in cardiology please", ASKED["en"], {"department": "cardiology"}),
])  # fmt: skip
def test_c5_what_belongs_to_an_action_is_taken_from_the_answer_to_a_question_about_it(
    text: str, before: Sequence[tuple[str, str]], values: dict[str, str]
) -> None:
    found = habit_mentions(text, before, HEALTH.habits)
    assert found.action is None, "it was asked for once"
    assert found.values == values


def test_c5_a_request_in_a_few_words_is_one_where_none_came_before() -> None:
    found = habit_mentions(
        "Cardiology, Dr Zhang again", (("user", "Good morning"), ("assistant", "How can I help?")), HEALTH.habits
    )
    assert (found.action, found.values["doctor"]) == (BOOK, "Dr Zhang")


async def test_c5_metadata_goes_before_plain_words(models: Models) -> None:
    talk = Talk(models, HEALTH, START)
    for n in range(3):
        await talk.until(START + n * DAY + timedelta(hours=9))
        await talk.say("帮我挂心内科张医生的号", action="book", department="皮肤科")
    habits = {u.key: u.sealed.value["value"] for u in talk.updates("pattern") if u.category == "usual"}
    assert habits == {
        "usual/department": "皮肤科", "usual/doctor": "张医生", "usual/function": "FOLLOW_UP",
        "usual/phrase/book": "帮我挂心内科张医生的号",
    }  # fmt: skip


@pytest.mark.parametrize(("text", "time"), [
    ("帮我约一下周四上午十点半的张医生", "2026-09-10T10:30:00+08:00"),
    ("我想挂心内科，明天下午3点", "2026-09-08T15:00:00+08:00"),
    ("帮我挂周一上午8点的号", "2026-09-14T08:00:00+08:00"),
    ("帮我挂个上午9点的号", "2026-09-08T09:00:00+08:00"),
    ("Please book me in with Dr Patel on Thursday at 10:30 am", "2026-09-10T10:30:00+08:00"),
    ("Can you book a visit for tomorrow, 3 pm?", "2026-09-08T15:00:00+08:00"),
    ("Book me an appointment at 3", None),
    ("昨天上午10点我量了血压", None),
])  # fmt: skip
def test_c5_the_time_of_an_appointment_is_taken_from_the_words_that_ask_for_it(text: str, time: str | None) -> None:
    """Said on a Monday at 09:30."""
    at = START + timedelta(hours=9, minutes=30)
    found = times_of(text, habit_mentions(text, (), HEALTH.habits).effective_action, HEALTH.habits, at)
    assert found.get("appointment_at") == time


async def test_c5_the_usual_time_of_appointments_is_learned_from_plain_turns(models: Models) -> None:
    talk = Talk(models, HEALTH, START)
    for n in range(6):
        await talk.until(START + n * 7 * DAY + timedelta(hours=20))
        await talk.say("帮我约周四上午十点的张医生", session=f"b{n}")
    [result] = [u for u in talk.updates("pattern") if u.key == "time/appointment_at"][-1:]
    assert (result.state, result.sealed.text) == ("active", "通常周四10:00就诊")
    assert result.sealed.value["overdue"] is None


@pytest.mark.parametrize(("text", "slot"), [
    ("can you put me down for Dr Zhang Thursday morning? cardiology", "4 morning"),
    ("i'd like another appt w/ dr zhang, cardiology, thurs 10am", "4 morning"),
    ("does dr patel have anything tomorrow afternoon?", "2 afternoon"),
    ("schedule a check-up with dr ito for wednesday evening", "3 evening"),
    ("周四上午心内科张医生，帮我约上", "4 morning"),
    ("明天下午有没有张医生的号", "2 afternoon"),
    ("帮我挂个上午9点的号", None),
    ("Please book me in with Dr Patel on Thursday", None),
    ("dr zhang was late on thursday morning", None),
])  # fmt: skip
def test_c5_the_weekday_and_the_part_of_the_day_are_taken_where_no_hour_is_named(text: str, slot: str | None) -> None:
    """Said on a Monday at 09:30."""
    at = START + timedelta(hours=9, minutes=30)
    found = times_of(text, habit_mentions(text, (), HEALTH.habits).effective_action, HEALTH.habits, at)
    assert found.get(SLOT + "appointment_at") == slot


NATURAL = {
    "en": ("can you put me down for Dr Zhang Thursday morning? cardiology", "cardiology thursday am please, dr zhang",
           "same again pls - dr zhang, cardiology, thursday morning", "dr zhang, cardiology, thurs 9am if he's free"),
    "zh": ("周四上午心内科张医生，帮我约上", "心内科张医生，周四上午，老规矩", "下周四心内科，张医生，上午都行",
           "复诊，心内科张医生，周四上午九点"),
}  # fmt: skip
LEARNED = {
    "en": {"usual/slot/appointment_at": "Usually on Thursday mornings: appointments",
           "usual/department": "Usual department: cardiology", "usual/doctor": "Usual doctor: Dr Zhang",
           "time/FOLLOW_UP": "Usually on Tuesdays at 15:00: book a follow-up"},
    "zh": {"usual/slot/appointment_at": "通常周四上午就诊", "usual/department": "常用科室：心内科",
           "usual/doctor": "常用医生：张医生", "time/FOLLOW_UP": "通常周二15:00预约复诊"},
}  # fmt: skip


@LANGUAGES
async def test_c5_c11_four_weeks_of_bookings_as_people_type_them_are_a_habit(models: Models, language: str) -> None:
    talk = Talk(models, HEALTH, START)
    for n, text in enumerate(NATURAL[language]):
        await talk.until(START + (1 + 7 * n) * DAY + timedelta(hours=15, minutes=n))
        await talk.say(text, session=f"b{n}")
    held = {str(u.key): u.sealed.text for u in talk.updates("pattern") if u.state == "active"}
    assert {k: held.get(k) for k in LEARNED[language]} == LEARNED[language]


async def test_c5_the_part_of_the_day_is_learned_where_the_weekday_differs(models: Models) -> None:
    talk = Talk(models, HEALTH, START)
    for n, day in enumerate(("monday", "wednesday", "friday", "tuesday")):
        await talk.until(START + (5 + 7 * n) * DAY + timedelta(hours=15))
        await talk.say(f"book me in with dr zhang {day} afternoon", session=f"b{n}")
    held = {str(u.key): u.sealed.text for u in talk.updates("pattern") if u.state == "active"}
    assert held["usual/part/appointment_at"] == "Usually in the afternoon: appointments"
    assert "usual/slot/appointment_at" not in held
