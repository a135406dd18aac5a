"""What is left out when the contents of one server are read in by another, and whose log is whose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.archive import archive_of, cluster_of, log_of
from quipu.kernel.db.embedded.place import ClusterPlace
from quipu.kernel.db.embedded.process import Account
from quipu.kernel.db.embedded.transfer import without_administrator, without_catalogue

LISTED = """;
; Archive created at 2026-05-04 10:00:00 UTC
;
3; 3079 16385 EXTENSION - vector
312; 1255 16799 FUNCTION core harden() quipu_owner
4501; 0 0 ACL pg_catalog FUNCTION "pg_sleep"(double precision) quipu_admin
4502; 0 0 ACL information_schema TABLE tables quipu_admin
4503; 0 0 ACL core FUNCTION "harden"() quipu_owner
4504; 0 0 ACL public FUNCTION "armor"("bytea") quipu_admin
"""


def test_rights_on_the_catalogue_of_the_old_version_are_left_out_and_nothing_else() -> None:
    left = without_catalogue(LISTED).splitlines()
    assert [line for line in LISTED.splitlines() if line not in left] == LISTED.splitlines()[5:7]


def test_the_administrator_is_not_made_twice_and_keeps_what_was_set() -> None:
    script = (
        "CREATE ROLE quipu_admin;\nALTER ROLE quipu_admin WITH SUPERUSER;\nCREATE ROLE quipu_admin_of_ana;\n"
    )
    expected = "ALTER ROLE quipu_admin WITH SUPERUSER;\nCREATE ROLE quipu_admin_of_ana;\n"
    assert without_administrator(script) == expected


def test_each_cluster_has_a_directory_of_its_own_for_its_log(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, archive=True)
    place = ClusterPlace(
        home=tmp_path, state=tmp_path / "postgres", account=Account(name="ana", uid=1, gid=1)
    )
    control = place.data / "global" / "pg_control"
    control.parent.mkdir(parents=True)
    control.write_bytes(b"12345678 and what follows")
    first = cluster_of(place.data)
    assert archive_of(place, settings) == place.state / "backups" / "wal"
    control.write_bytes(b"87654321 and what follows")
    second = cluster_of(place.data)
    later = archive_of(place, replace(settings, archive=None))
    assert later == place.state / "backups" / f"wal-{second}"
    assert log_of(place, settings, first) == place.state / "backups" / "wal"
    assert log_of(place, settings, second) == later
    assert cluster_of(tmp_path) is None
