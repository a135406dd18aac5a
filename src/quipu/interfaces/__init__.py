"""The doors: parse what was asked, call one method, print what it gave."""
