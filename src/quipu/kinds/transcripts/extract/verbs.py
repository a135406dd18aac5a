"""Verbs of English, by the name under which the extraction knows them."""

from quipu.kernel.prose.verbs import conjugated, third_person

__all__ = ["conjugated", "third_person"]
