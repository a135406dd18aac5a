"""Exchange with the SQLite files of ccrecall."""
