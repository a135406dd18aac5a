"""Standing rules: what people told an assistant to do from now on, kept until they take it back."""
