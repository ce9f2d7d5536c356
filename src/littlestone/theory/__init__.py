"""What the theory says by itself: how rich a class is, why a problem is hard, how many ways there are to switch."""

from __future__ import annotations

from .named_classes import halfspaces as halfspaces
from .named_classes import intervals as intervals
from .named_classes import rectangles as rectangles
from .named_classes import thresholds as thresholds
from .shattering import cover_count as cover_count
from .shattering import growth as growth
from .shattering import littlestone_dimension as littlestone_dimension
from .shattering import sauer as sauer
from .shattering import vc_dimension as vc_dimension
from .weak_learning import stumps as stumps
from .weak_learning import substrings as substrings
from .weak_learning import weak_edge as weak_edge
