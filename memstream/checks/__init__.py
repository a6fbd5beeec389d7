"""`memstream check`: every address, version, topic, schema, model and profile, and how to mend each."""

from memstream.checks.result import CheckResult, Status
from memstream.checks.run import CHECKS, run_checks

__all__ = ["CHECKS", "CheckResult", "Status", "run_checks"]
