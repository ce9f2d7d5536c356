"""The best comparator in hindsight, as folds over chunks in stated memory."""
