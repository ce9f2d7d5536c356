"""Learners whose prediction sets keep their coverage on any sequence."""
