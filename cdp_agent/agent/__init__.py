"""A model works until the task is done: the loop, its turns, and the events that they make.

Imports everything below, and `steps` where a run goes by steps. `agent.py` is the class that users have.
"""
