"""Which shape or disjointness does a statement break?"""

from groundwire.hooks.ontology.checker import OntologyChecker

__all__ = ["OntologyChecker"]
