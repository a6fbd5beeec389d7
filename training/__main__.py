"""python -m training: trains the gate, holding writers out, and prints how well it tells turns apart.

    python -m training --hold-out en1,zh1,ce2,cz2 --out .memstream/training/fold1
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import jax

from inference.reader.gate_card import CARD, WEIGHTS, GateCard
from inference.reader.gate_weights import loaded, save
from inference.reader.turn_encoder import base_weights
from inference.reader.turn_text import TurnTokenizer
from training import model
from training.examples import REASONS, Example, Floats, mixed, read_examples
from training.figures import figures, figures_line
from training.fit import Recipe, predict, train, vocabulary


@dataclass(frozen=True, slots=True)
class Arguments:
    hold_out: frozenset[str]
    out: Path
    recipe: Recipe
    drop: float
    keep: float


def arguments() -> Arguments:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hold-out", default="", help="writers that are tested only, as ids begin: en1,cz2")
    parser.add_argument("--out", type=Path, required=True, help="a folder: checkpoint, predictions, weights, card")
    parser.add_argument("--drop", type=float, default=0.05, help="threshold of the card: below it nothing is kept")
    parser.add_argument("--keep", type=float, default=0.05, help="threshold of the card: from it on a turn is kept")
    for name, value in asdict(Recipe()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    parsed = vars(parser.parse_args())
    recipe = Recipe(**{name: parsed[name] for name in asdict(Recipe())})
    held = frozenset(filter(None, parsed["hold_out"].split(",")))
    return Arguments(held, parsed["out"], recipe, parsed["drop"], parsed["keep"])


def report(examples: list[Example], predictions: Floats) -> None:
    for name in sorted({e.writer for e in examples} | {e.language for e in examples}):
        chosen = [(e, p) for e, p in zip(examples, predictions, strict=True) if name in (e.writer, e.language)]
        print(figures_line(name, figures([e.keep for e, _ in chosen], [float(p[1]) for _, p in chosen])), flush=True)


def main() -> None:
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", str(options.out.parent / "compiled"))
    table, base = base_weights()
    tokenizer = TurnTokenizer()
    examples = read_examples(tokenizer)
    if unknown := options.hold_out - {e.writer for e in examples}:
        raise SystemExit(f"no such writer to hold out: {', '.join(sorted(unknown))}")
    plain = [e for e in examples if e.writer not in options.hold_out]
    learned = [*plain, *mixed(plain, tokenizer, options.recipe.mixed, options.recipe.seed)]
    held = [e for e in examples if e.writer in options.hold_out]
    words = vocabulary([*learned, *held], table)
    counts = f"{len(plain)} turns learned from, {len(learned) - len(plain)} mixed, {len(held)} held out"
    print(f"{counts}, {len(words.vectors)} tokens", flush=True)
    trained = train(learned, words, base, options.recipe, options.out / "checkpoint")
    save(options.out / WEIGHTS, model.weights_of(trained), base)
    content = (options.out / WEIGHTS).read_bytes()
    card = GateCard(
        sha256=hashlib.sha256(content).hexdigest(), drop=options.drop, keep=options.keep, corpus_turns=len(plain),
        epochs=options.recipe.epochs, seed=options.recipe.seed,
    )  # fmt: skip
    (options.out / CARD).write_text(card.model_dump_json(indent=2) + "\n", encoding="utf-8")
    print(f"gate {card.sha256[:12]}, {len(content)} bytes", flush=True)
    params = model.params_of(loaded(content, base))  # figures are those of the file, rounded as it is
    if held:
        predictions = predict(params, held, words)
        report(held, predictions)
        rows = [
            {"place": e.place, "keep": round(float(p[1]), 4), "reason": REASONS[int(p[2:].argmax())]}
            for e, p in zip(held, predictions, strict=True)
        ]
        (options.out / "held.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
