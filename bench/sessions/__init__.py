"""Recorded sessions of coding agents made up for measuring: lines, thoughts, calls and what they answered."""
