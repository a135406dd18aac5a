"""From a directory with safetensors, tokenizer.json and config.json to one ONNX file, without torch."""

from quipu.kernel.embedding.convert.bert import Precision
from quipu.kernel.embedding.convert.directory import convert_model

__all__ = ["Precision", "convert_model"]
