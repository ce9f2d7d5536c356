"""Models that were fitted elsewhere: what may be claimed of them, and how many rows a claim takes."""
