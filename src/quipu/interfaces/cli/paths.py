"""Paths that are given on a command line."""

from __future__ import annotations

from typing import Any

import click

from quipu.kernel.redact import secret_kind


class FilePath(click.Path):
    """A path in whose names no secret stands: it is printed, and kept as the name of a file."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path.

        Raises:
            click.BadParameter: its name holds a secret, or it is not what it must be.
        """
        kind = secret_kind(str(value))
        if kind is not None:
            self.fail(f"it holds a secret ({kind}); take another name.", param, ctx)
        return super().convert(value, param, ctx)
