"""A secret that is handed to any text parameter of any public operation is nowhere afterwards.

The operations come from the properties and signatures of ``AsyncMemory``: a new one is tried as well.
"""

from __future__ import annotations

import inspect
import logging
import random
import re
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from everywhere import found, in_catalogue
from seeding import SESSION, TABLE, Known, seeded
from text_fields import leaves, placed

from quipu import AsyncMemory, QuipuError
from quipu.app.rooms import AsyncRooms
from quipu.kernel.config import Settings
from quipu.kinds.ledger.evidence.model import EvidenceReference

pytestmark = pytest.mark.anyio

SPACE, MARK = "ana", "aardvark"
_DRAWN = random.Random(17)
# What is no text, what works on the machine, and what takes words to look for and never keeps them.
_NO_TEXT = re.compile(r"Path|Callable|Progress|UUID|^(?:int|float|bool|datetime|timedelta)(?: \| None)?$")
_ELSEWHERE = frozenset({"aclose", "reembed", "reembed_plan", "work", "receipts.verify"})
VALUES: dict[str, Any] = {
    "messages": [{"content": "I live in Oslo.", "id": "m", "session": "s", "user": "una", "speaker": "Una"}],
    "question": "Where does Una live?",
    "text": "I live in Oslo.",
    "fact": "The tests need Docker.",
    "summary": "Likes boats.",
    "message": "What does she like?",
    "key": "tone",
    "value": "short",
    "name": "something",
    "table": TABLE,
    "data": {"name": "Thorin"},
    "where": {"id": 1},
    "sql": "select 1",
    "description": "Boats.",
    "embed_fields": ["name"],
    "agent": "bo",
    "permission": "read",
    "recommendation": "Feed it.",
    "competitor": "The bar.",
    "status": "not_found",
    "location": "oslo",
    "time_window": "Friday",
    "confidence": "low",
    "source": "reviews",
    "tool": "weather",
    "latency_ms": 5,
    "args": {"of": "Oslo"},
    "evidence": [
        EvidenceReference(
            place_id="oslo", published_at=datetime(2026, 1, 1, tzinfo=UTC), excerpt="Good beer."
        )
    ],
    "session": SESSION,
    "user": "una",
    "to": 1,
}
OPERATIONS: dict[str, dict[str, Any]] = {
    "tables.create_table": {
        "name": "ships",
        "sql": "create table ships (id int generated always as identity primary key, name text)",
        "column_descriptions": {"name": "What it is called."},
    },
    "tables.recreate": {"sql": "create table boats (id int primary key, name text)"},
    "tables.execute": {"sql": "comment on table boats is 'Boats.'"},
}


def secret() -> str:
    return "AK" + "IA" + "".join(_DRAWN.choices(string.ascii_uppercase + "234567", k=16))


def operations(memory: AsyncMemory) -> Iterator[tuple[str, inspect.Signature]]:
    """Every public coroutine of the memory and of its rooms, by its name."""
    rooms = {"": memory}
    rooms |= {
        f"{name}.": getattr(memory, name)
        for name, one in vars(AsyncRooms).items()
        if isinstance(one, property) and not name.startswith("_")
    }
    for room, held in rooms.items():
        for name, one in inspect.getmembers(type(held), inspect.iscoroutinefunction):
            if not name.startswith("_") and room + name not in _ELSEWHERE:
                yield room + name, inspect.signature(one)


def empty(annotation: str) -> list[Any]:
    """Values of a parameter that was given none, with a star where the text comes."""
    if re.match(r"Mapping|dict", annotation):
        return [{"any": "1"}]
    if re.match(r"Sequence|Iterable|list|tuple|Collection", annotation):
        return [["any"]]
    return ["any"]


def filled(name: str, signature: inspect.Signature, known: Mapping[str, Any]) -> dict[str, Any]:
    """What the operation is called with such that it does something."""
    given: dict[str, Any] = {}
    for parameter in list(signature.parameters.values())[1:]:
        values = {**VALUES, **known, **OPERATIONS.get(name, {}), "space": SPACE}
        needed = parameter.default is inspect.Parameter.empty or parameter.name in OPERATIONS.get(name, {})
        if (needed or parameter.name in ("space", "evidence")) and parameter.name in values:
            given[parameter.name] = values[parameter.name]
    return given


def tried(signature: inspect.Signature, base: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The arguments with a secret in each text: where, the arguments, the secret."""
    for parameter in list(signature.parameters.values())[1:]:
        annotation = str(parameter.annotation)
        if _NO_TEXT.search(annotation) or parameter.name == "confirm":
            continue
        for value in [base[parameter.name]] if parameter.name in base else empty(annotation):
            for at in dict.fromkeys(leaves(value)) or [()]:
                named = at and isinstance(at[-1], str) and parameter.name != "evidence"
                for place in (at, (*at[:-1], "*")) if named else (at,):
                    text = secret()
                    yield (
                        f"{parameter.name} {place}",
                        {**base, parameter.name: placed(value, place, text)},
                        text,
                    )


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def memory(server_settings: Settings, module_url: str) -> Any:
    async with AsyncMemory(settings=replace(server_settings, database_url=module_url)) as opened:
        yield opened


@pytest.fixture(scope="module")
async def known(memory: AsyncMemory, tmp_path_factory: pytest.TempPathFactory) -> Known:
    return (await seeded(memory, {SPACE: MARK}, tmp_path_factory.mktemp("recorded")))[SPACE]


def operation(memory: AsyncMemory, name: str) -> Callable[..., Any]:
    found: Any = memory
    for part in name.split("."):
        found = getattr(found, part)
    return found


async def test_no_operation_keeps_a_secret_in_any_text(
    memory: AsyncMemory, known: Known, module_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ids = {
        "id": known["id"][0],
        "ids": known["id"],
        "event": known["number"][0],
        "number": known["number"][0],
    }
    sent: dict[str, str] = {}
    repeated: list[tuple[str, str]] = []
    taken: set[str] = set()
    last = ("forget", "delete", "drop", "erase", "purge")
    ordered = sorted(operations(memory), key=lambda one: one[0].rpartition(".")[2].startswith(last))
    for name, signature in ordered:
        base = filled(name, signature, ids)
        for where, arguments, text in tried(signature, base):
            sent[text] = f"{name} {where}"
            try:
                await operation(memory, name)(**arguments)
                taken.add(name)
            except QuipuError as error:
                if text in str(error):
                    repeated.append((sent[text], str(error)[:300]))
            except (TypeError, ValueError, AttributeError) as error:  # a caller's mistake that types tell
                if text in str(error):
                    repeated.append((sent[text], repr(error)[:300]))
    await memory.work(concurrency=4)
    kept = {*found(module_url, sent), *in_catalogue(module_url, sent)}
    places = sorted(f"{sent[text]} -> {place}" for place, text in kept)
    assert not [*repeated, *places], "\n".join(map(str, [*repeated, *places]))
    logged = [record.getMessage() for record in caplog.records if record.name.startswith("quipu")]
    assert not [line for line in logged if any(text in line for text in sent)]
    assert len(sent) > 250
    assert len(taken) > 40  # so many take what is left of the text
