"""Pointers to what an export names but does not hold as text: images, recordings, files."""

from __future__ import annotations

import mimetypes
from typing import Final

from quipu.app.imports.fields import Account

_KINDS: Final = frozenset({"image", "audio", "video"})


def pointer(account: Account, name: str | None, media_type: str | None = None) -> str:
    """Return a pointer such as ``[image: boat.png]``, and tell that the file itself is not taken.

    The kind is image, audio, video or file, by the media type, else by the ending of the name.
    """
    kind = (media_type or mimetypes.guess_type(name or "", strict=False)[0] or "").partition("/")[0].lower()
    kind = kind if kind in _KINDS else "file"
    account.drop(f"bytes of {kind}")
    return f"[{kind}: {name}]" if name else f"[{kind}]"


def leave_files(account: Account, names: list[str]) -> None:
    """Tell of files of an export that are not read, by their endings."""
    for name in names:
        ending = name.rpartition("/")[2].rpartition(".")[2] if "." in name.rpartition("/")[2] else "no ending"
        account.leave_out(f"file beside the conversations ({ending.lower()[:16]})")
