"""Verifying receipts of erasures, without a database.

from quipu.receipts import read, verify
assert verify(read(Path("receipt.json").read_text())).holds
"""

from quipu.upkeep.erasure.model import PublicKey, Receipt, Verified
from quipu.upkeep.erasure.receipts import canonical, digest, fingerprint, key_of, plain, read, verify

__all__ = [
    "PublicKey",
    "Receipt",
    "Verified",
    "canonical",
    "digest",
    "fingerprint",
    "key_of",
    "plain",
    "read",
    "verify",
]
