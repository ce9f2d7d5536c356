"""Matrices of two labels, completed entry by entry, with what is known about rows and columns."""
