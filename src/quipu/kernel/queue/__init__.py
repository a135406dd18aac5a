"""Work that a write causes: put into the outbox with the write, done once by a worker.

``docs/decisions/queue.md`` says how, and why it is built so.
"""
