"""Where what was said in long natural talk is: right, elsewhere, missing, wrong, by place and language.

    python -m evaluation.scenarios
    python -m evaluation.scenarios --only team_en --show
    python -m evaluation.scenarios --out FILE

`right` is a share of the labels that ask for something, `wrong` of all. `--show` prints each label that is not right
with what is there instead. FILE gets every judgement and every entry.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import get_args

from evaluation.in_memory import evaluation_models, rules
from evaluation.scenarios.judgement import Judgement, counted, judged, one_value_keys
from evaluation.scenarios.replay import Entry, replay
from evaluation.scenarios.scenario import Place, Scenario, read
from inference.reader.tagger_card import FOLDER as TAGGER
from processors.reader.rules.protocol import Extractor
from schemas.profile.model import load_profile

FOLDER = Path("tests/data/scenarios")
LANGUAGES = ("en", "zh")
SHOWN = 160
"""Characters of an entry."""
Played = tuple[Scenario, list[Entry], list[Judgement]]


async def played(
    scenarios: Sequence[Scenario], extractor: Extractor, tell: Callable[[Played], None]
) -> list[Played]:
    """`tell` gets each scenario as it is done."""
    models = evaluation_models()
    found: list[Played] = []
    for scenario in scenarios:
        entries = await replay(scenario, models, extractor)
        one_value = one_value_keys(load_profile(scenario.profile))
        found.append((scenario, entries, [judged(label, entries, one_value) for label in scenario.labels]))
        tell(found[-1])
    return found


def row(name: str, judgements: Sequence[Judgement]) -> str:
    """One line of the table; empty where there is no label."""
    n = counted(judgements)
    if not n["labels"]:
        return ""
    right = f"{100 * n['right'] / n['asked']:.0f} %" if n["asked"] else "-"
    wrong = f"{100 * n['wrong'] / n['labels']:.0f} %"
    return (
        f"{name:16}{n['asked']:>6}{n['right']:>6}{n['elsewhere']:>10}{n['missing']:>8}"
        f"{n['wrong']:>6} of {n['labels']:<4}{right:>7}{wrong:>6}"
    )


def table(found: Sequence[Played]) -> str:
    head = f"{'':16}{'asked':>6}{'right':>6}{'elsewhere':>10}{'missing':>8}{'wrong':>6}{'':8}{'right':>7}{'wrong':>6}"
    lines = [head]
    for language in LANGUAGES:
        mine = [j for s, _, judgements in found if s.language == language for j in judgements]
        places: tuple[Place, ...] = get_args(Place)
        lines += [row(f"{language} {place}", [j for j in mine if j.label.place == place]) for place in places]
        lines.append(row(f"{language} all", mine))
    lines += [row(s.name, judgements) for s, _, judgements in found]
    return "\n".join(filter(None, lines))


def shown(found: Sequence[Played]) -> str:
    """Each label that is not right, and what is there."""
    return "\n".join(
        f"{s.name} {j.verdict}: {j.label.place} {j.label.key or ''} {j.label.who or ''} "
        f"{list(j.label.words)} not {list(j.label.without)} <- {[text[:SHOWN] for text in j.held[:3]]}"
        for s, _, judgements in found for j in judgements if j.verdict != "right"
    )  # fmt: skip


def saved(found: Sequence[Played]) -> str:
    rows = [
        {
            "scenario": s.name,
            "judgements": [{**j.label.model_dump(), "verdict": j.verdict, "held": j.held} for j in judgements],
            "entries": [asdict(e) for e in entries],
        }
        for s, entries, judgements in found
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--only", nargs="*", help="names of scenarios")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--rules", action="store_true", help="without the tagger of fields")
    parser.add_argument("--tagger", type=Path, default=TAGGER, help="folder of its weights and card")
    a = parser.parse_args()
    scenarios = [read(path) for path in sorted(a.folder.glob("*.toml"))]
    mine = [s for s in scenarios if not a.only or s.name in a.only]
    extractor = rules(fields=not a.rules, tagger=a.tagger)
    found = asyncio.run(played(mine, extractor, lambda one: print(shown([one]), flush=True) if a.show else None))
    print(table(found))
    if a.out:
        a.out.write_text(saved(found), "utf-8")


if __name__ == "__main__":
    main()
