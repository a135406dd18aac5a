"""What is no longer needed goes: old sessions, expired values, the text of evidence, then evidence itself."""
