"""How answers look for people: values in, things that rich can print out."""
