"""Facts and assumptions as events that cannot be changed; what stands now, and what was believed when."""
