"""The recorded conversations that ship with the project."""

from __future__ import annotations

from pathlib import Path

import quipu
from quipu.errors import NotFound

_PACKAGE = Path(quipu.__file__).parent


def samples() -> Path:
    """Return the directory of the samples: inside an installed package, beside ``src`` in a checkout.

    Raises:
        NotFound: this installation has none.
    """
    for place in (_PACKAGE / "samples", _PACKAGE.parent.parent / "samples"):
        if (place / "questions.json").is_file():
            return place
    raise NotFound(
        "The samples are not installed.", hint="Use your own sessions: quipu demo --from ~/.claude/projects"
    )
