"""What has to be applied to a database, and which databases are refused."""

from __future__ import annotations

import pytest

from quipu.app.kinds import PACKAGES
from quipu.errors import MigrationRefused
from quipu.kernel.db.migrate import Migration, found_in, missing

SPACES = Migration("db", "0001_spaces", "create table spaces ()")
LATER = Migration("db", "0002_later", "alter table spaces add column a int")
KEYS = Migration("keys", "0001_keys", "create table keys ()")


def applied(*migrations: Migration) -> dict[tuple[str, str], str]:
    return {(one.room, one.version): one.sha256 for one in migrations}


def test_what_is_not_applied_is_missing_in_order() -> None:
    assert missing([SPACES, LATER, KEYS], {}) == [SPACES, LATER, KEYS]
    assert missing([SPACES, LATER, KEYS], applied(SPACES)) == [LATER, KEYS]
    assert missing([SPACES, LATER, KEYS], applied(SPACES, LATER, KEYS)) == []


@pytest.mark.parametrize("unknown", [LATER, KEYS])
def test_a_database_of_a_newer_version_is_refused(unknown: Migration) -> None:
    with pytest.raises(MigrationRefused, match="newer version of Quipu") as refused:
        missing([SPACES], applied(SPACES, unknown))
    assert "pip install --upgrade" in str(refused.value.hint)


def test_an_edited_migration_is_refused() -> None:
    with pytest.raises(MigrationRefused, match="db/0001_spaces has been edited"):
        missing([SPACES], {("db", "0001_spaces"): "0" * 64})


def test_a_database_of_before_the_first_release_is_refused_with_the_way_out() -> None:
    before = Migration("db", "0001_house", "create table spaces (a int)")
    with pytest.raises(MigrationRefused, match=r"before the first release .*db/0001_house") as refused:
        missing([SPACES, LATER, KEYS], applied(before, LATER))
    assert "--home" in str(refused.value.hint)
    assert "transcripts sync" in str(refused.value.hint)


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_begins_with_one_migration(package: str) -> None:
    versions = [one.version for one in found_in(package)]
    assert [version[:4] for version in versions] == [f"{number + 1:04}" for number in range(len(versions))]
