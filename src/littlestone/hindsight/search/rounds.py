"""`KeptRounds` by its first name."""

from .kept_rounds import KeptRounds as Rounds

__all__ = ["Rounds"]
