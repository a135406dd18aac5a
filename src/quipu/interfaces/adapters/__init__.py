"""The middleware in the terms of agent frameworks; each is an optional extra."""
