"""From online to batch: one predictor out of a run over an i.i.d. sample, with a bound on its risk."""
