"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from ..networks.connectivity import cover as cover
from ..networks.connectivity import edge_connectivity as edge_connectivity
from ..networks.consensus import consensus as consensus
from ..networks.consensus import label_propagation as label_propagation
from ..networks.cuts import minimum_cut as minimum_cut
from ..networks.cuts import ratio_cut as ratio_cut
from ..networks.fiedler import fiedler as fiedler
from ..networks.graph_files import read_graph as read_graph
from ..networks.harmonic import harmonic as harmonic
from ..networks.harmonic import soft_harmonic as soft_harmonic
from ..networks.laplacian import cut_size as cut_size
from ..networks.laplacian import laplacian as laplacian
from ..networks.laplacian import pseudo_inverse as pseudo_inverse
from ..networks.mistake_bounds import clusters_bound as clusters_bound
from ..networks.mistake_bounds import spine_bound as spine_bound
from ..networks.mistake_bounds import trees_bound as trees_bound
from ..networks.neighbourhoods import from_points as from_points
from ..networks.p_laplacian import p_harmonic as p_harmonic
from ..networks.p_laplacian import p_resistance as p_resistance
from ..networks.random_walks import hitting_probabilities as hitting_probabilities
from ..networks.resistance import commute_time as commute_time
from ..networks.resistance import effective_resistance as effective_resistance
from ..networks.resistance import hitting_times as hitting_times
from ..networks.resistance import resistances as resistances
from ..networks.zoo import barbell as barbell
from ..networks.zoo import bow_tie as bow_tie
from ..networks.zoo import cliques as cliques
from ..networks.zoo import complete as complete
from ..networks.zoo import cycle as cycle
from ..networks.zoo import grid as grid
from ..networks.zoo import path as path
from ..networks.zoo import spielman as spielman
from ..networks.zoo import wheel as wheel
from .graph_perceptron import GraphPerceptron as GraphPerceptron
from .neighbour_majority import NeighbourMajority as NeighbourMajority
from .p_seminorm import PSeminorm as PSeminorm
from .spanning_trees import SpanningTrees as SpanningTrees
from .spine import Spine as Spine
