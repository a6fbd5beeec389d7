"""A profile that cannot be used: the message names the file, the key and what is allowed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.profile.model import PROFILES_DIR, ProfileError, load_profile, parse_profile


def text_of(name: str) -> str:
    return (PROFILES_DIR / f"{name}.toml").read_text(encoding="utf-8")


GENERAL = text_of("general")
SECTIONS = ("user_profile", "anchors", "conversation_history", "retrieved_memories")
HEALTH, STUDY, TEAM = "health", "clinical_trial", "engineering"


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


def refused(text: str) -> str:
    with pytest.raises(ProfileError) as error:
        parse_profile(text, "mine.toml")
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"colour = 1\n{GENERAL}", ["mine.toml: colour: no such key", "time_zone"]),
        (GENERAL.replace("[[fields]]\n", "[[fields]]\ncolour = 1\n", 1), ["fields.name.colour: no such key", "alia"]),
        (f'time_zone = "Mars/Base"\n{GENERAL}', ["mine.toml: time_zone: expected an IANA time zone"]),
        ("[pii", ["mine.toml: not TOML"]),
        (
            f'{GENERAL}\n[[projects]]\nid = "trial-7"\ntime_zone = "Mars/Base"\n',
            ["mine.toml: projects.trial-7.time_zone: expected an IANA time zone such as Europe/London"],
        ),
        (
            f'{GENERAL}\n[[projects]]\nid = "trial-7"\n',
            ["mine.toml: projects.trial-7.aliases: must have at least one entry where there is no time_zone"],
        ),
        *(
            (f"{GENERAL}\n[context]\nsections = {sections}\n", [f"mine.toml: context.sections{entry}", *SECTIONS])
            for sections, entry in [
                ('["user_profile", "history"]', ".1: must be one of"),
                ('["anchors", "user_profile", "anchors"]', ": named twice: anchors; allowed"),
                ('["anchors", "retrieved_memories"]', ": must hold user_profile, where hot memory"),
                ("[]", ": must hold user_profile, where hot memory"),
            ]
        ),
        (f"{GENERAL}\n[context]\norder = []\n", ["context.order: no such key; allowed: sections"]),
        (
            f'{GENERAL}\n[[projects]]\nid = "trial-7"\nzone = "UTC"\n',
            ["mine.toml: projects.trial-7.zone: no such key; allowed: aliases, id, time_zone"],
        ),
    ],
)
def test_the_message_names_file_key_and_what_is_allowed(text: str, expected: list[str]) -> None:
    message = refused(text)
    assert all(part in message for part in expected), message


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        (HEALTH, 'slot = "age"', 'slot = "agee"', ["fields.age.slot: must be one of age, allergy", "favourite "]),
        (HEALTH, 'path = "basic.age"', 'path = "basics.age"', ["fields.age.path: must be", "basic, history, symptoms"]),
        (HEALTH, 'baseline = "baseline_bp_systolic"', 'baseline = "bp"', ["fields.bp_systolic.reading.baseline: must"]),
        (HEALTH, 'key = "department"', 'key = "departmnt"', ["said.departmnt: must be habits.action or"]),
        (HEALTH, 'value = "by_date"', "", ["habits.said.query_style.patterns: without a value each needs one group"]),
        (TEAM, 'name = "instructions"', 'name = "language_preference"', ["session.anchors: named twice: langu"]),
        (TEAM, 'by_project = "project_roles"', 'by_project = "r"\nmany = true', ["project_role.by_project: of a f"]),
        (TEAM, '(?P<value>JST|', '(?:JST|', ["fields.timezone.asked: only of a preference"]),
        (TEAM, '(?P<value>(?:不要', '(?:(?:不要', ["session.anchors.instructions.patterns: each needs one group"]),
        (HEALTH, 'path = "basic.age"', 'path = "basic"', ["fields.age.path: must be GROUP.FIELD"]),
        (HEALTH, 'path = "basic.gender"', 'path = "basic.age"', ["fields.gender.path: basic.age", "of fields.age"]),
        (STUDY, 'kinds = ["chunk"]', 'kinds = ["chunks"]', ["intents.PROTOCOL_QA.kinds.0: must be one", "'chunk'"]),
        (STUDY, '["enrolled_count", "', '["enroled", "', ["hot_keys.progress.ratio_of: must be two of", "enrolled_co"]),
        (STUDY, '"enrolled_count", "enrollment_target"]', '"enrolled_count"]', ["progress.ratio_of: must be two of"]),
        (STUDY, r"(?P<value>\d", r"(?P<count>\d", ["hot_keys.enrollment_target.patterns: each needs one group"]),
        (STUDY, r"one|another) of (?:our", r"one|another) of (?P<whose>our", ["patterns: with 'each' none"]),
        (STUDY, "feedback = 730", "feedbck = 730", ["retention.classes.feedbck: must be", "feedback", "task_state"]),
        (STUDY, "feedback = 730", "feedback = -1", ["retention.classes.feedback: must be above 0"]),
        (STUDY, "feedback = 730", "feedback = 1e9", ["retention.classes.feedback: must be at most 36500"]),
        (HEALTH, 'feedback = "delete"', 'feedbck = "delete"', ["on_expiry.feedbck: must be one of retention.classes"]),
        (STUDY, "feedback = 730", "report = 10", ["classes.report: must be a namespace or a user's kind: episode, fa"]),
        (STUDY, "feedback = 730", "hot = 10", ["retention.classes.hot: must be a namespace or a user's kind"]),
        (STUDY, "budget_tokens = 2000", 'budget_tokens = "x"', ["mine.toml: budget_tokens: must be a whole number"]),
        (STUDY, 'groups = ["basic", ', 'groups = "x" # [', ["groups: must be a list"]),
        (STUDY, 'name = "site"\n', "", ["fields.2.name: is required"]),
        (STUDY, 'slot = "employer"', "slot = 1", ["fields.site.slot: must be a text"]),
        (HEALTH, 'type = "integer"', 'type = "int"', ["fields.age.type: must be one of 'string'"]),
        (HEALTH, "[lexicon.condition]", "[label]\n[lexicon.condition]", ["label: no such key", "lexicon"]),
        (STUDY, 'key = "principal_investigator"', 'key = "project_name"', ["hot_keys: named twice: meta/project_name"]),
        (STUDY, 'name = "safety"', 'name = "enrolment"', ["categories: named twice: enrolment"]),
        (STUDY, "'according to the protocol'", "'.{0,99}.{0,99}x'", ["intents.PROTOCOL_QA.patterns.2: a text may mat"]),
        (STUDY, 'name = "PROTOCOL_QA"', 'name = "QC_TASK"', ["intents: named twice: QC_TASK"]),
        (STUDY, "[retention]", '[pii]\nPERSON = "hide"\n[retention]', ["pii.PERSON: must be one of 'allow', 'mask'"]),
        (STUDY, "[retention]", '[pii]\nCREDENTIAL = "allow"\n[retention]', ["pii.CREDENTIAL: must be one of mask"]),
        (STUDY, "[retention]", '[pii]\nPERSN = "mask"\n[retention]', ["pii.PERSN: no such entity", "NRP, ORGANIZ"]),
        (HEALTH, "[lexicon.condition]", "[lexicon.conditon]", ["lexicon.conditon: no such slot", "condition"]),
        (HEALTH, 'name = "session_id"', 'name = "tenant"', ["diagnosis_records.columns.tenant: every table has it"]),
        (HEALTH, 'name = "department"\ntype', 'name = "symptoms"\ntype', ["_records.columns: named twice: symptoms"]),
        (HEALTH, 'good = "helpful"', 'good = "fine"', ["diagnosis_records.cases.ratings: 'fine'", "not_helpful"]),
        (HEALTH, 'table_columns = ["age"', 'table_columns = ["agee"', ["table_columns: no column 'agee'", "allergies"]),
        (HEALTH, 'name = "diagnosis_records"', 'name = "user_preferences"', ["is taken by a view of the engine"]),
        (TEAM, 'aliases = ["苍穹", "苍穹项目", "Cangqiong"]', "aliases = []", ["_cangqiong.aliases: must have"]),
    ],
)
def test_what_names_nothing_that_there_is_is_refused(name: str, old: str, new: str, expected: list[str]) -> None:
    """Each would otherwise be passed over in silence, or stop a step when the first record meets it."""
    message = refused(changed(text_of(name), old, new))
    assert message.startswith("mine.toml: ")
    assert all(part in message for part in expected), message


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ProfileError, match=r"mine\.toml: not UTF-8 \(byte 0\)"):
        load_profile("mine", tmp_path)
