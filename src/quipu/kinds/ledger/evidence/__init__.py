"""Recommendations and the dated evidence behind them; what sources and tools did."""
