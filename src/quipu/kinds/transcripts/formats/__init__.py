"""Reading what coding agents recorded: files become values, nothing is written."""
