"""python -m training: trains the gate, holding writers out, and prints how well it tells turns apart.

    python -m training --hold-out en1,zh1,chats_en1,chats_zh1 --out .memstream/training/fold1
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import jax

from inference.reader.gate_weights import load, save
from inference.reader.turn_encoder import base_weights
from inference.reader.turn_text import TurnTokenizer
from training import model
from training.examples import REASONS, Example, Floats, read_examples
from training.figures import figures, told
from training.fit import Recipe, predict, train, vocabulary


@dataclass(frozen=True, slots=True)
class Arguments:
    hold_out: frozenset[str]
    out: Path
    recipe: Recipe


def arguments() -> Arguments:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hold-out", default="", help="writers that are tested and not learned from: en1,chats_en1")
    parser.add_argument("--out", type=Path, required=True, help="a folder: checkpoint, predictions, weights")
    for name, value in asdict(Recipe()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    told = vars(parser.parse_args())
    recipe = Recipe(**{name: told[name] for name in asdict(Recipe())})
    return Arguments(frozenset(filter(None, told["hold_out"].split(","))), told["out"], recipe)


def report(examples: list[Example], said: Floats) -> None:
    for name in sorted({e.writer for e in examples} | {e.language for e in examples}):
        chosen = [(e, p) for e, p in zip(examples, said, strict=True) if name in (e.writer, e.language)]
        print(told(name, figures([e.keep for e, _ in chosen], [float(p[1]) for _, p in chosen])), flush=True)


def main() -> None:
    told = arguments()
    told.out.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", str(told.out.parent / "compiled"))
    table, base = base_weights()
    examples = read_examples(TurnTokenizer())
    words = vocabulary(examples, table)
    learned = [e for e in examples if e.writer not in told.hold_out]
    held = [e for e in examples if e.writer in told.hold_out]
    print(f"{len(learned)} turns learned from, {len(held)} held out, {len(words.vectors)} tokens", flush=True)
    trained = train(learned, words, base, told.recipe, told.out / "checkpoint")
    save(told.out / "gate.npz", model.weights_of(trained), base)
    shipped, digest = load(told.out / "gate.npz", base)
    print(f"gate {digest}, {(told.out / 'gate.npz').stat().st_size} bytes", flush=True)
    params = model.params_of(shipped)  # figures are those of the file, rounded as it is
    if held:
        said = predict(params, held, words)
        report(held, said)
        rows = [
            {"place": e.place, "keep": round(float(p[1]), 4), "reason": REASONS[int(p[2:].argmax())]}
            for e, p in zip(held, said, strict=True)
        ]
        (told.out / "held.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
