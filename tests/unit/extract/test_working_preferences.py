"""D17: tone, time zone, roles and session instructions in words of many kinds, English and Chinese."""

from __future__ import annotations

from typing import Any

import pytest

from processors.language.profile_patterns import first_match
from processors.reader.rules.protocol import values_of
from schemas.profile.model import load_profile
from tests.unit.extract.support import extract

TEAM = load_profile("engineering")


def read(text: str) -> dict[str, object]:
    """Asserted fields of a turn in a project."""
    found = extract(text, TEAM, project="atlas")
    return {n: v for c in found if not c.negated for n, v in values_of(c).items()}


@pytest.mark.parametrize(
    ("text", "tone"),
    [
        ("Be blunt with me, no sugar-coating.", "blunt"), ("I'd rather you were formal in writing.", "formal"),
        ("Please be brief and professional when you reply.", "brief and professional"),
        ("A friendly tone works best for me.", "friendly"), ("Could you be a bit more polite?", "polite"),
        ("Talk to me in a casual way.", "casual"), ("Keep the answers crisp.", "crisp"),
        ("I like it when you're straightforward.", "straightforward"),
        ("Could you keep your answers short and to the point?", "short and to the point"),
        ("回复我的时候正式些就行。", "正式"), ("我希望你讲话直接一点，别绕弯子。", "直接"),
        ("以后跟我沟通简明扼要就好。", "简明扼要"), ("回答尽量专业、简短。", "专业、简短"),
        ("你说话可以随意些。", "随意"), ("我比较喜欢直来直去的沟通。", "直来直去"),
        ("The tone of the article is formal.", None), ("The customer wants a formal tone.", None),
        ("Is a formal tone better?", None), ("他喜欢简洁的风格。", None), ("这篇文章的风格很简洁。", None),
    ],
)  # fmt: skip
def test_d17_a_tone_is_asked_for(text: str, tone: str | None) -> None:
    assert read(text).get("communication_tone") == tone


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("I'm based in Berlin, so use CET.", "Europe/Berlin"), ("I work on UTC+9.", "Asia/Tokyo"),
        ("Show me all timestamps in Tokyo time please.", "Asia/Tokyo"),
        ("I'm in the Pacific time zone.", "America/Los_Angeles"), ("My timezone is PST.", "America/Los_Angeles"),
        ("Use my local time, which is New York.", "America/New_York"),
        ("All my meetings are in London time.", "Europe/London"),
        ("我这边是UTC+8。", "Asia/Shanghai"), ("我的时区是东八区。", "Asia/Shanghai"),
        ("时间统一用伦敦时间。", "Europe/London"), ("所有会议时间都换算成纽约时间给我。", "America/New_York"),
        ("我用的是美东时间。", "America/New_York"),
        ("The server is in Tokyo time.", None), ("My colleague is on Tokyo time.", None),
        ("The release goes out at 9 London time.", None), ("会议是东京时间三点。", None),
        ("客户那边是纽约时间。", None), ("服务器用的是UTC+8。", None),
    ],
)  # fmt: skip
def test_d17_a_time_zone_is_the_speakers(text: str, zone: str | None) -> None:
    assert read(text).get("timezone") == zone


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("I lead the backend of this project.", "backend lead"), ("I'm the product owner here.", "product owner"),
        ("I'm in charge of the frontend here.", "frontend lead"), ("I've taken over as tech lead.", "tech lead"),
        ("I was just made release manager.", "release manager"), ("I'm one of the reviewers.", "reviewer"),
        ("My role here is backend engineer.", "backend engineer"), ("I'm joining Atlas as a designer.", "designer"),
        ("我在苍穹里负责后端。", "后端负责人"), ("我负责这个项目的测试。", "测试负责人"),
        ("这边的前端由我负责。", "前端负责人"), ("这个项目我是架构师。", "架构师"),
        ("我现在担任苍穹项目的项目经理。", "项目经理"), ("我刚接手苍穹的运维。", "运维负责人"),
        ("Li is the tech lead.", None), ("I'm not the architect.", None), ("We need a release manager.", None),
        ("I run every morning.", None), ("我想当架构师。", None), ("王磊是苍穹的技术负责人。", None),
    ],
)  # fmt: skip
def test_d17_a_role_is_of_the_project(text: str, role: str | None) -> None:
    found = read(text)
    assert found.get("project_role") == role
    assert role is None or "occupation" not in found


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("Can we do this in Japanese?", {"language_preference": "respond_in_japanese"}),
        ("From now on in this session, give me code only.", {"instructions": "give me code only"}),
        ("Just for today: no emojis.", {"instructions": "no emojis"}),
        ("While we're on this, treat the API as frozen.", {"instructions": "treat the API as frozen"}),
        ("In our session, never suggest paid tools.", {"instructions": "never suggest paid tools"}),
        ("接下来用英语跟我聊吧。", {"language_preference": "respond_in_english"}),
        ("麻烦这次都用中文回。", {"language_preference": "respond_in_chinese"}),
        ("今天的讨论里先不考虑成本。", {"instructions": "先不考虑成本"}),
        ("这次讨论只谈接口，不谈界面。", {"instructions": "只谈接口，不谈界面"}),
        ("He answers in English.", {}), ("Translate this into German.", {}), ("Is this chat in English?", {}),
        ("这个接口用英文回复客户。", {}), ("这个聊天软件支持中文回复。", {}),
    ],
)  # fmt: skip
def test_d17_an_instruction_for_the_session_is_an_anchor(text: str, anchors: dict[str, Any]) -> None:
    found = {s.name: first_match(text, s.patterns, s.unless, aliases=s.aliases) for s in TEAM.session.anchors}
    assert {name: match[0] for name, match in found.items() if match is not None} == anchors


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("please answer me in bullet points", "bullet points"),
        ("My boss hates bullet points", None),
        ("Just for today: no emojis.", None),
        ("There are no tables in the restaurant", None),
        ("we had no bullets left", None),
        ("Are there no emojis in your replies?", None),
    ],
)  # fmt: skip
def test_d2_a_form_that_is_not_wanted_is_no_wish_for_it(text: str, style: str | None) -> None:
    found = extract(text, load_profile("clinical_trial"))
    assert {n: v for c in found for n, v in values_of(c).items()}.get("response_style") == style
