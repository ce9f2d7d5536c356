"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .biclusters import latent_blocks as latent_blocks
from .biclusters import neighbours as neighbours
from .matrix_factorisation import MatrixFactorisation as MatrixFactorisation
from .max_norm import max_norm as max_norm
from .meg_imcsi import MEGIMCSI as MEGIMCSI
from .multitask_kernel import complexity as complexity
from .multitask_kernel import play_tasks as play_tasks
from .multitask_rkhs import MultitaskRKHS as MultitaskRKHS
from .named_pairs import complete_named as complete_named
from .path_tree import path_tree as path_tree
from .quasi_dimension import bound_by_classes as bound_by_classes
from .row_majority import RowMajority as RowMajority
