"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .finite_worlds import World as World
from .finite_worlds import bias_variance as bias_variance
from .finite_worlds import erm as erm
from .finite_worlds import two_samples as two_samples
from .finite_worlds import unseen_cell as unseen_cell
from .named_classes import halfspaces as halfspaces
from .named_classes import intervals as intervals
from .named_classes import rectangles as rectangles
from .named_classes import thresholds as thresholds
from .neighbour_limits import neighbour_bound as neighbour_bound
from .neighbour_limits import neighbour_error as neighbour_error
from .no_free_lunch import lower_bound_distribution as lower_bound_distribution
from .no_free_lunch import no_free_lunch as no_free_lunch
from .representative_samples import chance_of_representative as chance_of_representative
from .representative_samples import representative as representative
from .set_cover import cover_of_formula as cover_of_formula
from .set_cover import satisfied as satisfied
from .set_cover import smallest_cover as smallest_cover
from .shattering import cover_count as cover_count
from .shattering import growth as growth
from .shattering import littlestone_dimension as littlestone_dimension
from .shattering import sauer as sauer
from .shattering import vc_dimension as vc_dimension
from .weak_learning import stumps as stumps
from .weak_learning import substrings as substrings
from .weak_learning import weak_edge as weak_edge
