"""What ``bench/pages.py`` measures with: a space that is filled, and the addresses that show it."""
