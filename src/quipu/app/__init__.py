"""The only place that knows all kinds: opens them, takes in through them, recalls across them."""
