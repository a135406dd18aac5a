"""Episodes in the index of recall, which follows whatever writes them."""
