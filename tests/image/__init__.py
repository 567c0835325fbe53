"""The container image, built and run by an engine, or by its own steps in a folder."""
