"""Learners that label the vertices of a graph."""
