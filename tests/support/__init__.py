"""Fixtures and worked rows that several tests share."""
