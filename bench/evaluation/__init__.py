"""Conversations with an assistant, labelled with what is to be remembered, changed and forgotten."""
