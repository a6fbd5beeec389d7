"""Secrets by the thing that has one and keys that are handed over, where no word for a secret stands beside them."""

from __future__ import annotations

import pytest

from inference.pii.analyzer import RULES
from inference.pii.resolve import resolve
from inference.pii.rules import run_rules


def found(text: str) -> list[str]:
    return [text[s.start : s.end] for s in resolve(run_rules(RULES, text), 0.5) if s.entity == "CREDENTIAL"]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        # networks
        ("The wifi at the cabin is pinecone_2020", "pinecone_2020"),
        ("You can get online with OtterPond77", "OtterPond77"),
        ("The sticker under the router says oP7xq2mk in small print", "oP7xq2mk"),
        ("山上小屋的wifi是songguo_2020", "songguo_2020"),
        ("无线被人蹭了，我改成songguo2021了", "songguo2021"),
        # doors, locks, machines
        ("Side door 7731, alarm 9942.", "9942"),
        ("Boiler room: 4471. Knock twice.", "4471"),
        ("the dog sitter needs 6617 to get in", "6617"),
        ("Let yourself in with 2947#", "2947#"),
        ("8264 for the locker, don't forget", "8264"),
        ("Her code was 1212, now it's 8391.", "8391"),
        ("The safe in the bedroom: 71-33-08", "71-33-08"),
        ("his app needs a PIN and he picked 1951", "1951"),
        ("My laptop wants otter.Lamp when it wakes up", "otter.Lamp"),
        ("I use Otter!lamp9 for pretty much everything", "Otter!lamp9"),
        ("侧门7731，车棚9942", "7731"),
        ("遛狗的人要用6617进门", "6617"),
        ("后备箱有把锁，586", "586"),
        ("她的锁密码以前是1212，现在是8391", "8391"),
        ("我所有网站都用Otter!lamp9这一个", "Otter!lamp9"),
        ("卧室的柜子先左转到71，再右转到33，最后左转到8", "左转到71，再右转到33，最后左转到8"),
        # handed over
        ("Use these for the SMS gateway: nQ7xLw2Zt9Kb4R", "nQ7xLw2Zt9Kb4R"),
        ("Our maps one is nQ7xLw2Zt9Kb4R", "nQ7xLw2Zt9Kb4R"),
        ("API key (keep it!): nQ7xLw2Zt9Kb4R", "nQ7xLw2Zt9Kb4R"),
        ("the partner's API wants our key, p9k2m4x7q1z8", "p9k2m4x7q1z8"),
        ("With mailer / Kettle-Drum-9 the relay accepts it", "Kettle-Drum-9"),
        ("we start people with otter9lamp as the password", "otter9lamp"),
        ("The passphrase for the backups is lantern above harbour.", "lantern above harbour"),
        ("he said the sudo password is purple monkey", "purple monkey"),
        ("They ask for the code word, which is pelican", "pelican"),
        ("短信网关用这个：nQ7xLw2Zt9Kb4R", "nQ7xLw2Zt9Kb4R"),
        ("我把nQ7xLw2Zt9Kb4R贴进配置，地图就出来了", "nQ7xLw2Zt9Kb4R"),
        ("AppSecret（别外传）：nQ7xLw2Zt9Kb4R", "nQ7xLw2Zt9Kb4R"),
        ("用mailer / Kettle-Drum-9就能发", "Kettle-Drum-9"),
        ("备份用lantern above harbour这个短语解锁", "lantern above harbour"),
        ("绘图软件的许可证？L8QK-22MD-90PX", "L8QK-22MD-90PX"),
        ("数据库新密码：umbrella-42-Fox", "umbrella-42-Fox"),
    ],
)
def test_a_secret_without_a_word_for_one_is_found_and_no_word_beside_it(text: str, secret: str) -> None:
    assert secret in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "The wifi is 2.4GHz only.",
        "The wifi is called Nest-Guest-5G",
        "wifi is WPA3-Enterprise now",
        "Garage: 1500 a month. Shed: 300.",
        "Gate B24, then left",
        "The alarm: 0630 tomorrow",
        "We need 2500 to open the shop.",
        "You need 4096 MB to open it.",
        "Turn off with 30 minutes left.",
        "The bike lock is 85 dollars.",
        "The suitcase is set to arrive at 14:30.",
        "I use C++17 for everything",
        "My laptop wants Windows11 when it wakes up",
        "Our login is via Google",
        "The password is common knowledge.",
        "The passphrase is stored in the keychain",
        "use this commit: 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "The video is dQw4w9WgXcQ",
        "Use model gpt-4o-mini-2024-07-18 for the summary.",
        "Try Qwen2.5-Coder-7B-Instruct first.",
        "treated the string as a password hash",
        "the key (primary) is order_id_2024",
        "wifi是2.4G的",
        "wifi叫MapleHouse5G",
        "无线是WPA3加密",
        "车库1500一个月",
        "仓库2000平",
        "行李箱是1299买的",
        "我所有项目都用C#",
        "手机解锁用FaceID2",
        "型号是SM-G9980XU1A2b",
        "密码用SHA256加盐",
        "密码选了8位的",
        "这个key是user_profile_cache_v2",
    ],
)
def test_what_is_counted_named_or_measured_there_is_left(text: str) -> None:
    assert found(text) == []
