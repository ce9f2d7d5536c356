"""Hostile runs whose true verdict is known: `tools/verdicts.py` plays them and counts false verdicts."""
