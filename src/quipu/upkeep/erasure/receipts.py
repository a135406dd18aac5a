"""Receipts: what is signed, how, and how it is verified without the database. Pure.

A receipt is a document of numbers, digests and names of our own tables. It is signed with Ed25519 over its
canonical form (JSON with sorted keys and without spaces, in ASCII, after a line that says what it is), and it
names the digest of the one before it, so that none can be left out, added or moved unseen. It holds nothing
of a person: neither a name nor a hash of one.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, cast

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from quipu.errors import BadInput
from quipu.kernel.base.depth import TOO_DEEP, is_too_deep
from quipu.upkeep.erasure.model import Receipt, Verified

_HEADER: Final = b"quipu receipt of an erasure, 1\n"
_KEY_BYTES: Final = 32
_MOST_MISSING: Final = 1_000
START: Final = "0" * 64
"""What the first receipt of a chain names as the one before it."""


@dataclass(frozen=True, slots=True)
class KeyPair:
    """The key that signs receipts, and the one that verifies them."""

    signing: bytes
    public: bytes

    @classmethod
    def new(cls) -> KeyPair:
        """Make a key from the randomness of the operating system."""
        made = Ed25519PrivateKey.generate()
        return cls(made.private_bytes_raw(), made.public_key().public_bytes_raw())

    @classmethod
    def of(cls, signing: bytes) -> KeyPair:
        """Return the pair of a signing key."""
        public = Ed25519PrivateKey.from_private_bytes(signing).public_key().public_bytes_raw()
        return cls(signing, public)


def sign(document: Mapping[str, Any], pair: KeyPair) -> Receipt:
    """Return the document with its signature."""
    signature = Ed25519PrivateKey.from_private_bytes(pair.signing).sign(canonical(document))
    return Receipt(document=document, signature=signature, public_key=pair.public)


def canonical(document: Mapping[str, Any]) -> bytes:
    """Return the bytes that are signed."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return _HEADER + text.encode("ascii")


def digest(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the signed bytes, by which the next receipt names this one."""
    return hashlib.sha256(canonical(document)).hexdigest()


def fingerprint(public_key: bytes) -> str:
    """Return the SHA-256 of a public key, by which people compare it."""
    return hashlib.sha256(public_key).hexdigest()


def plain(receipt: Receipt) -> dict[str, object]:
    """Return a receipt as JSON has it; ``read`` takes it back."""
    return {
        "receipt": dict(receipt.document),
        "signature": b64encode(receipt.signature).decode("ascii"),
        "public_key": b64encode(receipt.public_key).decode("ascii"),
    }


def read(text: str) -> list[Receipt]:
    """Read the receipts in a file: one, a list, one a line, or what ``quipu receipts list --json`` prints.

    Raises:
        BadInput: it is not that; names the place.
    """
    if is_too_deep(text.encode("utf-8", "replace")):
        raise BadInput(f"{TOO_DEEP}.", field="file")
    try:
        values = [_value(text)]
    except ValueError:
        values = _lines(text)
    receipts: list[Receipt] = []
    for value in values:
        receipts += _receipts(value)
    if not receipts:
        raise BadInput("there is no receipt in it.", field="file")
    return receipts


def key_of(text: str) -> bytes:
    """Read a public key as ``quipu receipts key`` prints it: base64 of 32 bytes, or JSON with ``public_key``.

    Raises:
        BadInput: it is none.
    """
    content = text.strip()
    try:
        if is_too_deep(content.encode("utf-8", "replace")):
            raise ValueError(TOO_DEEP)
        value = json.loads(content)
        if isinstance(value, dict):
            content = str(cast("Mapping[str, object]", value)["public_key"])
    except (ValueError, KeyError):
        pass
    key = _base64(content)
    if key is None or len(key) != _KEY_BYTES:
        raise BadInput(
            "that is no public key.", field="key", hint="Hand in a public key as it was given out."
        )
    return key


def verify(receipts: Sequence[Receipt], *, key: bytes | None = None) -> Verified:
    """Verify signatures, and the chain between the receipts.

    ``key`` is the public key that is trusted; without one, that of the first receipt is taken, which proves
    no more than that all were signed with the same one.
    """
    trusted = key or receipts[0].public_key
    faults = [fault for one in receipts for fault in _faults(one, trusted)]
    ordered = sorted(receipts, key=lambda one: _number(one, "number"))
    gaps: list[int] = []
    for before, after in pairwise(ordered):
        here, there = _number(before, "number"), _number(after, "number")
        if there == here:
            if digest(before.document) != digest(after.document):
                faults.append(f"there are two receipts with the number {here}")
        elif there == here + 1:
            if after.document.get("previous") != digest(before.document):
                faults.append(f"receipt {there} does not follow receipt {here}")
        else:
            gaps += range(here + 1, min(there, here + 1 + _MOST_MISSING - len(gaps)))
    faults += _space_faults(ordered)
    if ordered and _number(ordered[0], "number") == 1 and ordered[0].document.get("previous") != START:
        faults.append("receipt 1 is not the first of its chain")
    return Verified(
        holds=not faults,
        faults=tuple(faults),
        receipts=len(receipts),
        missing=tuple(gaps),
        key=fingerprint(trusted),
        key_given=key is not None,
    )


def _space_faults(ordered: Sequence[Receipt]) -> list[str]:
    """Return faults where consecutive receipts of one space do not name each other."""
    last: dict[int, Receipt] = {}
    faults: list[str] = []
    for one in ordered:
        space = _number(one, "space")
        before = last.get(space)
        follows = before is not None and _number(one, "space_number") == _number(before, "space_number") + 1
        if before is not None and follows and one.document.get("space_previous") != digest(before.document):
            faults.append(f"receipt {_number(one, 'number')} does not follow the last of its space")
        last[space] = one
    return faults


def _faults(one: Receipt, trusted: bytes) -> list[str]:
    number = _number(one, "number")
    if one.public_key != trusted:
        return [f"receipt {number} was signed with another key"]
    if one.document.get("key") != fingerprint(trusted):
        return [f"receipt {number} names another key"]
    try:
        Ed25519PublicKey.from_public_bytes(trusted).verify(one.signature, canonical(one.document))
    except (InvalidSignature, ValueError):
        return [f"the signature of receipt {number} does not hold: it was changed, or signed by another key"]
    return []


def _number(one: Receipt, name: str) -> int:
    value = one.document.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _value(text: str) -> Any:
    """Read a text as JSON, without NaN."""

    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


def _lines(text: str) -> list[Any]:
    lines: list[Any] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                lines.append(_value(line))
            except ValueError:
                raise BadInput(f"line {number} is no JSON.", field="file") from None
    return lines


def _receipts(value: object) -> list[Receipt]:
    if isinstance(value, list):
        return [one for item in cast("list[object]", value) for one in _receipts(item)]
    if not isinstance(value, dict):
        raise BadInput("it holds something that is no receipt.", field="file")
    fields = cast("Mapping[str, Any]", value)
    if isinstance(fields.get("items"), list):
        return _receipts(fields["items"])
    document = fields.get("receipt")
    signature, key = _base64(fields.get("signature")), _base64(fields.get("public_key"))
    if not isinstance(document, dict) or signature is None or key is None or len(key) != _KEY_BYTES:
        raise BadInput(
            "a receipt has receipt, signature and public_key.",
            field="file",
            hint="Hand in the document of a receipt as it was given out.",
        )
    return [Receipt(document=cast("Mapping[str, Any]", document), signature=signature, public_key=key)]


def _base64(value: object) -> bytes | None:
    try:
        return b64decode(value, validate=True) if isinstance(value, str) else None
    except (NotBase64, ValueError):
        return None
