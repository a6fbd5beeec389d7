"""Secrets that a verb gives, and what the same verbs say of other things (D5)."""

from __future__ import annotations

import pytest

from inference.pii.analyzer import RULES
from inference.pii.resolve import resolve
from inference.pii.rules import run_rules


def found(text: str) -> list[tuple[str, str]]:
    spans = resolve(run_rules(RULES, text), 0.5)
    return [(span.entity, text[span.start : span.end]) for span in spans if span.entity not in {"DATE_TIME", "URL"}]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The password of the scanner was reset to plover3Tarn on Monday.", "plover3Tarn"),
        ("Our relay's shared secret has been switched to Wren_and_4_oaks.", "Wren_and_4_oaks"),
        ("It wants a passphrase, just type Gannet%51reef there.", "Gannet%51reef"),
        ("paste kV8sQ2mZ4xRt7 into the header and retry", "kV8sQ2mZ4xRt7"),
        ("I locked it with the passphrase amber-kettle-window-thistle.", "amber-kettle-window-thistle"),
        ("The upgrade key they mailed: QX4M7-LLP22-9TTRW-K0VVB", "QX4M7-LLP22-9TTRW-K0VVB"),
        ("I signed in as ida with Lantern-Moss-7 from the train.", "Lantern-Moss-7"),
        ("The PIN in her letter says 6032.", "6032"),
        ("The three digits on the back are 907.", "907"),
        ("If it beeps, the alarm is 5 0 2 9.", "5 0 2 9"),
        ("the gate code went from paper to 3317# in spring", "3317#"),
        ("And the password's hollyhock, by the way.", "hollyhock"),
        ("Enter marmalade if the tablet asks for it.", "marmalade"),
        ("She got through by pressing 8042 at the barrier.", "8042"),
        ("My bank sent the code 604 193 again.", "604 193"),
        ("We retire the signing key, the new one being T7KQ2V9XW4LM1R8P.", "T7KQ2V9XW4LM1R8P"),
        ("imap: ida / wren-harbour-61", "wren-harbour-61"),
        ("The wallet's recovery words are basin velvet otter plank cedar.", "basin velvet otter plank cedar"),
        ("打印机的口令上午重置为plover3Tarn了", "plover3Tarn"),
        ("网关的预共享密钥请填Gannet51reef", "Gannet51reef"),
        ("用ida和Lantern-Moss-7登录的", "Lantern-Moss-7"),
        ("行李箱锁是5029。", "5029"),
        ("银行卡背面后三位是907", "907"),
        ("取件码6-4-2031，谢谢", "6-4-2031"),
        ("平板解锁输marmalade就行", "marmalade"),
        ("报警器是6042，别忘了", "6042"),
        ("输密码，车库的是8042，后门的是8043。", "8042"),
        ("按8042就能进", "8042"),
    ],
)
def test_d5_a_secret_is_found_by_the_verb_that_gives_it(text: str, secret: str) -> None:
    assert ("CREDENTIAL", secret) in [(entity, value.rstrip(".")) for entity, value in found(text)]


@pytest.mark.parametrize(
    "text",
    [
        "The password policy was changed to twelve characters.",
        "The token limit was set to 128000.",
        "The password's length, not its age, matters.",
        "Type continue when the installer asks to restart.",
        "Use the new build for the demo, put it on the stick.",
        "I logged in as admin with no trouble.",
        "The alarm is 20 years old.",
        "The door is 2 by 4 metres.",
        "Press 2 at the door of lift 3.",
        "He sent the code review to eleven people.",
        "My first car was a Fiat.",
        "The licence covers ISO9001-A2024 only.",
        "Recovery words are stored somewhere safe offline.",
        "Set the timer to twenty minutes and put rice in.",
        "密码框的宽度改成200px了",
        "口令要求改成十二位以上",
        "锁是304不锈钢的",
        "报警器是2026年装的",
        "门禁是3楼的事",
        "电视剧《口令4471》完结了",
        "登录输入框太窄",
        "仓库是2000平的",
        "Press 100 times on the door bell.",
        "Press 112 in the lift if it sticks.",
        "Type 2000 words about the gate of hell.",
        "I entered 4471 points at the pinball lock.",
        "The PIN header shows 3300 millivolts.",
        "The combination goes 100 squats and 50 crunches.",
        "The door is 2 0 4 9 mm.",
        "My favourite book, asks the teacher's question, is Dune.",
        "My favourite film, if anyone asks, is Amelie.",
        "My first school, since she asks, was Greenfield.",
        "The serial number of the dryer is WM14-T791-A20B-9931.",
        "The primary key was changed to bigint64.",
        "The token type was changed to RS256-signed.",
        "router: Asus / RT-AX88U",
        "console: Nintendo / Switch2",
        "信用卡后面100块没还",
        "卡后面200都花了",
        "登录时输入email就行",
        "开机打continue就行",
        "新键盘是1299，有点贵",
        "输入8080就能进管理页面",
    ],
)
def test_d5_what_only_sounds_like_it_is_left(text: str) -> None:
    assert [value for entity, value in found(text) if entity == "CREDENTIAL"] == []


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Wire it to CZ65 0800 0000 1920 0014 5399 today.", [("IBAN_CODE", "CZ65 0800 0000 1920 0014 5399")]),
        ("Please block 4111 1111 1111 1111 now.", [("CREDIT_CARD", "4111 1111 1111 1111")]),
        ("Block 4111 1111 1111 1111 is on the chain.", []),
        ("Meter: 4021 4044 4102 4131, rising.", []),
        ("Part 0117-4960325 is sold out.", []),
        ("订单号13900961234签收了", []),
        ("顺丰13900961234，打给他", [("PHONE_NUMBER", "13900961234")]),
        ("My number has changed, the whole thing is 9175550188.", [("PHONE_NUMBER", "9175550188")]),
        ("Our postcode is BS1 4ST.", [("ZIP_CODE", "BS1 4ST")]),
        ("DL number F255-9215-0094", [("US_DRIVER_LICENSE", "F255-9215-0094")]),
        ("The license S530-4471-9028 is hers.", [("US_DRIVER_LICENSE", "S530-4471-9028")]),
    ],
)
def test_d5_a_number_is_what_its_words_and_digits_say(text: str, spans: list[tuple[str, str]]) -> None:
    assert found(text) == spans
