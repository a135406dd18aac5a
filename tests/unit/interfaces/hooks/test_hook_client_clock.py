"""The mark that the service is broken counts for a minute, and not at all where it is of the future."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from quipu.interfaces.hooks import client


@pytest.mark.parametrize(("seconds_ago", "broken"), [(5, True), (3_600, False), (-3_600, False)])
def test_a_mark_of_the_future_is_one_of_a_clock_that_was_set_back(
    tmp_path: Path, seconds_ago: int, broken: bool
) -> None:
    mark = Path(client.make_run_directory(str(tmp_path))) / "broken"
    mark.touch()
    at = time.time() - seconds_ago
    os.utime(mark, (at, at))
    assert client._is_broken(str(tmp_path)) is broken  # pyright: ignore[reportPrivateUsage]
