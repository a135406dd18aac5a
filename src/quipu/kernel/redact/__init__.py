"""Secrets leave a text before it is stored: ``redact(text)``.

What is taken for a secret, what is not, and why: ``docs/decisions/redaction.md``.
"""

from quipu.kernel.redact.redaction import Redacted, redact, secret_kind, token_kind

__all__ = ["Redacted", "redact", "secret_kind", "token_kind"]
