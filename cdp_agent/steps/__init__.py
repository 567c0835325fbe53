"""Plain-English steps: read, held against the page, approved, carried out, verified. In four folders, in this order."""
