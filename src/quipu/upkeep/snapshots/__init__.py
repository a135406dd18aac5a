"""Snapshots of agents' schemas: taken, thinned out, put back; dumps that are handed out and taken in."""
