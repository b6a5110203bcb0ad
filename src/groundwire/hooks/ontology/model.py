"""An ontology as lookups: classes with their ancestors, disjoint pairs, properties, individuals, labels."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from groundwire.errors import InputError
from groundwire.hooks.extras import load
from groundwire.text.tokens import stem

MAX_BYTES = 8_000_000
_MAX_MEMBERS = 1_000
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
_SH = "http://www.w3.org/ns/shacl#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
SUBCLASS = f"{_RDFS}subClassOf"
RESERVED = (_SH, _OWL, f"{_RDFS}domain", f"{_RDFS}range", f"{_RDFS}subPropertyOf")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_-]")


@dataclass(frozen=True, slots=True)
class Property:
    """What a property joins: classes or a datatype, None where the ontology does not say."""

    domains: frozenset[str]
    ranges: frozenset[str]
    datatype: str
    is_object: bool


@dataclass(frozen=True, slots=True)
class Model:
    """All that the fast checks ask for."""

    ancestors: Mapping[str, frozenset[str]]
    disjoint: Mapping[str, frozenset[str]]
    properties: Mapping[str, Property]
    types: Mapping[str, frozenset[str]]
    class_labels: Mapping[tuple[str, ...], str]
    property_labels: Mapping[str, str]
    individual_labels: Mapping[str, str]
    names: Mapping[str, str]
    shapes: frozenset[str]

    def line(self, classes: Iterable[str]) -> frozenset[str]:
        """Return the classes with all their ancestors."""
        return frozenset(one for item in classes for one in self.ancestors.get(item, frozenset({item})))

    def clash(self, classes: Iterable[str]) -> tuple[str, str] | None:
        """Return two classes of a line that nothing can be at once."""
        line = self.line(classes)
        for one in sorted(line):
            others = self.disjoint.get(one, frozenset()) & line
            if others:
                first, second = sorted((one, min(others)))
                return first, second
        return None

    def name(self, term: str) -> str:
        """Return the label of a term, or its last part."""
        return self.names.get(term) or re.split(r"[#/:]", term)[-1]


def parse_turtle(text: str, max_triples: int) -> Any:
    """Parse Turtle, within limits; nothing it names is fetched."""
    rdflib = load("rdflib", "OntologyChecker")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise InputError(
            "The ontology is too large.", why=f"the limit is {MAX_BYTES:,} bytes", fix="give the part you need"
        )
    graph = rdflib.Graph()
    try:
        graph.parse(data=text, format="turtle")
    except Exception as error:  # the parser of another library: its errors share no base
        why = " ".join(str(error).split())[:200]
        raise InputError("The ontology is not valid Turtle.", why=why, fix="correct it") from error
    if len(graph) > max_triples:
        raise InputError(
            f"The ontology has {len(graph):,} triples.",
            why=f"the limit is {max_triples:,}",
            fix="give the part you need, or raise max_triples",
        )
    return graph


def read_model(graph: Any) -> Model:
    """Take the lookups out of a graph."""
    triples = [(str(s), str(p), o) for s, p, o in graph]
    by: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for subject, predicate, value in triples:
        by[predicate].append((subject, value))
    classes = {s for s, o in by[RDF_TYPE] if str(o) in (f"{_OWL}Class", f"{_RDFS}Class")}
    classes |= {term for s, o in by[SUBCLASS] for term in (s, str(o))}
    classes |= {str(o) for name in (f"{_SH}targetClass", f"{_SH}class") for _, o in by[name]}
    ancestors = _closure(classes, [(s, str(o)) for s, o in by[SUBCLASS]])
    properties = _properties(by)
    types: dict[str, set[str]] = defaultdict(set)
    for subject, value in by[RDF_TYPE]:
        if str(value) in classes:
            types[subject].add(str(value))
    names: dict[str, str] = {}
    for predicate in (f"{_RDFS}label", f"{_SKOS}altLabel"):
        for subject, value in by[predicate]:
            names.setdefault(subject, str(value))
    labels = _labels(by, [*classes, *properties, *types])
    return Model(
        ancestors,
        _disjoint(graph, by),
        properties,
        {subject: frozenset(kinds) for subject, kinds in types.items()},
        {tuple(stem(word) for word in label.split()): term for label, term in labels if term in classes},
        {label: term for label, term in labels if term in properties},
        {label: term for label, term in labels if term in types},
        names,
        frozenset(s for s, o in by[RDF_TYPE] if str(o) in (f"{_SH}NodeShape", f"{_SH}PropertyShape")),
    )


def _labels(by: Mapping[str, list[tuple[str, Any]]], terms: Iterable[str]) -> list[tuple[str, str]]:
    found = [(" ".join(_CAMEL.sub(" ", re.split(r"[#/]", term)[-1]).lower().split()), term) for term in terms]
    for predicate in (f"{_RDFS}label", f"{_SKOS}altLabel"):
        found += [(" ".join(str(value).lower().split()), subject) for subject, value in by[predicate]]
    return [(label, term) for label, term in found if label]


def _closure(classes: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    parents: dict[str, set[str]] = defaultdict(set)
    for child, parent in pairs:
        parents[child].add(parent)
    found = {}
    for name in classes:
        seen, left = {name}, [name]
        while left:
            for parent in parents.get(left.pop(), ()):
                if parent not in seen:
                    seen.add(parent)
                    left.append(parent)
        found[name] = frozenset(seen)
    return found


def _properties(by: Mapping[str, list[tuple[str, Any]]]) -> dict[str, Property]:
    kinds = {
        f"{_OWL}ObjectProperty": True,
        f"{_OWL}DatatypeProperty": False,
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#Property": None,
    }
    domains, ranges = defaultdict(set), defaultdict(set)
    for subject, value in by[f"{_RDFS}domain"]:
        domains[subject].add(str(value))
    for subject, value in by[f"{_RDFS}range"]:
        ranges[subject].add(str(value))
    found = {}
    for subject, value in by[RDF_TYPE]:
        if str(value) in kinds:
            datatypes = sorted(item for item in ranges[subject] if item.startswith(XSD))
            is_object = kinds[str(value)]
            classes = frozenset(ranges[subject] - set(datatypes))
            found[subject] = Property(
                frozenset(domains[subject]),
                classes,
                datatypes[0] if datatypes else "",
                bool(classes) if is_object is None else is_object,
            )
    return found


def _disjoint(graph: Any, by: Mapping[str, list[tuple[str, Any]]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for one, other in by[f"{_OWL}disjointWith"]:
        found[one].add(str(other))
        found[str(other)].add(one)
    collection = load("rdflib.collection", "OntologyChecker").Collection
    for _, head in by[f"{_OWL}members"]:
        members = {str(item) for item in collection(graph, head)}
        if len(members) > _MAX_MEMBERS:
            raise InputError(f"A list of disjoint classes has {len(members):,} members.", fix="split it")
        for one in members:
            found[one] |= members - {one}
    return {name: frozenset(others) for name, others in found.items()}
