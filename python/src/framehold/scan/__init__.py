"""A frame as a lazy source of polars."""
