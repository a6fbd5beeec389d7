"""python -m training.fields: trains the tagger of fields, holding writers out, and counts what it finds of theirs.

    python -m training.fields --hold-out en2,zh2 --out .memstream/training/fields
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import jax

from inference.embedding import UniversalSentenceEncoder
from inference.reader.field_tagger import spans
from inference.reader.placed_tokens import PlacedTokens
from inference.reader.tagger_card import CARD, WEIGHTS, TaggerCard
from inference.reader.tagger_weights import save
from inference.reader.turn_encoder import base_weights
from inference.reader.turn_text import TurnTokenizer
from training.examples import Floats
from training.fields import model
from training.fields.batches import Names
from training.fields.examples import Example, talk_examples, turn_examples
from training.fields.fit import Recipe, predict, train, vocabulary

LEVELS = (0.4, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True, slots=True)
class Arguments:
    hold_out: frozenset[str]
    out: Path
    recipe: Recipe
    least: float


def arguments() -> Arguments:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hold-out", default="", help="writers of talks that are tested only: en2,zh2")
    parser.add_argument("--out", type=Path, required=True, help="a folder: weights, card")
    parser.add_argument("--least", type=float, default=0.6, help="threshold of the card")
    for name, value in asdict(Recipe()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    parsed = vars(parser.parse_args())
    recipe = Recipe(**{name: parsed[name] for name in asdict(Recipe())})
    held = frozenset(filter(None, parsed["hold_out"].split(",")))
    return Arguments(held, parsed["out"], recipe, parsed["least"])


def counted(examples: Sequence[Example], found: Sequence[Floats], least: float) -> Counter[str]:
    """Pairs of a turn and a field: `asked` fill it, of which `found`; `looks` only look like it, of which `wrong`;
    `unmarked` are found and not marked."""
    n: Counter[str] = Counter()
    for example, likely in zip(examples, found, strict=True):
        placed = PlacedTokens(example.ids[1:-1], example.starts[1:-1], example.ends[1:-1])
        got = {s.field for s in spans(likely[1:-1], placed, example.fields, least)}
        filled = {example.fields[s.field].name for s in example.spans if s.fills}
        looks = {example.fields[s.field].name for s in example.spans} - filled
        n["asked"] += len(filled)
        n["found"] += len(filled & got)
        n["looks"] += len(looks)
        n["wrong"] += len(looks & got)
        n["unmarked"] += len(got - filled - looks)
    return n


def report(examples: Sequence[Example], found: Sequence[Floats]) -> None:
    for writer in sorted({e.writer for e in examples}):
        of = [n for n, e in enumerate(examples) if e.writer == writer]
        for least in LEVELS:
            n = counted([examples[i] for i in of], [found[i] for i in of], least)
            share = 100 * n["found"] / max(n["asked"], 1)
            print(
                f"{writer} from {least}: {share:.0f} % of {n['asked']} found, {n['wrong']} of {n['looks']} wrong, "
                f"{n['unmarked']} unmarked", flush=True,
            )  # fmt: skip


def main() -> None:
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", str(options.out.parent / "compiled"))
    table, base = base_weights()
    tokenizer = TurnTokenizer()
    talks, turns = talk_examples(tokenizer), turn_examples(tokenizer)
    if unknown := options.hold_out - {e.writer for e in talks}:
        raise SystemExit(f"no such writer to hold out: {', '.join(sorted(unknown))}")
    learned = [e for e in talks if e.writer not in options.hold_out]
    held = [e for e in talks if e.writer in options.hold_out]
    words, names = vocabulary([*turns, *talks], table), Names([*turns, *talks], UniversalSentenceEncoder())
    print(f"{len(learned)} turns of talks and {len(turns)} others learned from, {len(held)} held out", flush=True)
    trained = train(learned, turns, names, words, base, options.recipe)
    save(options.out / WEIGHTS, model.weights_of(trained), base)
    content = (options.out / WEIGHTS).read_bytes()
    card = TaggerCard(
        sha256=hashlib.sha256(content).hexdigest(), least=options.least, corpus_turns=len(learned) + len(turns),
        epochs=options.recipe.first + options.recipe.epochs, seed=options.recipe.seed,
    )  # fmt: skip
    (options.out / CARD).write_text(card.model_dump_json(indent=2) + "\n", encoding="utf-8")
    print(f"tagger {card.sha256[:12]}, {len(content)} bytes", flush=True)
    if held:
        report(held, predict(trained, held, names, words))


if __name__ == "__main__":
    main()
