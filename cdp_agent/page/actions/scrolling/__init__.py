"""One scroll of one box: which box that is, how it moves and when it is at rest, and the search for a text in it."""
