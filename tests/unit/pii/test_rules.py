"""D5: personal numbers in both languages, by pattern, check digit and context."""

import pytest

from inference.pii.analyzer import RULES
from inference.pii.presidio import PresidioPatterns
from inference.pii.resolve import resolve
from inference.pii.rules import run_rules

PRESIDIO = PresidioPatterns()


def found(text: str) -> list[tuple[str, str]]:
    spans = resolve([*run_rules(RULES, text), *PRESIDIO.find(text)], 0.5)
    return [(span.entity, text[span.start : span.end]) for span in spans]


@pytest.mark.parametrize(
    ("text", "entity", "value"),
    [
        ("我的身份证号是11010519491231002X。", "CN_RESIDENT_ID", "11010519491231002X"),
        ("身份证号码为230103198008273620，请核对", "CN_RESIDENT_ID", "230103198008273620"),
        ("ID card number 866078196312139416.", "CN_RESIDENT_ID", "866078196312139416"),
        ("老身份证：110105491231002", "CN_RESIDENT_ID", "110105491231002"),
        ("打我手机13812345678吧", "PHONE_NUMBER", "13812345678"),
        ("电话：１３８１２３４５６７８", "PHONE_NUMBER", "１３８１２３４５６７８"),
        ("手机+86 138-1234-5678", "PHONE_NUMBER", "+86 138-1234-5678"),
        ("座机是010-85859999转123", "PHONE_NUMBER", "010-85859999转123"),
        ("拨打400-666-2006", "PHONE_NUMBER", "400-666-2006"),
        ("My number is (415) 555-2671", "PHONE_NUMBER", "(415) 555-2671"),
        ("call +44 20 7946 0958 now", "PHONE_NUMBER", "+44 20 7946 0958"),
        ("Reach me on 0475 4429797", "PHONE_NUMBER", "0475 4429797"),
        ("卡号6222021234567894里", "CREDIT_CARD", "6222021234567894"),
        ("visa 4111 1111 1111 1111", "CREDIT_CARD", "4111 1111 1111 1111"),
        ("账号：6228480038123456789", "BANK_ACCOUNT", "6228480038123456789"),
        ("邮箱是zhang.wei@163.com吗", "EMAIL_ADDRESS", "zhang.wei@163.com"),
        ("发到ｌｉ＠ｅｘａｍｐｌｅ．ｃｏｍ", "EMAIL_ADDRESS", "ｌｉ＠ｅｘａｍｐｌｅ．ｃｏｍ"),
        ("mail a.b+c@mail.example.co.uk.", "EMAIL_ADDRESS", "a.b+c@mail.example.co.uk"),
        ("护照号E12345678", "PASSPORT", "E12345678"),
        ("My passport number is 512345678", "PASSPORT", "512345678"),
        ("车牌京A12345在楼下", "CN_LICENSE_PLATE", "京A12345"),
        ("新能源车沪AD12345", "CN_LICENSE_PLATE", "沪AD12345"),
        ("信用代码91350100M000100Y43", "CN_SOCIAL_CREDIT_CODE", "91350100M000100Y43"),
        ("IP是198.51.100.7吗", "IP_ADDRESS", "198.51.100.7"),
        ("host 2001:db8:85a3::8a2e:370:7334 is down", "IP_ADDRESS", "2001:db8:85a3::8a2e:370:7334"),
        ("pay to GB82WEST12345698765432 today", "IBAN_CODE", "GB82WEST12345698765432"),
        ("my ssn is 536-90-4399", "US_SSN", "536-90-4399"),
        ("my driver's license number is 2270-66-1551", "US_DRIVER_LICENSE", "2270-66-1551"),
        ("She lives at 742 Evergreen Terrace, Apt 4", "ADDRESS", "742 Evergreen Terrace, Apt 4"),
        ("we met at 12 baker street yesterday", "ADDRESS", "12 baker street"),
        ("Wohnt in der Ziegelgasse 19", "ADDRESS", "Ziegelgasse 19"),
        ("see https://example.com/a?b=1.", "URL", "https://example.com/a?b=1"),
        ("出生于1990年5月12日", "DATE_TIME", "1990年5月12日"),
        ("my zip code is 94107", "ZIP_CODE", "94107"),
        ("男，45岁", "AGE", "45"),
    ],
)
def test_d5_is_found(text: str, entity: str, value: str) -> None:
    assert (entity, value) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "The meeting is on 2024-05-17 at 10:30, room 12.",
        "Revenue grew from 1,250,000 to 2,400,000 between 2019 and 2023.",
        "We need 3 eggs, 250 g flour and 2 weeks on the road.",
        "他的年收入为118913.53元，信用评分为510分。",
        "订单20240517001234已发货",
        "version 1.29.0.1 of build 20231105",
        "I scored 98.6 and ran 42.195 km in 3:59:12.",
        "the ratio is 1:2:3 and the range 2010-2015",
        "京东和沪指都涨了",
        "第110105号文件",
        "10 good points were made in the park",
        "email me at work",
        "pi is 3.14159265358979",
        "她5月12日来，住3天",
        "Take 5 minutes down the road",
    ],
)
def test_ordinary_numbers_are_nothing_personal(text: str) -> None:
    assert [pair for pair in found(text) if pair[0] not in {"DATE_TIME", "AGE"}] == []


def test_a_resident_id_without_its_check_digit_scores_lower() -> None:
    def score(text: str) -> float:
        return max(s.score for s in run_rules(RULES, text) if s.entity == "CN_RESIDENT_ID")

    assert score("11010519491231002X") > score("身份证110105194912310021") > score("110105194912310021") >= 0.5


def test_an_id_number_is_not_a_card_because_the_word_card_stands_there() -> None:
    assert found("holds the ID card number 628288199611069216") == [("CN_RESIDENT_ID", "628288199611069216")]


def test_long_texts_are_searched_to_their_end() -> None:
    text = "lorem ipsum " * 400 + "ssn 536-90-4399, IBAN GB82WEST12345698765432"
    assert {"US_SSN", "IBAN_CODE"} <= {entity for entity, _ in found(text)}
