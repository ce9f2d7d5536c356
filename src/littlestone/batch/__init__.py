"""From online to batch: make one predictor from a run over an i.i.d. sample, with a bound on its risk."""

from ..core.groups import make_group

make_group(__name__)
