"""The parts of ``bench/review_signals.py``."""
