"""Measure Groundwire beside its peers; every figure in the documentation comes from a file under results/."""
