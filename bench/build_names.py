"""Rebuild the word lists in inference/pii/data: names in Latin script, and ordinary English words.

Needs `faker` (MIT) and `spylls` (its English hunspell dictionary, SCOWL's licence), which memstream itself does not.
Run: `python bench/build_names.py names > inference/pii/data/names.txt`, and the same with `words`. Names: one a line,
lower case, then its flags: g given, f family, w also an English word in lower case. Words: one stem a line.
"""

import importlib
import pkgutil
import re
import sys
from collections import defaultdict
from importlib.metadata import version
from importlib.resources import files

import faker.providers.person as person

_NAME = re.compile(r"[a-z\u00df-\u024f][a-z\u00df-\u024f'-]*[a-z\u00df-\u024f]")
_ENDINGS = (
    *(("s", ""), ("es", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e")),
    *(("er", ""), ("er", "e"), ("ly", "")),
)


_SCOWL = """\
# Stems of the hunspell dictionary en_US, made from SCOWL. Copyright 2000-2019 by Kevin Atkinson.
# Permission to use, copy, modify, distribute and sell these word lists, the associated scripts, the output created
# from the scripts, and its documentation for any purpose is hereby granted without fee, provided that the above
# copyright notice appears in all copies and that both that copyright notice and this permission notice appear in
# supporting documentation. Kevin Atkinson makes no representations about the suitability of this array for any
# purpose. It is provided "as is" without express or implied warranty.
"""


def main() -> None:
    if sys.argv[1:] == ["words"]:
        words = sorted(word for word in _words() if word.isascii() and word.isalpha())
        sys.stdout.write(_SCOWL + "".join(f"{word}\n" for word in words))
    elif sys.argv[1:] == ["names"]:
        _write_names()
    else:
        sys.exit(__doc__)


def _write_names() -> None:
    flags: dict[str, set[str]] = defaultdict(set)
    for module in pkgutil.iter_modules(person.__path__):
        provider = importlib.import_module(f"faker.providers.person.{module.name}").Provider
        for attribute in dir(provider):
            flag = "g" if attribute.startswith("first_name") else "f" if attribute.startswith("last_name") else ""
            values = getattr(provider, attribute)
            if flag and isinstance(values, tuple | list | dict):
                for value in values:
                    for name in _parts(value):
                        flags[name].add(flag)
    words = _words()
    for name, kinds in flags.items():
        if name in words or any(name.endswith(e) and name[: -len(e)] + stem in words for e, stem in _ENDINGS):
            kinds.add("w")
    sys.stdout.write(
        f"# Given and family names from Faker {version('faker')} (MIT, Copyright (c) 2012 Daniele Faraglia), flags by\n"
        "# bench/build_names.py: g given, f family, w also an English word.\n"
    )
    for name in sorted(flags):
        sys.stdout.write(f"{name} {''.join(sorted(flags[name]))}\n")


def _parts(value: object) -> list[str]:
    parts = str(value).replace("’", "'").lower().split()
    return [part.strip(".-'") for part in parts if len(part.strip(".-'")) > 2 and _NAME.fullmatch(part.strip(".-'"))]


def _words() -> set[str]:
    lines = files("spylls").joinpath("hunspell/data/en/en_US.dic").read_bytes().decode("utf-8", "replace").splitlines()
    return {word for word in (line.split("/")[0].strip() for line in lines) if word.islower()}


if __name__ == "__main__":
    main()
