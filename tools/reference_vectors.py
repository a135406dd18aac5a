"""Write the full-precision vectors that the bundled 8-bit model is tested against.

    python tools/reference_vectors.py SOURCE

SOURCE holds the original weights of the bundled model (see its NOTICE).
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from quipu.kernel.embedding.convert import convert_model
from quipu.kernel.embedding.embedder import LocalEmbedder
from quipu.kernel.embedding.stored import read_model

TESTS = Path(__file__).resolve().parent.parent / "tests" / "unit" / "kernel" / "embedding"


def main() -> None:
    sentences = (TESTS / "sentences.txt").read_text(encoding="utf-8").splitlines()
    with TemporaryDirectory() as directory:
        convert_model(Path(sys.argv[1]), Path(directory), name="reference", precision="fp32")
        embedder = LocalEmbedder(read_model(Path(directory)))
        rows = np.stack([embedder.embed_now(sentence) for sentence in sentences])
    np.save(TESTS / "fp32_vectors.npy", rows.astype(np.float16))


if __name__ == "__main__":
    main()
