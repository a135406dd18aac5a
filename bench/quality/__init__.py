"""How good recall is: conversations with known evidence, measures, systems to compare."""
