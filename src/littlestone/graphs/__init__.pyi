"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .algorithms.build import graph as graph
from .algorithms.connectivity import cover as cover
from .algorithms.connectivity import edge_connectivity as edge_connectivity
from .algorithms.cuts import minimum_cut as minimum_cut
from .algorithms.cuts import ratio_cut as ratio_cut
from .algorithms.fiedler import fiedler as fiedler
from .algorithms.graph import Graph as Graph
from .algorithms.graph_files import read_graph as read_graph
from .algorithms.harmonic import harmonic as harmonic
from .algorithms.harmonic import soft_harmonic as soft_harmonic
from .algorithms.laplacian import cut_size as cut_size
from .algorithms.laplacian import graph_kernel as graph_kernel
from .algorithms.laplacian import laplacian as laplacian
from .algorithms.laplacian import pseudo_inverse as pseudo_inverse
from .algorithms.mistake_bounds import clusters_bound as clusters_bound
from .algorithms.mistake_bounds import spine_bound as spine_bound
from .algorithms.mistake_bounds import trees_bound as trees_bound
from .algorithms.neighbourhoods import from_points as from_points
from .algorithms.p_laplacian import p_harmonic as p_harmonic
from .algorithms.p_laplacian import p_resistance as p_resistance
from .algorithms.resistance import commute_time as commute_time
from .algorithms.resistance import effective_resistance as effective_resistance
from .algorithms.resistance import hitting_times as hitting_times
from .algorithms.resistance import resistances as resistances
from .algorithms.zoo import barbell as barbell
from .algorithms.zoo import bow_tie as bow_tie
from .algorithms.zoo import cliques as cliques
from .algorithms.zoo import complete as complete
from .algorithms.zoo import cycle as cycle
from .algorithms.zoo import grid as grid
from .algorithms.zoo import path as path
from .algorithms.zoo import spielman as spielman
from .algorithms.zoo import wheel as wheel
from .learners.graph_perceptron import GraphPerceptron as GraphPerceptron
from .learners.neighbour_majority import NeighbourMajority as NeighbourMajority
from .learners.p_seminorm import PSeminorm as PSeminorm
from .learners.spanning_trees import SpanningTrees as SpanningTrees
from .learners.spine import Spine as Spine
from .semisupervised.eigenfunction_classifier import (
    EigenfunctionClassifier as EigenfunctionClassifier,
)
from .semisupervised.harmonic_classifier import HarmonicClassifier as HarmonicClassifier
from .semisupervised.harmonic_classifier import SoftHarmonic as SoftHarmonic
from .semisupervised.min_cut_classifier import MinCutClassifier as MinCutClassifier
from .semisupervised.p_laplacian import PLaplacian as PLaplacian
from .semisupervised.spectral_clusters import SpectralClusters as SpectralClusters
from .semisupervised.threshold_dynamics import ThresholdDynamics as ThresholdDynamics
