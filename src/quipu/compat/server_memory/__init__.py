"""Tools of the MCP reference server ``server-memory``: a graph of entities, relations and observations.

`quipu mcp --as server-memory` serves them. Entities and relations are documents below the path
``server-memory``; recall finds each observation and each relation as a sentence.
"""
