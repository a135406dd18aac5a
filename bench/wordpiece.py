"""Could a small WordPiece in Python replace the package ``tokenizers``? Equality, speed and cost.

    python bench/wordpiece.py

What it found and what was decided: docs/decisions/local-embedding.md.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tokenizers import Tokenizer

from quipu.kernel.embedding.stored import BUNDLED, TOKENIZER

ROOT = Path(__file__).resolve().parent.parent
FILE = BUNDLED / "all-MiniLM-L6-v2" / TOKENIZER
MOST_CHARACTERS = 100
CHINESE = [
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
]  # fmt: skip
SCRIPTS = [(0x20, 0x7F), (0x20, 0x7F), (0xA0, 0x250), (0x370, 0x600), (0x600, 0x900), (0x900, 0xE00),
    (0xE00, 0x1200), (0x1E00, 0x2100), (0x2100, 0x2C00), (0x3000, 0x3100), (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A4), (0x1F300, 0x1FB00), (0, 0x20), (0x80, 0xA0), (0x300, 0x370), (0x2000, 0x2070),
]  # fmt: skip


class WordPiece:
    """BERT's tokenizer (Devlin et al. 2018, uncased), with what Python knows of Unicode."""

    def __init__(self, path: Path) -> None:
        content = json.loads(path.read_bytes())
        self._ids: dict[str, int] = content["model"]["vocab"]
        self._known: dict[str, list[int]] = {}
        self._letters: dict[int, str] = {}
        special = [token["content"] for token in content["added_tokens"]]
        self._special = re.compile("(" + "|".join(map(re.escape, special)) + ")")
        self._start, self._end, self._unknown = (self._ids[name] for name in ("[CLS]", "[SEP]", "[UNK]"))

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, with those put around it."""
        ids = [self._start]
        for part in self._special.split(text):
            if self._special.fullmatch(part):
                ids.append(self._ids[part])
                continue
            letters = unicodedata.normalize("NFD", "".join(map(cleaned, part)))
            for word in "".join(map(self._folded, letters)).split():
                ids += self._known.get(word) or self._pieces(word)
        return [*ids, self._end]

    def _folded(self, letter: str) -> str:
        """Lower case, without accents, a space around punctuation."""
        found = self._letters.get(ord(letter))
        if found is None:
            category = unicodedata.category(letter)
            found = "" if category == "Mn" else letter.lower()
            if category[0] == "P" or (letter.isascii() and category[0] == "S"):
                found = f" {found} "
            self._letters[ord(letter)] = found
        return found

    def _pieces(self, word: str) -> list[int]:
        """Cut a word into the longest pieces that are known, from its beginning."""
        ids: list[int] = []
        start = 0 if len(word) <= MOST_CHARACTERS else len(word) + 1
        while start < len(word):
            ends = range(len(word), start, -1)
            pieces = (("##" if start else "") + word[start:end] for end in ends)
            piece = next((one for one in pieces if one in self._ids), None)
            if piece is None:
                break
            ids.append(self._ids[piece])
            start += len(piece) - (2 if start else 0)
        self._known[word] = ids if start == len(word) else [self._unknown]
        return self._known[word]


def cleaned(letter: str) -> str:
    """Drop what cannot be seen, and put spaces for white space and around Chinese characters."""
    if letter in "\t\n\r":
        return " "
    if letter == "\ufffd" or unicodedata.category(letter) in ("Cc", "Cf", "Co"):
        return ""
    if letter.isspace():
        return " "
    if any(first <= ord(letter) <= last for first, last in CHINESE):
        return f" {letter} "
    return letter


def our_texts() -> list[str]:
    """Paragraphs of our own documentation and samples: what is embedded, mostly."""
    files = [*sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "samples").rglob("*.jsonl"))]
    texts = [text for path in files for text in re.split(r"\n\s*\n", path.read_text("utf-8"))]
    return [text[:1_000] for text in texts]


def random_texts(count: int) -> Iterator[str]:
    """Words of many scripts, emoji, accents and control characters, mixed."""
    draw = random.Random(7)
    for _ in range(count):
        letters = [chr(draw.randrange(*draw.choice(SCRIPTS))) for _ in range(draw.randrange(1, 80))]
        yield "".join(letter if draw.random() > 0.1 else f"{letter} " for letter in letters)


def all_characters() -> Iterator[str]:
    """Every character of Unicode between two letters."""
    yield from (f"a{chr(number)}b" for number in range(0x110000) if not 0xD800 <= number < 0xE000)


def different(ours: Callable[[str], list[int]], theirs: Callable[[str], list[int]], texts: list[str]) -> str:
    """How many texts get other tokens."""
    found = [text for text in texts if ours(text) != theirs(text)]
    example = f"; the first: {found[0][:40]!a}" if found else ""
    return f"{len(found):,} of {len(texts):,} differ{example}"


def speed(encode: Callable[[str], list[int]], texts: list[str]) -> float:
    """Tokens a second, the best of three rounds."""
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        count = sum(len(encode(text)) for text in texts)
        best = min(best, time.perf_counter() - started)
    return count / best


def seconds_to_import(module: str) -> float:
    """Seconds that an import takes in a fresh process, the least of five."""
    code = f"import time; s = time.perf_counter(); import {module}; print(time.perf_counter() - s)"
    return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5))


def brought_by(name: str) -> set[str]:
    """A distribution of our core and all that it brings and the others do not."""
    core = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    others: set[str] = set()
    for line in core:
        if Requirement(line).name != name:
            closure(Requirement(line), others)
    return closure(Requirement(name), set()) - others


def closure(requirement: Requirement, found: set[str]) -> set[str]:
    """A distribution and all that it brings."""
    name = canonicalize_name(requirement.name)
    if name not in found:
        found.add(name)
        for line in map(Requirement, metadata.requires(name) or ()):
            extras = {"", *requirement.extras}
            if line.marker is None or any(line.marker.evaluate({"extra": extra}) for extra in extras):
                closure(line, found)
    return found


def megabytes(name: str) -> float:
    """Size of a distribution's installed files."""
    files = metadata.files(name) or ()
    paths = (Path(str(file.locate())) for file in files)
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main() -> int:
    tokenizer = Tokenizer.from_file(str(FILE))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def theirs(text: str) -> list[int]:
        return tokenizer.encode(text).ids

    ours = WordPiece(FILE).encode
    print(f"Python {sys.version.split()[0]}, Unicode {unicodedata.unidata_version}")
    for name, texts in {
        "our texts": our_texts(),
        "random texts of many scripts": list(random_texts(50_000)),
        "every character of Unicode": list(all_characters()),
    }.items():
        print(f"{name}: {different(ours, theirs, texts)}")
    for name, texts in {"our texts": our_texts(), "random texts": list(random_texts(5_000))}.items():
        print(
            f"tokens a second, {name}: ours {speed(ours, texts):,.0f}, tokenizers {speed(theirs, texts):,.0f}"
        )
    print(f"import tokenizers: {seconds_to_import('tokenizers'):.3f} s")
    ours_loads = min(timed(lambda: WordPiece(FILE)) for _ in range(5))
    theirs_loads = min(timed(lambda: Tokenizer.from_file(str(FILE))) for _ in range(5))
    print(f"load: ours {ours_loads:.3f} s, tokenizers {theirs_loads:.3f} s")
    sizes = {name: megabytes(name) for name in brought_by("tokenizers")}
    print(f"nothing else brings {len(sizes)} distributions, {sum(sizes.values()):.1f} MB:")
    print(", ".join(f"{name} {size:.1f}" for name, size in sorted(sizes.items(), key=lambda item: -item[1])))
    return 0


def timed(work: Callable[[], object]) -> float:
    """Seconds that some work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
