"""Prediction sets for forecasts, played and measured: `ls.intervals`."""

from __future__ import annotations
