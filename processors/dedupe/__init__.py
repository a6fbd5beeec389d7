"""Near-duplicate episodes of one owner within 7 days (D3)."""

from processors.dedupe.calibration import CALIBRATIONS, Calibration, calibration_for
from processors.dedupe.compare import Verdict, compare
from processors.dedupe.features import Features, extract_features
from processors.dedupe.window import LIMIT, WINDOW, Entry, Match, NearDuplicateWindow

__all__ = [
    "CALIBRATIONS",
    "LIMIT",
    "WINDOW",
    "Calibration",
    "Entry",
    "Features",
    "Match",
    "NearDuplicateWindow",
    "Verdict",
    "calibration_for",
    "compare",
    "extract_features",
]
