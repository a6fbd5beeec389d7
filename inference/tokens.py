"""Exact token counts of the OpenAI encodings, offline (A9, B7).

A count of characters by four undercounts Chinese by 59 to 78 %, so budgets are counted with the real tables.
Each encoding holds 70 to 95 MB once loaded: a process should load one, which is why it happens on construction
and `token_counter` keeps one counter an encoding.
"""

from functools import lru_cache
from typing import Literal, TypeAlias

# The public `Encoding` class has no `count`; the typed Rust binding has, and does not build id lists to count.
from bpe_openai import _bindings

EncodingName: TypeAlias = Literal["cl100k_base", "o200k_base"]

DEFAULT_ENCODING: EncodingName = "o200k_base"

_LONGEST_TOKEN = 128  # characters; the longest entries of both tables are runs of 128 blanks or fewer


class BpeTokenCounter:
    """A `TokenCounter` over bpe-openai: linear in the text, safe for any string, thread-safe."""

    def __init__(self, encoding: EncodingName = DEFAULT_ENCODING) -> None:
        self._tokenizer = _bindings.tokenizer_for_encoding(encoding)
        self._encoding = encoding

    @property
    def encoding(self) -> str:
        return self._encoding

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`; "<|endoftext|>" and the like count as plain text."""
        try:
            return int(self._tokenizer.count(text))
        except UnicodeEncodeError:
            return int(self._tokenizer.count(_valid(text)))

    def truncate(self, text: str, max_tokens: int) -> str:
        """Return the longest prefix that ends on a token and a character and has at most `max_tokens` tokens.

        Raises ValueError when `max_tokens` is negative.
        """
        if max_tokens < 0:
            raise ValueError("max_tokens must not be negative")
        # Longer than this cannot fit, so a huge text costs what its budget costs, not what it weighs.
        head = _valid(text[: (max_tokens + 1) * _LONGEST_TOKEN])
        if len(head) == len(text) and self._tokenizer.count_till_limit(head, max_tokens) is not None:
            return text
        ids = self._tokenizer.encode(head)
        for kept in range(min(max_tokens, len(ids)), 0, -1):
            try:
                prefix = self._tokenizer.decode(ids[:kept])
            except ValueError:  # the cut fell inside a character
                continue
            # A cut can regroup the blanks before it, so the prefix alone may count one more than its ids.
            if self._tokenizer.count(prefix) <= max_tokens:
                return text[: len(prefix)]
        return ""


def _valid(text: str) -> str:
    """Replace lone surrogates, which have no UTF-8, one for one so that offsets stay."""
    return text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=2)
def token_counter(encoding: EncodingName = DEFAULT_ENCODING) -> BpeTokenCounter:
    """Return the process's one counter of `encoding`."""
    return BpeTokenCounter(encoding)
