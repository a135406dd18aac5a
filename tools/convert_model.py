"""Make a model directory of ours from safetensors: how the bundled model was made.

    python tools/convert_model.py SOURCE TARGET [--name NAME] [--precision int8|fp32]

SOURCE holds model.safetensors, tokenizer.json and config.json. Needs numpy only; the same input gives the
same bytes. To add a model to an installation use ``quipu model add``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from quipu.kernel.embedding.convert import convert_model


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--name", help="default: the name of TARGET")
    parser.add_argument("--precision", choices=("int8", "fp32"), default="int8")
    options = parser.parse_args()
    options.target.mkdir(parents=True, exist_ok=True)
    name = options.name or options.target.resolve().name
    convert_model(options.source, options.target, name=name, precision=options.precision)


if __name__ == "__main__":
    main()
