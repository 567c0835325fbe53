"""Those who are measured. Each is a process of its own that is told what to do and says how long it took.

A driver's clock runs only while its library works: what goes between the processes is not in the figures.
"""
