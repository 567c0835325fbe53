"""Plain-English steps: read (`language`), matched with the page (`resolve`), approved (`approval`), carried out and
verified (`flow`).
"""
