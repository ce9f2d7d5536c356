"""Learners that remember: hypotheses that come back, in one task or in several."""
