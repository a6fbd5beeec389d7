"""Two statements of one frame: the newer says the same of the same thing but for one value, a number or a day ("The
standup is at 9:30", "The standup is now at 10"). Pure."""

from __future__ import annotations

from processors.dedupe.features import extract_features, is_function, is_number, stem
from processors.memory.changes.ending import of_part, patterns_of
from processors.memory.changes.signs import language_of_statement


def one_value_changed(old: str, new: str) -> bool:
    """Whether one value alone differs, and the newer statement adds nothing but words of change."""
    language = language_of_statement(new)
    if language_of_statement(old) != language:
        return False
    patterns = patterns_of(language)
    if patterns.past.search(old) or of_part(patterns.day.sub(" ", old), patterns.day.sub(" ", new)):
        return False
    days = [frozenset(patterns.day.findall(text)) for text in (old, new)]
    tokens = [extract_features(patterns.day.sub(" ", text)).tokens for text in (old, new)]
    numbers = [frozenset(filter(is_number, each)) for each in tokens]
    of_days = numbers[0] == numbers[1] and _replaced(days[0], days[1])
    replaced = of_days if days[0] or days[1] else _replaced(numbers[0], numbers[1])
    phrase, says = (
        frozenset(stem(t) for t in each if not is_function(t) and not is_number(t)) - patterns.owner for each in tokens
    )
    return replaced and bool(phrase) and phrase <= says and says - phrase <= patterns.frame


def _replaced(old: frozenset[str], new: frozenset[str]) -> bool:
    """One value in the place of one; the newer may name the old one, too."""
    return len(old) == 1 and len(new - old) == 1 and len(new) <= 2
