"""`/config/memory`: tables, snapshots, retention, export and import, as seed 002 asks for it."""

from __future__ import annotations

import re
from html import unescape

import httpx
import pytest
from page_client import Browser, faults

from quipu import AsyncMemory

SPACE = "config"
HERE = f"/config/memory?space={SPACE}"
TABLE = "create table pets (id serial primary key, name text not null, kind text)"


@pytest.fixture(scope="module", autouse=True)
async def _tables(memory: AsyncMemory) -> None:
    await memory.tables.create_table(
        "pets",
        TABLE,
        description="Animals <b>of the house</b>",
        embed_fields=["name"],
        space=SPACE,
    )
    await memory.tables.insert("pets", {"name": "Mio", "kind": "cat"}, space=SPACE)


async def names(memory: AsyncMemory) -> list[str]:
    return [one.name for one in await memory.snapshots.list(space=SPACE, schema="memory")]


async def pets(memory: AsyncMemory) -> int:
    return (await memory.tables.query("select name from pets", space=SPACE)).count


async def exported(client: Browser, what: str) -> httpx.Response:
    """The dump; where it takes long to make, fetched from the page of its work."""
    answer = await client.get(f"/config/memory/export?space={SPACE}&what={what}")
    if answer.status_code == 303:
        page = await client.outcome(answer)
        made = re.search(r'href="([^"]*/export/[^"]+)"', page)
        assert made is not None, page
        answer = await client.get(unescape(made[1]))
    return answer


async def test_it_lists_tables_with_what_they_are_for(client: Browser) -> None:
    page = (await client.get(HERE)).text
    assert faults(page) == []
    assert "Animals &lt;b&gt;of the house" in page
    table = (await client.get(f"/config/memory/tables/pets?space={SPACE}")).text
    assert faults(table) == []
    assert re.search(r'name <span class="tag">embedded', table)
    assert (await client.get(f"/config/memory/tables/nothing?space={SPACE}")).status_code == 404


async def test_the_retention_is_kept_for_the_space_within_its_range(
    client: Browser, memory: AsyncMemory
) -> None:
    where = f"/config/memory/settings?space={SPACE}"
    assert (await client.submit(where, {"days": "14"})).status_code == 303
    kept = await memory.settings.get("memory_snapshot_retention_days", space=SPACE)
    assert (kept.value, kept.source) == (14, "space")
    refused = await client.submit(where, {"days": "400"})
    assert refused.status_code == 422
    assert "1 to 365" in refused.text


async def test_a_snapshot_is_taken_restored_after_a_preview_and_deleted(
    client: Browser, memory: AsyncMemory
) -> None:
    taken = await client.submit(f"/config/memory/snapshots?space={SPACE}")
    assert "is taken: 1 row." in await client.outcome(taken)
    [name] = await names(memory)
    await memory.tables.insert("pets", {"name": "Rex", "kind": "dog"}, space=SPACE)
    restore = f"/config/memory/snapshots/{name}/restore?space={SPACE}"
    page = (await client.get(restore)).text
    assert faults(page) == []
    assert re.search(r"pets</td>\s*<td class=\"amount\">2</td>\s*<td class=\"amount\">1</td>", page)
    assert (await client.submit(restore)).headers["location"] == restore
    assert await pets(memory) == 2
    done = await client.outcome(await client.submit(restore, {"confirmed": "yes"}))
    assert "To undo it, restore memory_" in done
    assert await pets(memory) == 1
    assert len(await names(memory)) == 2
    delete = f"/config/memory/snapshots/{name}/delete?space={SPACE}"
    assert "Delete this snapshot?" in (await client.get(delete)).text
    assert (await client.submit(delete, {"confirmed": "yes"})).status_code == 303
    assert name not in await names(memory)
    assert (await client.get(restore)).status_code == 404


async def test_what_cannot_be_restored_says_why(client: Browser) -> None:
    strange = f"/config/memory/snapshots/..%2f..%2fpasswd/restore?space={SPACE}"
    assert (await client.get(strange)).status_code in (404, 422)
    odd = await client.get(f"/config/memory/snapshots/odd.sql/restore?space={SPACE}")
    assert odd.status_code == 422
    assert faults(odd.text) == []


@pytest.mark.parametrize(("what", "has_rows"), [("full", True), ("structure", False)])
async def test_a_dump_is_handed_out_as_a_file(client: Browser, what: str, has_rows: bool) -> None:
    answer = await exported(client, what)
    assert answer.headers["content-disposition"] == f'attachment; filename="memory_{what}.sql"'
    assert "create table" in answer.text.lower()
    assert ("Mio" in answer.text) is has_rows


async def test_a_dump_is_taken_in_after_a_preview(client: Browser, memory: AsyncMemory) -> None:
    dump = (await exported(client, "full")).content
    page = (await client.get(HERE)).text
    token = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert token is not None
    where = "/config/memory/import?space=config&schema=copy"
    files = {"dump": ("memory.sql", dump, "application/sql")}
    assert (await client.post(where, files=files, data={"csrf_token": "guessed"})).status_code == 403
    shown = await client.post(where, files=files, data={"csrf_token": token[1]})
    assert shown.status_code == 200
    assert faults(shown.text) == []
    assert "pets" in shown.text
    assert "copy" not in [one.name for one in await memory.tables.schemas(space=SPACE)]
    put_in = re.search(r'action="([^"]*/import/[^"]+)"', shown.text)
    assert put_in is not None
    done = await client.outcome(await client.submit(unescape(put_in[1]), {"confirmed": "yes"}))
    assert "is in its place: 1 row." in done
    assert "copy" in [one.name for one in await memory.tables.schemas(space=SPACE)]
    assert (await client.get(unescape(put_in[1]))).status_code == 404


async def test_hostile_and_large_files_are_refused_with_what_is_wrong(
    client: Browser, stranger: Browser, memory: AsyncMemory
) -> None:
    page = (await client.get(HERE)).text
    token = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert token is not None
    where = f"/config/memory/import?space={SPACE}"
    hostile = {"dump": ("x.sql", b"copy x from program 'id';\n", "application/sql")}
    refused = await client.post(where, files=hostile, data={"csrf_token": token[1]})
    assert refused.status_code == 422
    assert faults(refused.text) == []
    large = {"dump": ("x.sql", b"-" * 200_000, "application/sql")}
    refused = await client.post(where, files=large, data={"csrf_token": token[1]})
    assert refused.status_code == 413
    assert (await stranger.post(where, files=hostile)).status_code == 303
    assert (await client.post(where, data={"csrf_token": token[1]})).status_code == 422
