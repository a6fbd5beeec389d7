"""The groups of `make verify`: each test has one home among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from tests.runner import quarantine

INTEGRATION = "tests/integration"
SCENARIOS = f"{INTEGRATION}/scenarios"


class Collected(BaseModel):
    """A test that pytest has found."""

    model_config = ConfigDict(frozen=True)

    id: str
    marks: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """What is run, shown and kept under one name."""

    name: str
    paths: tuple[str, ...] = ()
    """Files, folders and tests that pytest is given. A test's home is the group that names it most precisely."""
    mark: str = ""
    """Only those of the paths that have this marker; they are no other group's then."""
    unless: str = ""
    """Not those that have this marker."""
    commands: tuple[tuple[str, ...], ...] = ()
    """Programs in place of pytest, `python` being that of the tests: one behind the other, each counted as a test."""
    module: str = ""
    """The group is absent where there is no such module."""
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    alone: bool = False
    """Nothing else runs beside it: it computes on all cores, or it is about latencies."""
    again: bool = False
    """Its tests have another home and are run in another way here."""
    long: bool = False
    """Part of `make verify-long` alone."""
    limit: int = 1200
    """Seconds until it is ended."""


def _files(*names: str) -> tuple[str, ...]:
    return tuple(f"{INTEGRATION}/{name}.py" for name in names)


LINT = Group("lint", commands=(("ruff", "check", "."), ("mypy",), ("lint-imports",)))
_LENIENT = ("-W", "default::ResourceWarning", "-W", "default::pytest.PytestUnraisableExceptionWarning")
"""What the collector finds is raised in whichever test it runs in: shown here, `make verify` is strict about it."""
SMOKE = Group(
    "smoke", ("@tests/smoke.txt",), again=True,
    options=("-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder", *_LENIENT),
)  # fmt: skip
SMOKE_AGAIN = Group("smoke", again=True, options=("-p", "no:cacheprovider", *_LENIENT))
"""The second try of some of them, in one process."""
GATE_UNIT = Group(
    "unit", ("tests/unit", "tests/simulation"), again=True, options=("-n", "auto", "-m", "not slow"),
    environment={"HYPOTHESIS_PROFILE": "gate"},
)  # fmt: skip
"""As `make test` runs the unit tests: properties with few examples, and none that takes seconds."""
_ON_ALL_CORES = ("-n", "auto")
_CRASH_ROUNDS = (
    "python", "-m", "tests.crash", "--rounds", "20", "--turns", "20000", "--report", ".verify/crash-report.json",
)  # fmt: skip
GROUPS = (
    LINT,
    Group("unit", ("tests/unit",), options=_ON_ALL_CORES),
    Group("simulation", ("tests/simulation",), options=_ON_ALL_CORES),
    Group("hypothesis", ("tests/unit",), mark="hypothesis", options=_ON_ALL_CORES),
    Group("slow", ("tests/unit",), mark="slow", unless="hypothesis", options=_ON_ALL_CORES),
    Group("browser", ("tests/unit/ops/test_browser.py",), mark="slow"),
    # Those that take longest come first, so that both lanes end together.
    Group("rebuild", _files("test_rebuild")),
    Group("sealed", (f"{INTEGRATION}/sealed",)),
    Group("scenarios", (SCENARIOS,)),
    Group("crash", ("tests/crash",)),
    Group("query", _files(
        "test_query_context", "test_query_habits_reports", "test_query_intents", "test_query_ops", "test_query_pages",
        "test_query_reads", "test_query_router", "test_query_search", "test_query_writes", "test_access_log",
        "test_keyring", "test_sealed_places",
    )),
    Group("sinks", _files(
        "test_sinks_postgres", "test_sinks_redis", "test_sinks_milvus", "test_sinks_worker",
        "test_upgrade", "test_upgrade_running", "test_backup",
    )),
    Group("faults", _files("test_faults", "test_sinks_outage")),
    Group("clients", (f"{SCENARIOS}/clients",)),
    Group("servers", _files(
        "test_stack", "test_state_away", "test_state_postgres", "test_suspects_postgres",
        "test_erasure_ports", "test_recovery",
        "test_log_contract",
    )),
    Group("model-work", _files("test_model_work")),
    Group("tenants", _files("test_tenants", "test_tenants_agents", "test_tenants_writing")),
    Group("model", ("tests/model",)),
    Group("power-cut", _files("test_power_cut")),
    Group("encrypted", _files("test_encrypted_connections")),
    Group("up", _files("test_up")),
    Group("quarantine", ("tests/integration",)),
    Group(
        "calendar", commands=(("python", "-m", "tests.calendar_days"),), module="tests.calendar_days", alone=True,
        limit=12_000,  # each day has a deadline of its own, and these come first
    ),
    Group(
        "defaults", again=True, alone=True, environment={"TEST_SHIPPED_LIMITS": "1"},
        paths=(
            f"{SCENARIOS}/test_gates.py::test_b8_b1_b2_b3_b9_the_first_scenario",
            f"{SCENARIOS}/clients/test_quickstart.py",
            f"{SCENARIOS}/test_patient.py",
        ),
    ),
    Group("transformers", ("tests/transformers",), module="transformers", long=True),
    Group("crash-rounds", commands=(_CRASH_ROUNDS,), long=True, alone=True, limit=8 * 3600),
)  # fmt: skip
"""In the order in which they begin."""
BY_NAME = {group.name: group for group in GROUPS}


def homes(test: Collected) -> list[str]:
    """The groups that name the test most precisely: one, where the table is right."""
    if test.id in quarantine.ids():
        return ["quarantine"]
    claims = [
        (len(path), bool(group.mark), group.name)
        for group in GROUPS
        if not group.again and group.name != "quarantine"
        if (not group.mark or group.mark in test.marks) and (not group.unless or group.unless not in test.marks)
        for path in group.paths
        if _within(test.id, path)
    ]
    best = max(((length, marked) for length, marked, _ in claims), default=None)
    return [name for length, marked, name in claims if (length, marked) == best]


def home(test: Collected) -> str:
    """The first of them; empty where there is none."""
    return next(iter(homes(test)), "")


def _within(test: str, path: str) -> bool:
    return test == path or test.startswith((f"{path}/", f"{path}::", f"{path}["))
