"""Results as people read them: in a terminal and as a page."""
