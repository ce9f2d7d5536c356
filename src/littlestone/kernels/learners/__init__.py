"""Learners whose prediction is a function in a space that a kernel makes."""
