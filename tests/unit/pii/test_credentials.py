"""D5: secrets of common providers, spoken passwords, and what only looks like one."""

import random
import string

import pytest

from inference.pii.analyzer import RULES as ALL_RULES
from inference.pii.rules import run_rules

RULES = tuple(rule for rule in ALL_RULES if rule.entity == "CREDENTIAL")


def chars(n: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Return n random characters: no secret of anybody, and no scanner is alarmed by this file."""
    rng = random.Random(n)
    return "".join(rng.choice(alphabet) for _ in range(n))


HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits

SECRETS = {
    "openai": "sk-" + "proj-" + chars(48),
    "anthropic": "sk-" + "ant-api03-" + chars(60),
    "aws": "AKIA" + chars(16, UPPER),
    "github": "ghp_" + chars(36),
    "github fine-grained": "github_" + "pat_" + chars(60),
    "gitlab": "glpat-" + chars(20),
    "google": "AIza" + chars(35),
    "slack": "xoxb-" + chars(24, string.digits) + "-" + chars(24),
    "stripe": "sk_" + "live_" + chars(24),
    "hugging face": "hf_" + chars(34),
    "npm": "npm_" + chars(36),
    "pypi": "pypi-" + chars(60),
    "sendgrid": "SG." + chars(22) + "." + chars(43),
    "twilio": "SK" + chars(32, HEX),
    "telegram": "123456789:" + "AA" + chars(33),
    "alibaba": "LTAI" + chars(20),
    "jwt": "eyJ" + chars(20) + ".eyJ" + chars(40) + "." + chars(43),
    "random": chars(40),
}


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("frame", ["use {} please", "密钥{}，别外传", "KEY={}", "({})", "{}"])
def test_d5_keys_of_providers(name: str, frame: str) -> None:
    secret = SECRETS[name]
    text = frame.format(secret)
    covered = {i for span in run_rules(RULES, text) for i in range(span.start, span.end)}
    assert set(range(text.index(secret), text.index(secret) + len(secret))) <= covered


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("my password is Tr0ub4dor&3", "Tr0ub4dor&3"),
        ("password: hunter2", "hunter2"),
        ("Password=correcthorse", "correcthorse"),
        ("my password is sunshine.", "sunshine"),
        ("DB_PASSWORD='s3cr3t!'", "s3cr3t!"),
        ("pin: 4821", "4821"),
        ("部署口令就是Kx9Plm22ab", "Kx9Plm22ab"),
        ("决定把WiFi密码12345678贴在墙上", "12345678"),
        ("我的密码现在就是abc12345", "abc12345"),
        ("token是9f86d081884c7d659a2f", "9f86d081884c7d659a2f"),
        ("We decided the staging password will be Kx9Plm22", "Kx9Plm22"),
        ("pw=Tr0ub4dor&3", "Tr0ub4dor&3"),
        ("my passwords are hunter22 and more", "hunter22"),
        ("use Hunter22x as the wifi password", "Hunter22x"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA=="),
        ("curl -u admin:s3cr3tpw https://example.com", "s3cr3tpw"),
        ("password: correct horse battery staple", "correct horse battery staple"),
        ("client_secret = correcthorse", "correcthorse"),
        ("wifi pwd abc12345 ok", "abc12345"),
        ("wifi密码 88888888", "88888888"),
        ("the api key is 9f8a7b6c5d", "9f8a7b6c5d"),
        ("密码是abc12345，帮我登录", "abc12345"),
        ("密码：hunter2", "hunter2"),
        ("支付密码改成889900了", "889900"),
        ("验证码是 482913", "482913"),
        ("postgresql://app:s3cret@db.internal:5432/x", "s3cret"),
        ("redis://:p%40ss@10.0.0.1/0", "p%40ss"),
        ("Authorization: Bearer abcdef0123456789ABCDEF", "abcdef0123456789ABCDEF"),
    ],
)
def test_d5_stated_secrets(text: str, value: str) -> None:
    covered = {i for span in run_rules(RULES, text) for i in range(span.start, span.end)}
    assert set(range(text.index(value), text.index(value) + len(value))) <= covered


def test_d5_private_keys_whole_or_cut_off() -> None:
    block = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIE+/=\n-----END RSA PRIVATE KEY-----"
    for text in (f"here: {block} ok", f"here: {block[:60]}"):
        (span,) = run_rules(RULES, text)
        assert span.start == 6
        assert span.end >= min(len(text), 6 + len(block))


@pytest.mark.parametrize(
    "text",
    [
        "The password is wrong again.",
        "I forgot my password",
        "your password is case sensitive",
        "password reset and token refresh",
        "我忘记密码了",
        "密码是多少？",
        "密码错误，请重试",
        "https://example.com/blog/how-to-store-a-password",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "supercalifragilisticexpialidocious",
        "TheQuickBrownFoxJumpsOverTheLazyDog2024",
        "src/main/java/com/example/Application2",
        "tokens: none",
        "token: 2000",
        "the secret: patience and time",
        "max_tokens: 4096",
        "The token is 5 dollars",
        "The token is expired",
        "I typed the password 2 times",
        "The pin is on the map",
        "sk-learn and ghp are words",
    ],
)
def test_talk_about_secrets_is_none(text: str) -> None:
    assert run_rules(RULES, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "密码2024年过期", "密码8位以上", "token是什么", "密码是必填的", "the password's too short",
        "I forgot my password's hint", "the password will be changed soon", "passwords are stored hashed",
        "set it as the password", "Basic authorization is disabled", "curl -u is an option",
        "the pwm signal is 128Hz", "我们用token做鉴权",
    ],
)  # fmt: skip
def test_d5_talk_about_secrets_is_none(text: str) -> None:
    assert list(run_rules(RULES, text)) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("PIN code of my card is 7391.", "7391"),
        ("password for svc is 'Plover Quill 31'", "Plover Quill 31"),
        ("The root password on db1 is Kestrel#2031", "Kestrel#2031"),
        ("I changed my password to Kestrel#2031", "Kestrel#2031"),
        ("Reset the password from Abc12345 to Kestrel#2031", "Abc12345"),
        ("Larkspur99z is my password", "Larkspur99z"),
        ("密码我改成了Kestrel#2031", "Kestrel#2031"),
        ("密码用户改成了Kestrel#2031", "Kestrel#2031"),
        ("我把密码换成Kestrel2031了", "Kestrel2031"),
        ("数据库密码设置成Kestrel#2031", "Kestrel#2031"),
        ("银行卡密码7391", "7391"),
        ("Kestrel#2031是我的密码", "Kestrel#2031"),
    ],
)
def test_d5_a_secret_said_as_people_say_it(text: str, value: str) -> None:
    covered = {i for span in run_rules(RULES, text) for i in range(span.start, span.end)}
    assert set(range(text.index(value), text.index(value) + len(value))) <= covered


@pytest.mark.parametrize(
    "text",
    [
        "I changed my password to something longer.",
        "The password of the lab is known to 12 people.",
        "Change the password to at least 12 characters.",
        "The boarding pass for flight LH123 is 45 euros.",
        "密码用8位以上",
        "密码2024年改过",
        "2031是最后一位使用密码的用户",
    ],
)
def test_d5_what_is_said_of_a_password_is_none(text: str) -> None:
    assert run_rules(RULES, text) == []
