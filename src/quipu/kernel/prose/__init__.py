"""English prose as people write it to a machine: its paragraphs, its sentences, its verbs. Pure."""
