"""Drawing lessons from what was said in a session: facts worth keeping, each with the sentence it is from."""
