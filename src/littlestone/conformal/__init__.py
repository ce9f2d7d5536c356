"""Learners whose prediction sets keep their coverage on any sequence."""

from __future__ import annotations
