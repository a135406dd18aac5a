"""Forms of texts: the sections of a document, each with its heading and the lines on which it stands."""
