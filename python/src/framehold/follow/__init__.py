"""Rows of a frame as they are added."""
