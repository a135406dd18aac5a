"""The commands of ``quipu``: one module each, loaded when it is called."""
