"""D3: a duplicate says the same; another number, date, negation, name or order is another fact. English and Chinese."""

import pytest

from processors.dedupe import Calibration, Features, calibration_for, compare, extract_features

USE = calibration_for("use-multilingual-v3@test")
EASY = Calibration("m", (0, 0, 0, 20.0, 0, 0, 0, 0, 0, 0, 0, 0), -2.0, 0.5, 0.0, 0.3)
"""What asks for little of a paraphrase."""

SAME = [
    ("Caroline attended a support group", "caroline attended a support group!"),
    ("Caroline atended a support group", "Caroline attended a support group."),
    ("Melanie painted a sunrise last year", "Last year Melanie painted a sunrise"),
    ("Tim bought apples and pears", "Tim bought pears and apples"),
    ("He didn't go home", "He didnt go home."),
    ("John has twenty-three dogs and 250 cats", "John has 23 dogs and two hundred fifty cats"),
    ("The call is on May 8, 2023 at 3 pm", "The call is on 8 May 2023 at 15:00"),
    ("我今年三十二岁，下午两点半开会", "我今年32岁,14:30开会"),
    ("昨天我去了公园", "我昨天去了公园。"),
    ("星期五晚上跑步", "周五晚上跑步"),
    ("这台电脑八百多块", "这台电脑８００多块"),
    ("我特别喜欢和别人聊天", "我特别喜欢跟别人聊天了"),
    ("User paid $1,500 for the bike", "User paid $1500 for the bike."),
    ("It was -5 degrees in the hut", "It was minus 5 degrees in the hut"),
    ("Enrolment is at 45%", "Enrolment is at 45 percent."),
    ("完成率是百分之五", "完成率是5%。"),
    ("User's plan - go to Rome", "User's plan: go to Rome"),
]

DIFFERENT = [
    ("I have 2 dogs at home", "I have 3 dogs at home", "changed"),
    ("I have two dogs at home", "I have three dogs at home", "changed"),
    ("The release waits while load > 80", "The release waits while load < 80", "changed"),
    ("User earns $500 a day", "User earns €500 a day", "changed"),
    ("The freezer is at -5 degrees", "The freezer is at 5 degrees", "changed"),
    ("User writes C++ at work", "User writes C at work", "changed"),
    ("The fund grew by 5%", "The fund grew by 5", "changed"),
    ("基金涨了5%", "基金涨了5", "changed"),
    ("User writes C# at work", "User writes C++ at work", "changed"),
    ("User's blood type is A+", "User's blood type is A-", "changed"),
    ("用户血型是A+", "用户血型是A-", "changed"),
    ("User works 9-5", "User works 95", "changed"),
    ("The heating is on in the office", "The heating is off in the office", "changed"),
    ("We meet on Friday at 9 am", "We meet on Friday at 7 pm", "changed"),
    ("She goes hiking in the park in May", "She goes hiking in the park in June", "changed"),
    ("He likes strong coffee in the evening", "He does not like strong coffee in the evening", "contradiction"),
    ("Caroline attended the support group", "Melanie attended the support group", "changed"),
    ("She drives a red car to the office", "She drives a blue car to the office", "changed"),
    ("I flew from Boston to Denver", "I flew from Denver to Boston", "different"),
    ("Alice told Bob about the plan", "Bob told Alice about the plan", "different"),
    ("我家里养了两只可爱的小狗", "我家里养了三只可爱的小狗", "changed"),
    ("他每天早上都喝一杯黑咖啡", "他每天早上都不喝一杯黑咖啡", "contradiction"),
    ("我下周五去医院复查身体", "我下周三去医院复查身体", "changed"),
    ("小明昨天借给小红一本书", "小红昨天借给小明一本书", "different"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_d3_near_copies_are_duplicates_without_a_model(a: str, b: str) -> None:
    assert compare(extract_features(a), extract_features(b), None).kind == "duplicate"
    assert compare(extract_features(b), extract_features(a), 0.9, USE).kind == "duplicate"


@pytest.mark.parametrize(("a", "b", "kind"), DIFFERENT)
def test_d3_changed_facts_never_merge_however_close_their_vectors(a: str, b: str, kind: str) -> None:
    verdict = compare(extract_features(a), extract_features(b), 0.99, USE)
    assert verdict.kind == kind, verdict
    assert compare(extract_features(b), extract_features(a), 0.99, USE).kind in (kind, "different")


def test_d3_names_given_by_a_recogniser_count_in_chinese() -> None:
    a = extract_features("王小明是我最好的朋友", names=["王小明"])
    b = extract_features("李建国是我最好的朋友", names=["李建国"])
    assert compare(a, b, 0.99, USE).kind == "changed"


def test_d3_unknown_model_merges_near_copies_only() -> None:
    assert calibration_for("some-other-model") is None
    a = extract_features("Anna moved to the new flat in the old town")
    b = extract_features("Anna has moved into her new apartment in the old town")
    assert compare(a, b, 0.97, None).kind != "duplicate"


@pytest.mark.parametrize("text", [t for pair in SAME for t in pair])
def test_features_survive_their_state_row(text: str) -> None:
    features = extract_features(text)
    assert Features.from_json(features.to_json()) == features
    with pytest.raises(ValueError, match="version"):
        Features.from_json(features.to_json().replace("[1,", "[0,", 1))


@pytest.mark.parametrize(
    ("a", "b", "loses"),
    [
        ("Owns a boat, a kayak", "Owns a kayak and a boat", False),
        ("Bought a red kayak in Oslo", "In Oslo, has bought the red kayak", False),
        ("我昨天去了公园散步", "昨天我去了公园散步。", False),
        ("Owns a kayak", "Owns a boat, a kayak", True),
        ("我昨天去了公园散步的", "我昨天去了公园的散步步", True),
        ("word " * 300, "word " * 301, True),
    ],
)
def test_d3_a_duplicate_tells_whether_the_later_words_are_lost(a: str, b: str, loses: bool) -> None:
    found = compare(extract_features(a), extract_features(b), 1.0, EASY)
    assert (found.kind, found.loses) == ("duplicate", loses)
