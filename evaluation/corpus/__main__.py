"""Check the corpus and print what stands in it.

python -m evaluation.corpus                     every file of corpus/, against corpus/GUIDE.md
python -m evaluation.corpus --agreement         second labels beside the first
python -m evaluation.corpus --overlap FOLDER    turns that share a run of words with the JSON files of a folder
python -m evaluation.corpus --programs          find programs anew, and write them into the files (4 minutes)
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evaluation.corpus.agreement import agreement
from evaluation.corpus.check import check
from evaluation.corpus.entries import Language
from evaluation.corpus.overlap import shared_runs
from evaluation.corpus.programs import write_programs
from evaluation.corpus.read import ROOT

LANGUAGES: tuple[Language, ...] = ("en", "zh")
MOST_VALUES = 24


def print_check(folder: Path) -> int:
    report = check(folder)
    for fault in report.faults:
        print(fault)
    for name, counter in report.counts.items():
        print(f"{name}: " + ", ".join(f"{value} {number}" for value, number in counter.most_common(MOST_VALUES)))
    print(f"faults: {len(report.faults)}")
    return 1 if report.faults else 0


def print_overlap(measured: Path, folder: Path) -> int:
    found = shared_runs(measured, folder)
    for shared in found:
        print(f"{shared.place} shares with {shared.file}: {shared.run}")
    print(f"turns that share a run: {len(found)}")
    return 1 if found else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT, help="the corpus (default: corpus/)")
    parser.add_argument("--agreement", action="store_true")
    parser.add_argument("--overlap", type=Path, metavar="FOLDER")
    parser.add_argument("--programs", action="store_true")
    options = parser.parse_args()
    if options.programs:
        for language, share in write_programs(options.folder).items():
            print(f"{language}: rebuilt {share.rebuilt} of {share.kept} memories, {share.rebuilt / share.kept:.1%}")
        return 0
    if options.overlap:
        return print_overlap(options.overlap, options.folder)
    if options.agreement:
        for language in LANGUAGES:
            print(f"{language}: " + "; ".join(agreement(language, options.folder).lines()))
        return 0
    return print_check(options.folder)


if __name__ == "__main__":
    sys.exit(main())
