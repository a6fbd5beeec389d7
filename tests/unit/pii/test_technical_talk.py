"""Personal data and secrets: found in plain sight, and no false alarm in technical talk, both languages."""

from __future__ import annotations

import pytest

from inference.pii.analyzer import RULES
from inference.pii.presidio import PresidioPatterns
from inference.pii.resolve import resolve
from inference.pii.rules import run_rules

PRESIDIO = PresidioPatterns()
ALLOWED = frozenset({"DATE_TIME", "AGE", "URL"})


def found(text: str) -> list[tuple[str, str]]:
    """What policy takes out of a text, names aside."""
    spans = resolve([*run_rules(RULES, text), *PRESIDIO.find(text)], 0.5)
    return [(s.entity, text[s.start : s.end]) for s in spans if s.entity not in ALLOWED]


@pytest.mark.parametrize("mark", ["", " ", "-", ".", "/", "·", " · ", "  ", "–", "_"])
@pytest.mark.parametrize("frame", ["we paid with {}, thanks", "押金刷的{}，谢谢", "{} 09/28"])
def test_a_card_is_a_card_whatever_parts_its_groups(mark: str, frame: str) -> None:
    card = mark.join(["4000", "0566", "5566", "5556"])
    assert found(frame.format(card)) == [("CREDIT_CARD", card)]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("sshpass -p 'moor Hen 7' ssh a@b", "moor Hen 7"),
        ("那台跑sshpass -pmoorHen7 ssh a", "moorHen7"),
        ("mysql -u app -pmoor_Hen7 shop", "moor_Hen7"),
        ("PGPASSWORD=moor-Hen7 psql -h db", "moor-Hen7"),
        ("docker login -u ci -p moorHen7 hub.test", "moorHen7"),
        ("redis-cli -h cache -a moorHen7 ping", "moorHen7"),
        ("用curl -u svc:moorHen7 https://api.test试试", "moorHen7"),
        ("ansible-vault --token moorHen7x9 view", "moorHen7x9"),
        ("echo 'moorHen7' | docker login --password-stdin", "moorHen7"),
        ("ALTER USER app IDENTIFIED BY 'moorHen7';", "moorHen7"),
        ("The API token you gave me is 5a1d0c9e-77b1-4c02-9d3e-2b6f8a410c55.", "5a1d0c9e-77b1-4c02-9d3e-2b6f8a410c55"),
        ("Zt7Qm2Kx9RbP4w is our webhook secret", "Zt7Qm2Kx9RbP4w"),
        ("新的访问令牌给你：Zt7Qm2Kx9RbP4w，别外传", "Zt7Qm2Kx9RbP4w"),
        ("Zt7Qm2Kx9RbP4w就是沙箱的API密钥", "Zt7Qm2Kx9RbP4w"),
        ("The door code is 4417 now", "4417"),
    ],
)
def test_a_secret_told_or_typed_is_taken_out_and_no_word_with_it(text: str, secret: str) -> None:
    assert ("CREDENTIAL", secret) in [(entity, value.rstrip(".,'\";")) for entity, value in found(text)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("If nobody answers, try my aunt at 4155550186", "4155550186"),
        ("It was 07700900186 on the note", "07700900186"),
        ("98765 43210 is the number of the shop in Pune", ""),
        ("98765 43210 is her Pune number", "98765 43210"),
        ("(+44) 20 7946 0186", "(+44) 20 7946 0186"),
        ("My phone has 128 256 or 512 of it", ""),
        ("The text sizes are 12 14 16 18 20 24", ""),
    ],
)
def test_a_telephone_number_is_known_by_what_is_said_of_it(text: str, number: str) -> None:
    assert [value for entity, value in found(text) if entity == "PHONE_NUMBER"] == [number] * bool(number)


@pytest.mark.parametrize(
    "text",
    [
        "ssh -p 2201 jo@relay.test hangs", "scp a.gz jo@relay.test:/in",
        "The agent is 4.0.2.9, section 3.1.2.4 says so.", "客户端是4.0.2.9版，看第3.1.2.4节",
        "It listens on 10.1.2.3, 192.168.4.9, 172.20.0.8 and 127.0.0.1.", "网关192.168.1.1，掩码255.255.255.0",
        "edge-west-20261009-03 took 120 240 1800 ms", "机器edge-west-20261009-03耗时120 240 1800毫秒",
        "Order 0047120938 and part 07-114-820", "订单0047120938，零件07-114-820",
        "The total was +3 400 000 against plan", "比计划多+3 400 000",
        "trace 9f3c0b7e5a1d4c8f9e2b7a6d5c4f3e2a", "链路9f3c0b7e5a1d4c8f9e2b7a6d5c4f3e2a很慢",
        "Record 5a1d0c9e-77b1-4c02-9d3e-2b6f8a410c55 is a duplicate", "重复的是5a1d0c9e-77b1-4c02-9d3e-2b6f8a410c55",
        "integrity sha384-oqVuAfXRKap7fdgcCY5uykM6R9GqQ8K1", "SHA256:oqVuAfXRKap7fdgcCY5uykM6R9GqQ8K1xN0",
        "docker compose -p staging up, cp -p a b", "mysql -u root -p<password> shop", 'curl -u "$U:$P" https://a.test',
        "docker login hub.test && docker run -p 8080:80 app", "restart app@node1.service", "logo@2x.png is blurred",
        "The API key is in 1Password", "token bucket of v2.3.1-rc4",
    ],
)  # fmt: skip
def test_technical_talk_is_nothing_personal(text: str) -> None:
    assert found(text) == []


def test_a_mask_swallows_no_words_behind_it() -> None:
    assert found("driver's license D1234567 expires in May") == [("US_DRIVER_LICENSE", "D1234567")]
    assert found("密钥是Zt7Qm2Kx9RbP4w，secret另发") == [("CREDENTIAL", "Zt7Qm2Kx9RbP4w")]
    assert found("pay GB82WEST12345698765432 TODAY PLEASE") == [("IBAN_CODE", "GB82WEST12345698765432")]
