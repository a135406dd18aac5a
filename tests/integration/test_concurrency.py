"""Many at once: nothing is lost, torn or counted wrongly, whoever writes, reads and erases meanwhile."""
