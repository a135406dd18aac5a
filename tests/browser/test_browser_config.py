"""`/config/memory`, settings and keys in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from quipu import Memory


@pytest.fixture
def space(memory: Memory, request: pytest.FixtureRequest) -> str:
    """A space of this test, with a table of one row."""
    name = f"tables {request.node.name}"
    memory.tables.create_table(
        "pets",
        "create table pets (id serial primary key, name text not null)",
        description="Animals of the house.",
        embed_fields=["name"],
        space=name,
    )
    memory.tables.insert("pets", {"name": "Mio"}, space=name)
    return name


def rows(memory: Memory, space: str, schema: str = "memory") -> list[str]:
    found = memory.tables.query("select name from pets order by id", space=space, schema=schema)
    return [row["name"] for row in found.results]


def test_a_snapshot_is_taken_restored_and_the_restore_undone(
    page: Page, memory: Memory, space: str, sound: Callable[[Page], None]
) -> None:
    page.goto(f"/config/memory?space={quote(space)}")
    page.get_by_role("button", name="Take one now").click()
    expect(page.get_by_role("status")).to_contain_text("is taken: 1 row")
    memory.tables.insert("pets", {"name": "Rex"}, space=space)
    sound(page)
    page.get_by_role("link", name="Restore").click()
    expect(page.get_by_role("table")).to_contain_text("-1")
    sound(page)
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("status")).to_contain_text("To undo it, restore memory_")
    assert rows(memory, space) == ["Mio"]
    page.get_by_role("row", name="before-restore").get_by_role("link", name="Restore").click()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("status")).to_contain_text("is in its place: 2 rows")
    assert rows(memory, space) == ["Mio", "Rex"]


def test_a_dump_goes_out_and_comes_in_again(
    page: Page, memory: Memory, space: str, sound: Callable[[Page], None], tmp_path: Path
) -> None:
    page.goto(f"/config/memory?space={quote(space)}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Full backup").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    page.goto(f"/config/memory?space={quote(space)}&schema=copy")
    page.get_by_label("Dump").set_input_files(file)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("row", name="pets")).to_contain_text("added")
    sound(page)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("status")).to_contain_text("is in its place: 1 row")
    assert rows(memory, space, "copy") == ["Mio"]
    sound(page)


def test_the_retention_is_kept(page: Page, memory: Memory, space: str) -> None:
    page.goto(f"/config/memory?space={quote(space)}")
    page.get_by_label("Keep snapshots for (days)").fill("14")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("stay 14 days")
    assert memory.settings.get("memory_snapshot_retention_days", space=space).value == 14


def test_a_setting_is_changed_and_taken_back(page: Page, space: str, sound: Callable[[Page], None]) -> None:
    page.goto(f"/config/settings?space={quote(space)}")
    page.get_by_role("link", name="episode_boost").click()
    page.get_by_label("Value").fill("0.5")
    page.get_by_label("For").select_option("one")
    sound(page)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("episode_boost is 0.5 now")
    page.get_by_label("For").select_option("one")
    page.get_by_role("button", name="Back to the default").click()
    expect(page.get_by_role("status")).to_contain_text("(default)")


def test_a_key_is_shown_once_and_ended(page: Page, space: str, sound: Callable[[Page], None]) -> None:
    page.goto(f"/keys?space={quote(space)}")
    page.get_by_label("Purpose").fill(space)
    page.get_by_role("button", name="Create").click()
    token = page.get_by_label("Token").input_value()
    assert token.startswith("quipu_")
    sound(page)
    page.goto(f"/keys?space={quote(space)}")
    expect(page.get_by_label("Token")).to_have_count(0)
    page.get_by_role("link", name=f"Revoke {space}").click()
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("status")).to_contain_text("is revoked")
