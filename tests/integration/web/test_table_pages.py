"""The browser of agents' tables, and the reads of the kind that it rests on."""

from __future__ import annotations

import re
from html import unescape

import pytest
from page_client import HOSTILE, Browser, faults

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound

SPACE = "tables <pages>"


@pytest.fixture(scope="module")
async def pets(memory: AsyncMemory) -> None:
    """Owners and their pets, 75 of them, some without an age; one is hostile."""
    tables = memory.tables
    await tables.create_table(
        "owners",
        "create table owners (id serial primary key, name text not null)",
        description=f"Who has animals. {HOSTILE}",
        embed_fields=[],
        space=SPACE,
    )
    await tables.create_table(
        "pets",
        "create table pets (id serial primary key, owner_id int references owners (id), name text, age int,"
        " data json, more jsonb)",
        description="Animals of the house.",
        embed_fields=["name"],
        space=SPACE,
    )
    await tables.insert("owners", [{"name": HOSTILE}, {"name": "Ben"}], space=SPACE)
    rows = [
        {"owner_id": 1 + n % 2, "name": f"Pet {n}", "age": None if n % 5 == 0 else n % 7} for n in range(74)
    ]
    await tables.insert("pets", [*rows, {"owner_id": 1, "name": HOSTILE, "age": 3}], space=SPACE)


async def seen(client: Browser, path: str, **query: str | int) -> str:
    answer = await client.get(path, params={"space": SPACE, **query})
    assert answer.status_code == 200, answer.text
    assert faults(answer.text) == []
    assert len(answer.content) < 100_000
    return answer.text


@pytest.mark.parametrize("sort", [None, "id", "age", "name"])
@pytest.mark.parametrize("descending", [False, True])
async def test_pages_hold_every_row_once_in_the_order_asked_for(
    memory: AsyncMemory, pets: None, sort: str | None, descending: bool
) -> None:
    del pets
    found: list[tuple[str | None, str | None]] = []
    after: str | None = None
    while True:
        page = await memory.tables.browse(
            "pets", sort=sort, descending=descending, after=after, limit=20, space=SPACE
        )
        found += [(row.key, row.values[sort or "id"]) for row in page.rows]
        after = page.after
        if after is None:
            break
    assert len(found) == len({key for key, _ in found}) == 75
    there = [value for _, value in found if value is not None]
    assert [value for _, value in found][: len(there)] == there
    numbers = [int(value) for value in there] if sort != "name" else []
    assert numbers == sorted(numbers, reverse=descending)


async def test_what_does_not_fit_is_refused(memory: AsyncMemory, pets: None) -> None:
    del pets
    browse = memory.tables.browse
    for wrong in (
        {"sort": "data"},
        {"sort": "more"},
        {"sort": "size"},
        {"match": {"size": 1}},
        {"contains": {"size": "1"}},
    ):
        with pytest.raises(BadInput):
            await browse("pets", space=SPACE, **wrong)  # pyright: ignore[reportArgumentType]
    for place in ("", "[]", "5", '["1", "2", "3"]', "[null]", '["x"]', "[1]", "{"):
        with pytest.raises(BadInput):
            await browse("pets", after=place, space=SPACE)
    with pytest.raises(NotFound):
        await browse("birds", space=SPACE)
    with pytest.raises(NotFound):
        await memory.tables.row("pets", "999", space=SPACE)


async def test_rows_are_sorted_filtered_and_read_page_by_page(client: Browser, pets: None) -> None:
    del pets
    assert "Who has animals. &lt;script&gt;" in await seen(client, "/tables")
    first = await seen(client, "/tables/pets")
    assert "Pet 3<" in first
    second = (await client.get(unescape(re.findall(r'rel="next" href="([^"]*)"', first)[0]))).text
    assert "&lt;script&gt;alert" in second
    assert "Pet 3<" not in second
    only = await seen(client, "/tables/pets", column="name", contains="pet 33", schema="memory")
    assert re.findall(r"<td>(Pet \d+)</td>", only) == ["Pet 33"]
    assert 'aria-sort="descending"' in await seen(client, "/tables/pets", sort="age", down="yes")
    assert (await client.get("/tables/pets", params={"space": SPACE, "match": "1"})).status_code == 422
    assert (await client.get("/tables/birds", params={"space": SPACE})).status_code == 404


async def test_a_row_leads_to_its_relations_and_shows_its_vectors(client: Browser, pets: None) -> None:
    del pets
    page = await seen(client, "/tables/pets/row", key="2")
    assert '<td class="amount">384</td>' in page
    owner = unescape(re.findall(r'href="([^"]*)">refers to owners', page)[0])
    answer = await client.get(owner)
    assert "<td>Ben</td>" in answer.text
    row = unescape(re.findall(r'<a href="([^"]*/row[^"]*)"', answer.text)[0])
    back = unescape(re.findall(r'href="([^"]*)">is referred to by pets', (await client.get(row)).text)[0])
    assert "<td>Pet 1</td>" in (await client.get(back)).text
    assert "<td>Pet 2</td>" not in (await client.get(back)).text
    assert (await client.get("/tables/pets/row", params={"space": SPACE, "key": "x"})).status_code == 422


async def test_rows_are_found_by_meaning(client: Browser, memory: AsyncMemory, pets: None) -> None:
    del pets
    page = await seen(client, "/tables/pets", near="Pet 42")
    assert "Nearest to “Pet 42”" in page
    near = await memory.tables.near("pets", "Pet 42", limit=5, space=SPACE)
    assert near[0].content == "Pet 42"
    assert near[0].nearness == pytest.approx(1, abs=0.01)
    assert [one.nearness for one in near] == sorted((one.nearness for one in near), reverse=True)


async def test_a_key_of_several_columns_or_of_none(client: Browser, memory: AsyncMemory) -> None:
    tables = memory.tables
    for name, key in (("shelves", ", primary key (room, place)"), ("notes", "")):
        await tables.create_table(
            name,
            f"create table {name} (room text, place int, book text{key})",
            description="x",
            embed_fields=[],
            space=SPACE,
        )
        rows = [{"room": f'r"{n % 3}', "place": n, "book": f"b{n}"} for n in range(30)]
        await tables.insert(name, rows, space=SPACE)
    first = await tables.browse("shelves", limit=20, space=SPACE)
    rest = await tables.browse("shelves", after=first.after, limit=20, space=SPACE)
    assert len({row.key for row in (*first.rows, *rest.rows)}) == 30
    assert first.rows[1].key is not None
    assert (await tables.row("shelves", first.rows[1].key, space=SPACE)).values["book"] == "b3"
    assert "b3" in await seen(client, "/tables/shelves/row", key=first.rows[1].key)
    assert "Without a primary key" in await seen(client, "/tables/notes")
    assert (await tables.browse("notes", limit=20, space=SPACE)).after is None
