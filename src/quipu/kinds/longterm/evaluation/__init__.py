"""After the agent: what a conversation says of the user that is to be kept, changed or forgotten."""
