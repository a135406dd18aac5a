"""A directory that a killed start made and did not hand over is handed over by the next."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from quipu.errors import ServerError
from quipu.kernel.db.embedded.place import make_private
from quipu.kernel.db.embedded.process import Account

OTHER = Account("nobody", 65534, 65534, borrowed=True)
ONLY_ROOT = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root hands directories over"
)


@ONLY_ROOT
def test_an_empty_directory_of_ours_is_handed_over(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    make_private(tmp_path / "run", OTHER)
    assert (tmp_path / "run").stat().st_uid == OTHER.uid


@ONLY_ROOT
@pytest.mark.parametrize("fault", ["open", "full", "theirs"])
def test_any_other_directory_is_refused(tmp_path: Path, fault: str) -> None:
    place = tmp_path / "run"
    place.mkdir(mode=0o700)
    if fault == "open":
        place.chmod(0o777)
    elif fault == "full":
        (place / "file").touch()
    else:
        os.chown(place, 1234, 1234)
    with pytest.raises(ServerError, match="mode 0700"):
        make_private(place, OTHER)
