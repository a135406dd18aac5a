"""The benchmarks are programs beside the package, not part of it: put their folder on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench"))
