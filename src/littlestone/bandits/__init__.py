"""Bandits: one arm a round, and only its loss is seen."""
