"""Steps and sinks of installed packages: what they declare is right, and what they are built by can be imported."""

from __future__ import annotations

from collections.abc import Iterator

from memstream.checks.result import CheckResult, Status
from memstream.settings import Settings
from schemas.components.installed import STEPS, ComponentError, components


def components_(settings: Settings) -> Iterator[CheckResult]:
    """A line for each; none where no package brings any."""
    try:
        found = components()
    except ComponentError as exc:
        yield CheckResult("components", Status.FAIL, str(exc), "mend the package, or remove it")
        return
    for (group, name), origin in found.origins.items():
        declared = found.steps[name] if group == STEPS else found.sinks[name]
        try:
            found.loaded(declared, declared.build)
        except ComponentError as exc:
            yield CheckResult(f"component {name}", Status.FAIL, str(exc), "mend the package, or remove it")
        else:
            yield CheckResult(f"component {name}", Status.OK, origin)
