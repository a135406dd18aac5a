"""Sentences of messages, by the name under which the extraction knows them."""

from quipu.kernel.prose.splitting import LONGEST, Sentence, sentences

__all__ = ["LONGEST", "Sentence", "sentences"]
