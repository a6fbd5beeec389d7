"""Secrets of every day, as people say them: a code is found by what it opens, and nothing else that is counted is."""

from __future__ import annotations

import pytest

from inference.pii.analyzer import RULES
from inference.pii.resolve import resolve
from inference.pii.rules import run_rules
from processors.ports import Models, ProfileBook
from processors.reader.rules.protocol import Reading
from processors.reader.secrets import without_refused, without_secrets
from schemas.events.memory import Candidate, Dropped
from schemas.profile.model import load_profile


def found(text: str) -> list[str]:
    return [text[s.start : s.end] for s in resolve(run_rules(RULES, text), 0.5) if s.entity == "CREDENTIAL"]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("the side door code is nine one double four, okay", "nine one double four"),
        ("Is that the PIN? Yes, it's 6093.", "6093"),
        ("They want the gate code. It's 6093#.", "6093#"),
        ("The wifi password upstairs is teapot-parade.", "teapot-parade"),
        ("6093 is the code for the garage", "6093"),
        ("our PIN is my dad's birthday backwards", "my dad's birthday backwards"),
        ("楼上wifi密码是茶壶大游行", "茶壶大游行"),
        ("樓上個密碼係六零九三，記住喇", "六零九三"),
        ("门禁密码多少？6093。", "6093"),
        ("密码是我爸生日倒过来", "我爸生日倒过来"),
        ("6093是你的驗證碼", "6093"),
        # further from its word, in another clause or sentence, or by what is done with it
        ("The signing key has two halves, joined they read rT7Kq2mXw9LpZ4", "rT7Kq2mXw9LpZ4"),
        ("Does the relay still take rT7Kq2mXw9LpZ4 as its auth token", "rT7Kq2mXw9LpZ4"),
        ("My password did not change, it's still heron41pond", "heron41pond"),
        ("They read me the password slowly: Heron-41-pond", "Heron-41-pond"),
        ("I tried Heron41pond and it let me in", "Heron41pond"),
        ("To decrypt the archive enter Heron41pond", "Heron41pond"),
        ("the camera login is ops/Heron41", "Heron41"),
        ("6093 opens the back gate", "6093"),
        ("tap 6093 into the keypad", "6093"),
        ("We changed the garage to 6093", "6093"),
        ("Gate code 6093, shed 7714", "7714"),
        ("it's 6093#", "6093#"),
        ("密码没换，还是heron41pond", "heron41pond"),
        ("中继用Heron41pond鉴权", "Heron41pond"),
        ("我试着输Heron41pond就进去了", "Heron41pond"),
        ("6093能开后院的门", "6093"),
        ("我把保险柜改成6093了", "6093"),
        ("Kennwort: Heron41pond", "Heron41pond"),
    ],
)
def test_d5_a_secret_is_found_where_it_is_said(text: str, secret: str) -> None:
    assert found(text)[-1].rstrip(".") == secret


@pytest.mark.parametrize(
    "text",
    [
        "The door code has changed three times since 2024.", "the alarm went off at 0620", "error code is 6093",
        "The password is long enough.", "my PIN, the one of 2019, is gone", "the safe weighs 450 kilos",
        "密码是什么？", "密码是必填的", "流量密码是真诚", "密碼係乜嘢嚟㗎", "密码设成8位以上", "门号6093的那户",
        "改用密码登录",
        "To log in use Firefox128", "token = process.env.DEPLOY_TOKEN", "the password is ******** there",
        "the secret runs on k8s-node-3a", "The gate opens at 0930", "密码用bcrypt12轮", "登录用OAuth2.0",
        "the token type is RFC6750", "验证码图片120x40", "We set the alarm to 0630",
        "sshpass -e ssh -p 2222 relay", "docker build --secret id=npmrc,src=.npmrc .", "SECRET_KEY=changeme",
        "mount -o credentials=/root/.smb", "密码不要用Heron41这种",
    ],
)  # fmt: skip
def test_d5_what_is_said_of_a_secret_is_none(text: str) -> None:
    assert found(text) == []


def test_d5_no_statement_gives_a_secret() -> None:
    given = ["用户的wifi密码是小熊", "User's wifi password is bluecheese", "User's PIN is 4471", "門禁碼係2580"]
    kept = ["User's password manager is Keeper", "User forgot the password", "用户选修了密码学", "用户的密码写在本子上"]
    texts = [Candidate.model_construct(text=text, ordinal=n) for n, text in enumerate([*given, *kept])]
    left = without_secrets(Reading(texts, tuple(Dropped.model_construct(candidate=c) for c in texts)))
    assert [c.text for c in left.candidates] == kept
    assert [d.candidate.text for d in left.dropped] == kept


def test_d5_no_statement_of_a_model_holds_what_policy_refuses(models: Models) -> None:
    texts = ["User signs in as ops with Fjord77elk.", "User plays chess.", "用户开门按六零九三"]
    made = [Candidate.model_construct(text=text, field=None, value=None) for text in texts]
    kept = without_refused(made, "acme", models, ProfileBook(load_profile("general")))
    assert [c.text for c in kept] == ["User plays chess."]
