"""Rebuild inference/pii/data/names.txt: given and family names in Latin script, from Faker's locales.

Needs `faker` (MIT) and `spylls` (its English hunspell dictionary, SCOWL's licence), which memstream itself does not.
Run: `python bench/build_names.py > inference/pii/data/names.txt`. Output: one name a line, lower case, then its
flags: g given, f family, w also an English word in lower case.
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


def main() -> None:
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
