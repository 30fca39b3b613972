"""Links and tags: other ways to a version than its number."""
