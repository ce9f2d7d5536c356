"""The best comparators in hindsight.

`folds/` adds rounds up chunk by chunk, in memory that does not grow with their number; `search/` looks for comparators
in rounds that were kept. Neither reads a clock: a search is limited by the work that it counts (`search/clock.py`).
"""
