"""What a declaration of an installed package must keep. Each function tells what was expected, None if all is well."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

from schemas.components.builtin import MEMORY
from schemas.components.declared import Declaration, SinkDeclaration, StepDeclaration
from schemas.log.topics import DEAD_LETTERS, Topic

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*")
_GENERATION = re.compile(r"-g\d+$")
_LONGEST = 40
"""As long as `Erasure.stage` takes, which a step fills with its name."""
_TOPIC = re.compile(r"[a-z0-9][a-z0-9.-]{0,199}")
_REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
RESERVED = frozenset(
    ("all", "timer", "jobs", "eraser", "audit", "query", "door", "client", MEMORY, "status", "switch", "drop")
)
"""Names of processes, arguments of commands, and stages of records that are no step's."""


def of_name(name: str, taken: Container[str]) -> str | None:
    """`taken`: the names of this release."""
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        return f"expected a name of [a-z0-9-], each part beginning with a letter, of at most {_LONGEST} characters"
    if name.startswith("sink-") or _GENERATION.search(name):  # consumer groups are named so
        return "expected a name that does not begin with sink- or end with -g and a number"
    if name in taken or name in RESERVED:
        return "expected a name that memstream does not use itself"
    return None


def of_topic(topic: Topic, known: Mapping[str, Topic]) -> str | None:
    """Of a topic that a step brings. `known`: those that there are without it."""
    if not isinstance(topic, Topic) or not _TOPIC.fullmatch(topic.name):
        return "expected a Topic whose name is of [a-z0-9.-]"
    if topic.name in known:
        return "expected a name that no other topic has"
    if topic.root:
        return "expected root=False: freshness tokens name the topics of this release alone"
    return None if topic.owners else "expected the kinds of its owners"


def of_declaration(declaration: Declaration, known: Mapping[str, Topic]) -> str | None:
    """`known`: all topics that there are."""
    if isinstance(declaration, SinkDeclaration):
        unknown = [name for name in declaration.feed.topics if name not in known]
        if unknown or not declaration.feed.topics:
            return f"feed: expected topics that there are, found {', '.join(unknown) or 'none'}"
        references = [declaration.build, *([declaration.contents] if declaration.contents else [])]
    else:
        wrong = _of_step(declaration, known)
        if wrong is not None:
            return wrong
        references = [declaration.build]
    bad = [text for text in references if not _REFERENCE.fullmatch(text)]
    return f"expected module:attribute, found {bad[0]!r}" if bad else None


def _of_step(step: StepDeclaration, known: Mapping[str, Topic]) -> str | None:
    unknown = [t.name for t in (step.reads, *step.writes) if known.get(t.name) != t]
    if unknown:
        return f"reads, writes: expected topics that there are, found {unknown[0]}"
    if DEAD_LETTERS in (step.reads, *step.writes):
        return "reads, writes: expected no dead letters: what a step rejects becomes one by itself"
    if {*step.erasures_to, *step.erasures_everywhere} - set(step.writes):
        return "erasures_to, erasures_everywhere: expected topics that it writes"
    if step.runs_in not in (step.name, MEMORY):
        return f"process: expected {MEMORY} or nothing"
    return None if step.batch > 0 and step.cache_bytes > 0 else "batch, cache_bytes: expected more than 0"
