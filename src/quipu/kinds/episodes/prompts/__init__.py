"""Prompts that wait for an answer: put in, answered by a worker, published."""
