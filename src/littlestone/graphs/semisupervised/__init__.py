"""A few labels and many vertices, or points: fill in the rest; by scikit-learn's conventions."""

from __future__ import annotations
