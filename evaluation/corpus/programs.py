"""Writes the programs of all memories into the files of the corpus."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.corpus.align import align
from evaluation.corpus.entries import Chat, Entry, Language
from evaluation.corpus.read import CHATS, ROOT, WRITERS, Context, chat_contexts
from processors.reader.wording.program import compact
from processors.reader.wording.tables import tables


@dataclass
class Share:
    """How many memories of a language a program builds."""

    kept: int = 0
    rebuilt: int = 0


def _put(turn: dict[str, Any], context: Context, share: Share) -> None:
    """Set the programs of one turn as it stands in its file."""
    for row, statement in zip(turn["statements"], context.turn.statements, strict=True):
        row.pop("program", None)
        if not statement.keep:
            continue
        share.kept += 1
        table = tables(context.language)
        found = align(statement.memory, statement.clause, context.turn, context.before, table)
        if found is not None:
            share.rebuilt += 1
            row["program"] = compact(found.program)


def write_programs(folder: Path = ROOT) -> dict[Language, Share]:
    """Find the program of every memory and write it beside it; memories that none builds have none."""
    shares: dict[Language, Share] = defaultdict(Share)
    for path in [*sorted(folder.glob(WRITERS)), *sorted(folder.glob(CHATS))]:
        out: list[str] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if "turns" in row:
                chat = Chat.model_validate_json(line)
                for turn, context in zip(row["turns"], chat_contexts(chat), strict=True):
                    _put(turn, context, shares[chat.language])
            else:
                entry = Entry.model_validate_json(line)
                context = Context(entry.id, entry.language, entry, tuple(entry.before))
                _put(row, context, shares[entry.language])
            out.append(json.dumps(row, ensure_ascii=False))
        path.write_text("\n".join(out) + "\n", encoding="utf-8")
    return dict(shares)
