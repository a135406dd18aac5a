"""Small things that everybody may use: time, text, names, echoes, the bridge to blocking code."""
