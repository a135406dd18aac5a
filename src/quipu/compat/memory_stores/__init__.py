"""Routes of Anthropic's Memory Stores over documents: `quipu serve --compat memory-stores`."""
