"""The memory as tools for a model, through the Model Context Protocol.

A tool is one value of `model.Tool`: what a model reads of it, what it is given, what it answers, and the
call of the memory behind it. A new one is a function in a file of ``tools/`` and a line in
``tools/every.py``; there are at most thirteen, because each costs every conversation tokens. Whose memory it
is stands in `model.Caller`, which the configuration or the API key settles: no tool has a parameter for it.
"""
