"""Markdown to chunks along its headings (D8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.tokens import token_counter
from processors.knowledge.chunking import chunks

COUNT = token_counter("o200k_base").count


def split(markdown: str, limit: int = 400) -> list[tuple[dict[str, str], str]]:
    return [(c.headings, c.text) for c in chunks(markdown, COUNT, limit)]


def test_d8_headings_nest_and_end_their_deeper_ones() -> None:
    text = "intro\n\n# A\none\n\n## B\ntwo\n\n### C\nthree\n\n## D\nfour\n\n# E\nfive\n"
    assert split(text) == [
        ({}, "intro"),
        ({"h1": "A"}, "one"),
        ({"h1": "A", "h2": "B"}, "two"),
        ({"h1": "A", "h2": "B", "h3": "C"}, "three"),
        ({"h1": "A", "h2": "D"}, "four"),
        ({"h1": "E"}, "five"),
    ]


def test_d8_a_level_left_out_keeps_the_ones_above() -> None:
    assert split("# A\n\n### C\nx\n\n## B\ny") == [({"h1": "A", "h3": "C"}, "x"), ({"h1": "A", "h2": "B"}, "y")]


@pytest.mark.parametrize(
    "block",
    ["```\n# no heading\n```", "~~~sh\n# no heading\n~~~", "    # no heading", "> # no heading", "- # no heading",
     "<!--\n# no heading\n-->"],
)  # fmt: skip
def test_d8_a_sharp_inside_a_block_is_no_heading(block: str) -> None:
    assert split(f"# A\n\n{block}\n\nafter") == [({"h1": "A"}, f"{block}\n\nafter")]


def test_d8_setext_closed_and_deep_headings() -> None:
    text = "Title\n=====\none\n\nSub\n---\ntwo\n\n## Closed ##\nthree\n\n#### Deep\nfour\n\n#hashtag"
    assert split(text) == [
        ({"h1": "Title"}, "one"),
        ({"h1": "Title", "h2": "Sub"}, "two"),
        ({"h1": "Title", "h2": "Closed"}, "three\n\n#### Deep\n\nfour\n\n#hashtag"),
    ]


def test_d8_chinese() -> None:
    text = "# 入组标准\n年龄在18到65岁之间。\n\n## 排除标准\n- 妊娠\n- 哺乳\n"
    assert split(text) == [
        ({"h1": "入组标准"}, "年龄在18到65岁之间。"),
        ({"h1": "入组标准", "h2": "排除标准"}, "- 妊娠\n- 哺乳"),
    ]


@pytest.mark.parametrize("end", ["---", "..."])
def test_d8_front_matter_is_no_text(end: str) -> None:
    assert split(f"---\ntitle: x\n# y\n{end}\n# A\none") == [({"h1": "A"}, "one")]


def test_d8_a_rule_at_the_start_is_no_front_matter() -> None:
    assert split("---\n\none") == [({}, "---\n\none")]
    assert split("---\none\n---\ntwo") == [({}, "---"), ({"h2": "one"}, "two")]
    assert split("---\n\n# 重要\n\nKeep: this 保留\n\n---\n\ntwo") == [
        ({}, "---"),
        ({"h1": "重要"}, "Keep: this 保留\n\n---\n\ntwo"),
    ]
    assert split("---\n\nNote: this is text\n\n---\n\ntwo")[-1] == ({}, "---\n\nNote: this is text\n\n---\n\ntwo")


@pytest.mark.parametrize(
    "matter",
    [
        "title: Cache\ntags: [a, b]\n\n# comment\nauthors:\n- Ann\n- 李雷\nabout: >\n  several\n  lines",
        "标题: 缓存",
        '"last updated": 2026-11-22',
        "Last Updated: 2026-11-22\nlist: [\n  a\n]",
        "",
    ],
)
def test_d8_front_matter_of_every_shape_goes(matter: str) -> None:
    assert split(f"---\n{matter}\n---\n# A\none") == [({"h1": "A"}, "one")]


def test_d8_definitions_of_links_are_text_of_their_section() -> None:
    text = '[top]: https://example.com/top\n\n# A\nsee [spec]\n\n[spec]: https://example.com/3.4 "规范 3.4"\n\n# B\ntwo'
    assert split(text) == [
        ({}, "[top]: https://example.com/top"),
        ({"h1": "A"}, 'see [spec]\n\n[spec]: https://example.com/3.4 "规范 3.4"'),
        ({"h1": "B"}, "two"),
    ]
    assert split("# A\n[last]: <https://example.com>") == [({"h1": "A"}, "[last]: <https://example.com>")]


def test_d8_a_table_stays_whole_and_keeps_its_lines() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 三 | 四 |"
    assert split(f"# A\n\n{table}") == [({"h1": "A"}, table)]


@pytest.mark.parametrize("odd", ["\u2028", "\x0b", "\x0c", "\x85", "\x1c", "\u2029"])
def test_d8_line_separators_that_markdown_does_not_know_shift_nothing(odd: str) -> None:
    assert split(f"a{odd}b\n\n# Head\none\n\n# Next\ntwo") == [
        ({}, f"a{odd}b"), ({"h1": "Head"}, "one"), ({"h1": "Next"}, "two"),
    ]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_d8_line_endings_are_alike(end: str) -> None:
    assert split("---\na: b\n---\n# A\none\n\n## B\ntwo".replace("\n", end)) == [
        ({"h1": "A"}, "one"), ({"h1": "A", "h2": "B"}, "two"),
    ]  # fmt: skip


@pytest.mark.parametrize("sentence", ["The quick brown fox jumps over the dog. ", "受试者需要签署知情同意书。"])
def test_d8_long_sections_split_by_tokens_and_lose_nothing(sentence: str) -> None:
    paragraphs = [sentence * 5 for _ in range(12)] + [sentence * 80]
    found = split("# A\n\n" + "\n\n".join(paragraphs), limit=120)
    assert len(found) > 5
    assert all(headings == {"h1": "A"} and COUNT(text) <= 120 for headings, text in found)
    assert "".join("".join(text.split()) for _, text in found) == "".join("".join(paragraphs).split())


def test_d8_a_long_code_block_splits_between_its_lines() -> None:
    lines = [f"value_{i} = compute({i})" for i in range(200)]
    found = split("# A\n\n```python\n" + "\n".join(lines) + "\n```", limit=100)
    assert all(COUNT(text) <= 100 for _, text in found)
    kept = [line for _, text in found for line in text.split("\n")]
    assert [x for x in kept if x.startswith("value_")] == lines


@pytest.mark.parametrize("text", ["", "\n\n", "#", "# \n\n## \n", "---\na: b\n---\n", "---\na: b\n---", "\ufeff"])
def test_d8_nothing_to_say_is_no_chunk(text: str) -> None:
    assert split(text) == []


@given(st.text(alphabet="# \n-`>|=a中。.\u2028\r", max_size=200), st.integers(1, 20))
def test_d8_any_text_is_split_within_the_limit(text: str, limit: int) -> None:
    for _, piece in split(text, limit):
        assert piece.strip()
        assert COUNT(piece) <= limit or len(piece) <= 1


def test_d8_a_byte_order_mark_hides_no_heading_and_no_front_matter() -> None:
    assert split("\ufeff# A\none") == [({"h1": "A"}, "one")]
    assert split("\ufeff---\na: b\n---\n# A\none") == [({"h1": "A"}, "one")]


def test_d8_a_heading_with_nothing_below_it_is_what_it_says() -> None:
    """Outlines: the rule is the heading. One that only holds others is in their hierarchy."""
    assert split("# Only a heading") == [({"h1": "Only a heading"}, "# Only a heading")]
    text = "# 规则\n\n## 周五不部署\n\n## 两人评审\n### 例外\n紧急修复\n\n空\n===\n\nNext\n===="
    assert split(text) == [
        ({"h1": "规则", "h2": "周五不部署"}, "## 周五不部署"),
        ({"h1": "规则", "h2": "两人评审", "h3": "例外"}, "紧急修复"),
        ({"h1": "空"}, "空\n==="),
        ({"h1": "Next"}, "Next\n===="),
    ]


def test_d8_a_table_beyond_the_bound_keeps_its_header_with_each_piece() -> None:
    header = "| 药名 drug | 剂量 dose |\n| --- | :-: |"
    rows = [f"| 阿司匹林 {n} | {n} mg |" for n in range(60)]
    found = split("# 用药\n\nbefore\n\n" + header + "\n" + "\n".join(rows) + "\n\nafter", limit=120)
    tables = [text.split(header + "\n")[1] for _, text in found]
    assert len(tables) > 3
    assert all(COUNT(text) <= 120 and headings == {"h1": "用药"} for headings, text in found)
    assert [r for text in tables for r in text.split("\n\n")[0].split("\n")] == rows
    assert found[0][1].startswith("before\n\n")
    assert found[-1][1].endswith("\n\nafter")


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_d8_code_beyond_the_bound_keeps_its_fences_and_no_sharp_in_it_is_a_heading(fence: str) -> None:
    lines = [f"# comment {n} 注释" for n in range(100)]
    found = split("\n".join(["# A", "", f"{fence}sh", *lines, fence]), limit=100)
    assert len(found) > 3
    for headings, text in found:
        assert headings == {"h1": "A"}
        assert COUNT(text) <= 100
        assert text.startswith(f"{fence}sh\n# comment")
        assert text.endswith(f"\n{fence}")
    assert [x for _, text in found for x in text.split("\n")[1:-1]] == lines


def test_d8_a_code_block_that_never_ends_and_one_line_beyond_the_bound() -> None:
    assert split("# A\n```\n# no heading\n## nor this") == [({"h1": "A"}, "```\n# no heading\n## nor this")]
    line = "很长的一行。" * 200
    found = split(f"# A\n\n```\n{line}\n```", limit=60)
    assert all(COUNT(text) <= 60 for _, text in found)
    assert "".join(text.removeprefix("```\n").removesuffix("\n```") for _, text in found) == line
