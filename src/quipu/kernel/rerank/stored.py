"""Re-rankers on disk: under the home directory, each with graph, tokenizer and card."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path

from quipu.errors import ModelMissing
from quipu.kernel.embedding.stored import CARD, GRAPH, TOKENIZER, directories, is_name


@dataclass(frozen=True, slots=True)
class Card:
    """Content of ``model.json``."""

    name: str
    max_tokens: int
    graph_sha256: str
    tokenizer_sha256: str


@dataclass(frozen=True, slots=True)
class RerankerInfo:
    """One re-ranker that can be chosen by its name; of a question and a text together it reads so much."""

    name: str
    max_tokens: int
    directory: Path


def shelf(home: Path) -> Path:
    """Return the directory of the added re-rankers."""
    return home / "rerankers"


def list_rerankers(home: Path) -> list[RerankerInfo]:
    """Return all re-rankers that were added, by name."""
    return [read_reranker(path) for path in directories(shelf(home))]


def find_reranker(name: str, *, home: Path) -> RerankerInfo:
    """Return the re-ranker of that name. Raises ``ModelMissing``, which lists those that there are."""
    if is_name(name) and (shelf(home) / name).is_dir():
        return read_reranker(shelf(home) / name)
    there = ", ".join(path.name for path in directories(shelf(home)))
    raise ModelMissing(
        f"There is no re-ranker {name!r}.",
        hint=f"Add one with: quipu model add DIR --reranker --name {name}. There are: {there or 'none'}.",
    )


def read_reranker(directory: Path) -> RerankerInfo:
    """Read a directory from its card alone. Raises ``ModelMissing`` if a file is absent."""
    for name in (CARD, GRAPH, TOKENIZER):
        if not (directory / name).is_file():
            raise _missing(directory, f"{name} is not there")
    card = _read_card(directory)
    return RerankerInfo(name=card.name, max_tokens=card.max_tokens, directory=directory)


def write_card(directory: Path, *, name: str, max_tokens: int) -> None:
    """Write the card of the files that are in the directory."""
    card = Card(name, max_tokens, _sha256(directory / GRAPH), _sha256(directory / TOKENIZER))
    (directory / CARD).write_text(json.dumps(asdict(card), indent=2) + "\n", encoding="utf-8")


def verify(model: RerankerInfo) -> None:
    """Compare the files with the card, reading them whole. Raises ``ModelMissing`` when one was changed."""
    card = _read_card(model.directory)
    for name, expected in ((GRAPH, card.graph_sha256), (TOKENIZER, card.tokenizer_sha256)):
        if _sha256(model.directory / name) != expected:
            raise _missing(model.directory, f"{name} is damaged")


def _read_card(directory: Path) -> Card:
    try:
        content = json.loads((directory / CARD).read_bytes())
        return Card(**{field.name: content[field.name] for field in fields(Card)})
    except (ValueError, KeyError, TypeError) as error:
        raise _missing(directory, f"{CARD} cannot be read ({error})") from error


def _sha256(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _missing(directory: Path, reason: str) -> ModelMissing:
    return ModelMissing(
        f"The re-ranker in {directory} cannot be used: {reason}.",
        hint=f"Remove {directory} and add it again: quipu model add DIR --reranker",
    )
