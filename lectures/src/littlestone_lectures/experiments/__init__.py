"""Experiments of the lectures as functions: each takes sizes, a seed, and models or generators of one's own."""
