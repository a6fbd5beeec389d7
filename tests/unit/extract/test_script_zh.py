"""Traditional and Cantonese turns are read like others, and told in their own characters (B1, D2)."""

from __future__ import annotations

import pytest

from processors.reader.rules.protocol import values_of
from processors.reader.rules.script_zh import script_of, simplified
from tests.unit.extract.support import extract


def _kept(text: str, question: str | None = None) -> list[str]:
    return [c.text for c in extract(text, question=question) if c.source == "explicit"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("我媽媽有關節炎", ["用户的媽媽有關節炎"]),
        ("我們家輪流顧攤子，每個人顧兩天", ["用户家輪流顧攤子，每個人顧兩天"]),
        ("貓送人了", ["用户把貓送人了"]),
        ("我對花生過敏", ["用户對花生過敏"]),
        ("我唔飲酒", ["用户不喝酒"]),
        ("以後報告一律寫繁體，唔好用英文", ["用户要求以後報告一律寫繁體，不要用英文"]),
        ("我冇食早餐嘅習慣", ["用户沒吃早餐嘅習慣"]),
        ("我阿爸喺深圳開鋪頭", ["用户的阿爸喺深圳開鋪頭"]),
        ("我家姐成日畀錢佢仔女用", ["用户的家姐成日畀錢佢仔女用"]),
        ("我膝頭痛，重嘢都搬唔得", ["用户膝頭痛（2026年2月5日）", "用户膝頭痛，重嘢都搬唔得"]),
        ("我聽日唔會返工", ["用户2026年2月6日不會上班"]),
    ],
)
def test_d2_a_statement_keeps_the_script_of_its_turn(text: str, kept: list[str]) -> None:
    assert _kept(text) == kept


def test_b1_values_are_found_in_either_script() -> None:
    fields = {n: v for c in extract("我叫陳志明，今年三十五歲，住在台北") for n, v in values_of(c).items()}
    assert fields == {"name": "陳志明", "age": 35, "residence": "台北"}


def test_b1_an_answer_in_traditional_characters_states_its_question() -> None:
    assert _kept("不喝", question="請問您平時喝牛奶嗎？") == ["用户平时不喝牛奶"]


@pytest.mark.parametrize("text", ["唔，我再想想", "他們的關係我不懂", "我請問你幾點開門？"])
def test_d2_what_states_nothing_states_nothing_in_either_script(text: str) -> None:
    assert _kept(text) == []


@pytest.mark.parametrize("text", ["我唔食辣，鍾意食甜", "請問這個點樣去？", "plain English", "我住在杭州", "", "關係"])
def test_places_stay_true(text: str) -> None:
    read = simplified(text)
    assert len(read) == len(text)
    assert (script_of(text) is None) == (read == text)


@pytest.mark.parametrize(
    "statement",
    ["我阿妈冇來過香港", "我細佬而家喺度學車，佢總係唔肯讀書", "我家裡沒有電梯", "我從去年開始學鋼琴"],
)
def test_d2_no_statement_mixes_scripts(statement: str) -> None:
    simplified_only = set("没总给来时过从体医别个们这为学习")
    assert _kept(statement)
    assert not [c for text in _kept(statement) for c in text if c in simplified_only and c not in statement]


def test_simplified_mandarin_is_left_as_it_is() -> None:
    text = "我是系主任，今日去了一趟，唔，还行"
    assert simplified(text) is text
