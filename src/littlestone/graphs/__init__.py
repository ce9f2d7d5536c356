"""Learners that label a network, one vertex at a time."""

from __future__ import annotations
