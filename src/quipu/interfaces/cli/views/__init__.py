"""Views of answers for people: values in, things that rich can print out."""
