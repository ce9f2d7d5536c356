"""Exercises with witnesses: what is asked, and the points, rows or numbers that prove the answer."""
