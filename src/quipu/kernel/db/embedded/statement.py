"""The few statements that the server's own care needs, each in its file in ``sql/``."""

from __future__ import annotations

from importlib.resources import files


def statement(name: str) -> bytes:
    """The text of ``sql/<name>.sql``."""
    return (files("quipu.kernel.db.embedded") / "sql" / f"{name}.sql").read_bytes()
