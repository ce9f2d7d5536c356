"""The conventions of scikit-learn and River, as thin facades over the registry."""
