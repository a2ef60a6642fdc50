"""Tables of crossings and calls."""
