"""The lecture notes as a course: statements, errata, and what only lectures need."""
