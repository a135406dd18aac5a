"""What every door of a server needs: who asks, how much they may, what a running server works with."""
