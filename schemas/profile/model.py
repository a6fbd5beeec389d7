"""The profile: one domain as data (`profiles/*.toml`). No domain word stands in code."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, Field, ValidationError, ValidationInfo, model_validator

from schemas.base import CleanText, Frozen, Id, UnitFloat
from schemas.events.memory import CandidateKind
from schemas.profile import messages
from schemas.profile.checks import check, check_names
from schemas.profile.patterns import AskedPattern, Pattern
from schemas.profile.pii_policy import EntityName, PiiAction
from schemas.profile.wording import PARTS, WORDINGS_FROM, Wording, with_wordings

PROFILES_DIR = Path(__file__).resolve().parents[2] / "profiles"


class ProfileError(ValueError):
    """A profile that cannot be used; the message names file, key and what is allowed."""


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError("expected an IANA time zone such as Europe/London or Asia/Shanghai") from None
    return name


TimeZone = Annotated[str, AfterValidator(_zone)]
Days = Annotated[float, Field(gt=0, le=36_500)]
SearchKind = Literal["turn", "fact", "preference", "intent", "episode", "report", "chunk", "item", "pattern"]
"""What a search may ask for."""
PromptSection = Literal["user_profile", "anchors", "conversation_history", "retrieved_memories"]


class MeasureSpec(Frozen):
    """What a field's values are compared with, each of them a reading of its time (C6)."""

    baseline: Id | None = None
    """Field that holds what is usual for the user, as it was stated."""
    within: float = Field(ge=0)
    """How far from it, in the field's unit, a reading is still as usual."""


class FieldSpec(Frozen):
    """One field of the catalogue (B6): what it is called in extraction, where it stands in the profile, its type
    and the values it may take."""

    name: Id
    """Extraction name, e.g. currentJobTitle."""
    path: Id | None = None
    """group.field in the structured profile; None: not shown there."""
    type: Literal["string", "integer", "number", "boolean", "money", "list"] = "string"
    kind: Literal["fact", "preference", "intent"] = "fact"
    slot: Id | None = None
    """Generic slot of the rule extractor that fills it (age, occupation, employer, residence, ...)."""
    values: tuple[CleanText, ...] = ()
    """Allowed values; empty: any."""
    aliases: dict[CleanText, tuple[CleanText, ...]] = Field(default_factory=dict)
    """Canonical value -> other ways to say it."""
    patterns: tuple[Pattern, ...] = ()
    """Own rules of the profile: a regular expression whose group `value` (else the canonical value given by
    `aliases`) fills the field."""
    asked: tuple[Pattern, ...] = ()
    """Of a preference: how it is asked for, in requests too ("please use Tokyo time"). Looked for in a whole sentence
    that is no question; each has a group `value`."""
    cues: tuple[CleanText, ...] = ()
    """English words by which a clause or a question means it, beside its label (docs/profiles.md)."""
    takes: Literal["time", "time_zone", "support"] | None = None
    """What its values are, where neither type nor slot says so: when something is planned, a time zone, whether the
    speaker's people support it."""
    by_project: Id | None = None
    """A value for each project: said where one is meant, it holds there beside those of the others, and a prompt and
    the structured profile show them together (`{project: value}`), the prompt under this name."""
    label: dict[Literal["en", "zh"], CleanText] = Field(default_factory=dict)
    """How a statement names the field."""
    unit: CleanText | None = None
    weight: float = Field(default=1.0, ge=0)
    sensitive: bool = False
    many: bool = False
    """Several values stand beside each other instead of replacing each other."""
    spells: bool = False
    """Its values come and go: one that is told to have begun since it was last said is another one."""
    reading: MeasureSpec | None = None
    """Its values are readings: the same value at another time is another one, and each is judged."""


class Category(Frozen):
    name: Id
    aliases: tuple[CleanText, ...] = ()


class HotKey(Frozen):
    """A key of hot memory and the ways it is named in text (A4: keys are normalised to this list)."""

    key: Id
    type: Literal["meta", "status", "decision", "preference"]
    aliases: tuple[CleanText, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    """Other ways to state its number: a regular expression whose group `value` is it. With `each`: what is said of one
    of them, without a group."""
    takes: Pattern | None = None
    """What its value looks like where it is a text; what else is said of it is no value."""
    priority: int = Field(default=0, ge=0, le=10)
    ratio_of: tuple[Id, ...] = Field(default=(), max_length=2)
    """Two keys whose share, in percent, is this one's value; updated daily (A4)."""
    each: Pattern | None = None
    """Of a status: several stand beside each other, one a value of the group `which` that is found in what is said;
    their key is `KEY:WHICH`, and their value the statement."""


class Intent(Frozen):
    """What a query wants and which memories answer it (A8, D10)."""

    name: Id
    keywords: tuple[CleanText, ...] = ()
    patterns: tuple[AskedPattern, ...] = ()
    examples: tuple[CleanText, ...] = ()
    kinds: tuple[SearchKind, ...] = ()
    """Memories to search; empty: all."""
    reports: int = Field(default=0, ge=0)
    history_turns: int = Field(default=0, ge=0)
    report_similarity: UnitFloat = 0.3
    state: bool = False
    """Adds the state kept for the query's record."""
    knowledge: int = Field(default=0, ge=0)
    table: Id | None = None
    """A structured table of one row a user, shown with the profile: `table_columns`, "unknown" where nothing is known
    (C11)."""
    table_columns: tuple[Id, ...] = ()
    habits: tuple[Id, ...] = Field(default=(), max_length=12)
    """Habits of the user that a prompt for it shows: actions (their usual time), keys of `habits.usual`, and
    `phrase/ACTION`."""
    budget_tokens: int | None = Field(default=None, ge=1)


class ProjectSpec(Frozen):
    """What the profile says of one project; of others nothing has to be said."""

    id: Id
    aliases: tuple[CleanText, ...] = ()
    """Names by which texts and queries mean it."""
    time_zone: TimeZone | None = None
    """Of its weeks and days (A6); None: the profile's."""


class AnchorSpec(Frozen):
    """A session-level instruction that users state in their turns (D6, D17)."""

    name: Id
    patterns: tuple[Pattern, ...] = Field(min_length=1)
    """Each with a group `value`, looked for in the sentences of a user's turn."""
    unless: tuple[Pattern, ...] = ()
    """A sentence in which one of these is found gives none."""
    aliases: dict[CleanText, tuple[CleanText, ...]] = Field(default_factory=dict)
    """Canonical value -> other ways to say it."""
    many: bool = False
    """The newest five stand beside each other; without it the newest alone."""


class SessionSpec(Frozen):
    """Working memory (D6, E1, E2)."""

    idle_minutes: float = Field(default=30, gt=0, le=43_200)
    window_messages: int = Field(default=20, ge=2, le=200)
    recent_turns: int = Field(default=8, ge=1, le=100)
    token_threshold_ratio: float = Field(default=0.75, gt=0, le=1)
    model_context_window: int = Field(default=16_000, ge=100)
    user_snapshot: dict[Id, tuple[Id, ...]] = Field(default_factory=dict)
    """Key of a session's user snapshot -> catalogue fields that fill it where no caller wrote it (E1)."""
    anchors: tuple[AnchorSpec, ...] = Field(default=(), max_length=20)


class RetentionSpec(Frozen):
    """Days after accepted_at; None: until the account goes (C8)."""

    turns_days: Days = 30
    aggregates_days: Days = 60
    classes: dict[str, Days] = Field(default_factory=dict)
    """Memory kind or namespace -> days."""
    on_expiry: dict[str, Literal["delete", "archive"]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _feedback_is_deleted(self) -> RetentionSpec:
        if self.on_expiry.get("feedback") == "archive":
            raise ValueError("on_expiry.feedback: expected delete: its text is kept in the view alone")
        return self


class ReadingSpec(Frozen):
    """What a reading has to be (docs/extraction.md): the calibrated probability that a statement without a value is to
    be kept."""

    kept: UnitFloat = 0.1
    """From it on a statement stands, where its confidence allows it; below, it is observed until it is said again."""
    taken_back: UnitFloat = 1.0
    """From it on what the reader dropped is decided all the same; 1: nothing is."""


class BoundsSpec(Frozen):
    """What a user may have at most (docs/state-bounds.md says what happens at each)."""

    memories: int = Field(default=20_000, ge=1, le=200_000)
    """Facts, preferences, intents, episodes and relations that stand."""
    items: int = Field(default=10_000, ge=1, le=100_000)
    """Store items, rows of structured tables aside."""


class HabitStatement(Frozen):
    """What plain words say of a habit, where the turn's metadata does not (C5). Looked for in each sentence of a
    user's turn; the first statement of a key that is found counts."""

    key: Id
    """The action's key, one of `usual`, or one of `times`: then the patterns have a group `hour`, and may have `minute`
    and `pm` (found: the hour is of the afternoon), or groups `morning`, `afternoon`, `evening`: the part of the day
    that is named where the hour is not."""
    value: CleanText | None = Field(default=None, max_length=100)
    """What the patterns mean; None: what their group `value` matches."""
    patterns: tuple[AskedPattern, ...] = Field(min_length=1)
    unless: tuple[AskedPattern, ...] = ()
    """A sentence in which one of these is found says nothing of it: a denial, a question, somebody else's."""
    aliases: dict[CleanText, tuple[CleanText, ...]] = Field(default_factory=dict)
    """Canonical value -> other ways to say it."""
    is_name: bool = False
    """The value is a name: "dr zhang" and "Dr Zhang" are one."""
    of: tuple[Id, ...] = ()
    """Actions with which it counts: in their own turn, and in the answer to a question about it. Empty: in any turn."""


class HabitSpec(Frozen):
    """What habits are mined from (C5): keys of a turn's metadata, and what its plain words say of them."""

    action: Id = "action"
    """Key of what the user does; the turn's intent where it is absent."""
    usual: tuple[Id, ...] = Field(default=(), max_length=12)
    """Keys whose usual value is learned."""
    times: tuple[Id, ...] = Field(default=(), max_length=4)
    """Keys that hold a time (RFC 3339) whose usual time of day is learned."""
    zone: Id = "time_zone"
    """Key of the user's time zone (IANA); the profile's until a turn names one."""
    zone_preferences: tuple[Id, ...] = ("timezone", "time_zone")
    """Preferences, and keys of store items, that hold the user's zone."""
    phrases: bool = False
    """Learn how the user words an action."""
    active_hours: bool = False
    labels: dict[Id, dict[Literal["en", "zh"], CleanText]] = Field(default_factory=dict)
    """How a text names an action, a key or a value."""
    said: tuple[HabitStatement, ...] = Field(default=(), max_length=60)


class StorageSpec(Frozen):
    """What the stores may read where encryption is on (C7)."""

    seal: Literal["all", "sensitive", "none"] = "all"
    """Text that stands sealed in Postgres, Milvus and Redis. `sensitive`: all but values of catalogue fields, and rows
    of tables, that are not marked sensitive; those can be searched by words in Milvus and read by SQL."""


class ContextSpec(Frozen):
    """The prompt of a context (D15)."""

    sections: tuple[PromptSection, ...] = get_args(PromptSection)
    """In the order in which they are printed; what is not named is not in the prompt. Which fills the budget first is
    D15's order, whatever is printed first."""


class RankingSpec(Frozen):
    decay_per_day: float = Field(default=0.01, ge=0)
    relevance_weight: UnitFloat = 0.6
    """Weight of relevance against importance in load-context (B5)."""
    latency_budget_ms: int = Field(default=400, ge=1)


SqlName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,55}$")]
"""A table, column or index as Postgres takes it without quotes."""


class TableColumn(Frozen):
    name: SqlName
    type: Literal["integer", "number", "string", "boolean", "json", "timestamp"]
    sensitive: bool = False
    values: dict[CleanText, tuple[CleanText, ...]] = Field(default_factory=dict)
    """Allowed value -> other ways to say it; empty: any."""
    fields: tuple[Id, ...] = ()
    """Catalogue fields whose standing value, said in conversation, fills the column."""


class CaseSpec(Frozen):
    """What feedback does to a row, and which rows are good examples (C6)."""

    rating: SqlName | None = None
    """Column that takes `ratings[good|neutral|bad]`."""
    ratings: dict[Literal["good", "neutral", "bad"], CleanText] = Field(default_factory=dict)
    comment: SqlName | None = None
    adopted: SqlName | None = None
    outcome: SqlName | None = None
    good_outcomes: tuple[CleanText, ...] = ()
    bad_outcomes: tuple[CleanText, ...] = ()


class TableSpec(Frozen):
    """A structured table of the domain (C2): one row a user (`unique`) or many. `key`: of the store item; of a table
    of many rows it holds `{id}`. `user_id`, `created_at` and `updated_at` are every table's."""

    name: SqlName
    namespace: Id
    key: CleanText
    unique: bool
    columns: tuple[TableColumn, ...]
    key_aliases: tuple[CleanText, ...] = ()
    indexes: dict[SqlName, tuple[SqlName, ...]] = Field(default_factory=dict)
    store_columns: tuple[SqlName, ...] = ()
    """Columns that the namespaced store shows; empty: all (C3)."""
    store_names: dict[SqlName, CleanText] = Field(default_factory=dict)
    """Column -> what the store calls it."""
    search_columns: tuple[SqlName, ...] = ()
    """Columns by which similar rows are found (C6)."""
    cases: CaseSpec = CaseSpec()
    max_rows: int = Field(default=1_000, ge=1, le=10_000)
    """Of one user; beyond them a new row is refused."""


IN_FORCE = {"in": "force"}
"""Context of the validation of a profile that was accepted before, by an older version perhaps: a table whose name the
engine has taken since is left out by the sink, and all the rest stays in force."""


def _default_importance() -> dict[CandidateKind, float]:
    return {"fact": 0.7, "preference": 0.6, "intent": 0.8, "episode": 0.5, "relation": 0.5}


class Profile(Frozen):
    """A domain. Checked on load; the ledger names the version that decided."""

    name: Id
    version: int = Field(ge=1)
    description: CleanText = ""
    time_zone: TimeZone = "UTC"
    encoding: Literal["cl100k_base", "o200k_base"] = "o200k_base"
    groups: tuple[Id, ...] = ()
    fields: tuple[FieldSpec, ...] = ()
    categories: tuple[Category, ...] = ()
    hot_keys: tuple[HotKey, ...] = ()
    intents: tuple[Intent, ...] = ()
    projects: tuple[ProjectSpec, ...] = ()
    namespaces: tuple[Id, ...] = ("memories",)
    tables: tuple[TableSpec, ...] = ()
    importance: dict[CandidateKind, UnitFloat] = Field(default_factory=_default_importance)
    """Importance by kind (B1, D7): 0 to 1, shown times 100."""
    budget_tokens: int = Field(default=6_000, ge=1)
    session: SessionSpec = SessionSpec()
    retention: RetentionSpec = RetentionSpec()
    reading: ReadingSpec = ReadingSpec()
    bounds: BoundsSpec = BoundsSpec()
    ranking: RankingSpec = RankingSpec()
    context: ContextSpec = ContextSpec()
    storage: StorageSpec = StorageSpec()
    habits: HabitSpec = HabitSpec()
    pii: dict[EntityName, PiiAction] = Field(default_factory=dict)
    """Entity -> action, over the default policy (`schemas.profile.pii_policy`)."""
    lexicon: dict[CleanText, dict[CleanText, CleanText]] = Field(default_factory=dict)
    """Free tables of the extractor: short form -> canonical form, per slot."""
    wordings: tuple[Wording, ...] = ()
    """What people of the domain say of themselves beyond general talk; the first that fills a slot of a clause does."""

    @model_validator(mode="after")
    def _consistent(self, info: ValidationInfo) -> Profile:
        if info.context is not IN_FORCE:
            check_names(self.tables)
        check(self)
        return self

    def field(self, name: str) -> FieldSpec | None:
        return next((f for f in self.fields if f.name == name), None)

    def zone_of(self, project_id: str | None) -> str:
        """The time zone of a project's weeks and days; of no project, or one without its own, the profile's."""
        own = next((p.time_zone for p in self.projects if p.id == project_id), None)
        return own or self.time_zone


def parse_profile(text: str, source: str, directory: Path = PROFILES_DIR) -> Profile:
    """`directory`: of the profiles that `wordings_from` names, before the shipped ones. Raises ProfileError naming
    `source`, the key and what is allowed."""
    try:
        raw = whole(tomllib.loads(text), f"{source}: ", directory)
    except tomllib.TOMLDecodeError as exc:
        raise ProfileError(f"{source}: not TOML: {exc}") from None
    try:
        return Profile.model_validate(raw)
    except ValidationError as exc:
        first = exc.errors(include_input=False, include_url=False)[0]
        where = messages.place(raw, first["loc"])
        if first["type"] == "extra_forbidden":
            raise ProfileError(f"{source}: {where}: no such key; allowed: {_allowed(first['loc'])}") from None
        message = messages.message_of(first)  # one that begins with its key has no place
        raise ProfileError(f"{source}: {where}: {message}" if where else f"{source}: {message}") from None


def whole(raw: dict[str, Any], where: str = "profile.", directory: Path = PROFILES_DIR) -> dict[str, Any]:
    """What a file or request says, with the wordings that it takes from other profiles. Raises ProfileError naming the
    key after `where`."""
    try:
        return with_wordings(raw, (PROFILES_DIR, directory))
    except ValueError as exc:
        raise ProfileError(f"{where}{exc}") from None


def _allowed(place: tuple[int | str, ...]) -> str:
    """The keys of the table that an unknown key stands in."""
    model: type[BaseModel] = Profile
    for part in place[:-1]:
        field = model.model_fields.get(str(part))
        if field is not None:
            model = next(_models(field.annotation), model)
    names = {f.alias or name for name, f in model.model_fields.items()}
    return ", ".join(sorted(names | {PARTS, WORDINGS_FROM} if model is Profile else names))


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def load_profile(name: str, directory: Path = PROFILES_DIR) -> Profile:
    """Load `directory/name.toml`. Raises ProfileError; an unknown name lists those that exist."""
    path = directory / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in directory.glob("*.toml"))) or "none"
        raise ProfileError(f"no profile {name!r} in the profile folder (there are: {known})")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as exc:
        raise ProfileError(f"{path.name}: not UTF-8 (byte {exc.start})") from None
    profile = parse_profile(text, path.name, directory)
    if profile.name != name:
        raise ProfileError(f"{path.name}: name: must be {name!r}, the file's name")
    return profile
