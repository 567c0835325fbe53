"""MiniWoB++: small web tasks, each scored by its own page, driven by scripted policies through the public API."""
