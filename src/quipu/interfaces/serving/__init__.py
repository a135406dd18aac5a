"""Parts that every door of a server needs: the caller, their rights, and the server's own objects."""
