"""Labels and keys as text."""

from __future__ import annotations

import numpy as np


def as_text(label: object) -> str:
    """A label or key as text, by which those of tables and those that a user names are compared.

    >>> as_text(1), as_text(1.0), as_text(True), as_text(" yes")
    ('1', '1', 'true', 'yes')
    """
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label)).lower()
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label).strip()
