"""`OntologyChecker`: statements against classes, disjointness, domains, ranges and SHACL shapes."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from time import perf_counter
from typing import Any

from groundwire.errors import InputError
from groundwire.hooks.extras import load
from groundwire.hooks.ontology.model import (
    MAX_BYTES,
    RDF_TYPE,
    RESERVED,
    SUBCLASS,
    XSD,
    Model,
    Property,
    parse_turtle,
    read_model,
)
from groundwire.hooks.ontology.statements import MAX_TEXT, MINTED, Statement, read_text
from groundwire.hooks.outcome import failed, settle
from groundwire.hooks.policy import HookPolicy, load_policy
from groundwire.hooks.quiet import quiet
from groundwire.types import HookFinding, HookScope, OntologyViolation

HOOK_ID = "ontology.checker"
DEFAULTS = {"kind": "ontology", "version": 1}
MAX_STATEMENTS = 10_000
_SH = "http://www.w3.org/ns/shacl#"
_COMPONENTS = {
    "MaxCount": "cardinality",
    "MinCount": "cardinality",
    "QualifiedMinCount": "cardinality",
    "QualifiedMaxCount": "cardinality",
    "Datatype": "datatype",
    "Class": "range",
    "NodeKind": "range",
}
_WHOLE = f"{XSD}integer"
_NUMERIC = (f"{XSD}integer", f"{XSD}decimal", f"{XSD}double", f"{XSD}float")

Triple = Sequence[Any]


class _MalformedError(ValueError):
    """A triple that cannot be read."""


class OntologyChecker:
    """Hold statements against an ontology; safe to share between threads."""

    def __init__(
        self,
        policy: HookPolicy | Mapping[str, Any] | str | FilePath | None = None,
        *,
        turtle: str | None = None,
    ) -> None:
        for library in ("rdflib", "pyshacl"):
            load(library, "OntologyChecker")
        self.policy = load_policy(DEFAULTS if policy is None else policy, "ontology")
        text = "\n".join([*_files(self.policy), *([turtle] if turtle else [])])
        if not text.strip():
            raise InputError("No ontology was given.", fix="name Turtle files under 'shapes', or pass turtle=")
        self.graph = parse_turtle(text, int(self.policy.values.get("max_triples", 100_000)))
        self.model = read_model(self.graph)
        self._prefixes = {name: str(place) for name, place in self.graph.namespaces() if name}
        self._policy_hash = self.policy.hash

    def check(self, statements: str | Iterable[Triple]) -> OntologyViolation:
        """Return the first violation of a text or of triples, or one with `allowed` True. Never raises."""
        started = perf_counter()
        try:
            with quiet("rdflib.term"):
                found = self.violations(statements)
            findings = [
                HookFinding(item.reason, item.subject, f"{item.rule_id}: expected {item.expected}, found {item.found}")
                for item in found
            ]
        except Exception as error:  # the edge of the guard: what breaks, blocks
            found, findings = (), [failed(error)]
        shared = settle(HOOK_ID, HookScope.ONTOLOGY, started, findings, attributes={"policy": self._policy_hash[:16]})
        first = found[0] if found else OntologyViolation()
        return OntologyViolation(
            **shared, rule_id=first.rule_id, subject=first.subject, expected=first.expected, found=first.found
        )

    def violations(self, statements: str | Iterable[Triple]) -> tuple[OntologyViolation, ...]:
        """List every violation, without events."""
        try:
            read = self._read(statements)
        except _MalformedError as error:
            return (_violation("malformed", "statements", "statements", "readable statements", str(error)),)
        found = list(self._logic(read))
        stated = any(item.predicate not in (RDF_TYPE, SUBCLASS) for item in read)
        reserved = any(item.reason in ("reserved", "unknown_class", "unknown_property") for item in found)
        if read and not reserved and (stated or not isinstance(statements, str)):
            known = {(item.reason, item.subject) for item in found}
            shaped = self._shapes(read, partial=isinstance(statements, str))
            found += [item for item in shaped if (item.reason, item.subject) not in known]
        return tuple(found)

    def _read(self, statements: str | Iterable[Triple]) -> list[Statement]:
        if isinstance(statements, str):
            if len(statements) > MAX_TEXT:
                raise _MalformedError(f"more than {MAX_TEXT:,} characters")
            return read_text(statements, self.model)
        read: list[Statement] = []
        for triple in statements:
            if len(read) >= MAX_STATEMENTS:
                raise _MalformedError(f"more than {MAX_STATEMENTS:,} statements")
            if isinstance(triple, str) or not isinstance(triple, Sequence) or len(triple) != 3:
                raise _MalformedError("a statement that is no (subject, predicate, value)")
            subject, predicate, value = list(triple)
            term = self._term(value) if isinstance(value, str) else None
            read.append(
                Statement(
                    self._iri(subject),
                    RDF_TYPE if predicate == "a" else self._iri(predicate),
                    value if term is None else term,
                    literal=term is None,
                )
            )
        return read

    def _iri(self, text: Any) -> str:
        term = self._term(text) if isinstance(text, str) else None
        if term is None:
            raise _MalformedError("a subject or predicate that is no name or address")
        return term

    def _term(self, text: str) -> str | None:
        """Return the address that a name such as ex:Dog stands for, or None for plain text."""
        if re.fullmatch(r"(?:https?|urn):[^\s<>\"{}|\\^`]{1,2000}", text):
            return text
        match = re.fullmatch(r"([A-Za-z][\w-]*):([\w.-]{1,500})", text)
        if match and match[1] in self._prefixes:
            return self._prefixes[match[1]] + match[2]
        if match or re.match(r"[A-Za-z][\w-]*:[^\s]*[<>]", text):
            raise _MalformedError("a prefix or address that is not known")
        return None

    def _logic(self, read: Sequence[Statement]) -> Iterator[OntologyViolation]:
        model = self.model
        types: dict[str, set[str]] = defaultdict(set)
        for item in read:
            if item.predicate == RDF_TYPE and not item.literal and not item.phrase:
                types[item.subject].add(item.value)
        for node in {item.subject for item in read} | {item.value for item in read if not item.literal}:
            types[node] |= model.types.get(node, frozenset())
        for item in read:
            yield from self._one(item, types)
        for node in sorted({item.subject for item in read}):
            clash = model.clash(types[node])
            if clash and node not in model.ancestors:
                yield self._clash(node, clash)

    def _one(self, item: Statement, types: Mapping[str, set[str]]) -> Iterator[OntologyViolation]:
        model, name = self.model, _shown(item.subject, self.model)
        if item.subject in model.shapes or item.predicate.startswith(RESERVED):
            yield _violation("reserved", "vocabulary", name, "statements about things", "one about the rules")
        elif item.predicate in (RDF_TYPE, SUBCLASS):
            if item.phrase or item.literal or item.value not in model.ancestors:
                found = item.phrase or model.name(str(item.value))
                yield _violation("unknown_class", "classes", name, "a class of the ontology", found)
            elif item.predicate == SUBCLASS:
                clash = model.clash([item.subject, item.value])
                if clash:
                    yield self._clash(item.subject, clash)
        elif item.predicate not in model.properties:
            known = "a property of the ontology"
            yield _violation("unknown_property", "properties", name, known, model.name(item.predicate))
        else:
            yield from self._joined(item, model.properties[item.predicate], types)

    def _joined(self, item: Statement, prop: Property, types: Mapping[str, set[str]]) -> Iterator[OntologyViolation]:
        model, name = self.model, _shown(item.subject, self.model)
        label = model.name(item.predicate)
        own = model.line(types[item.subject])
        if own and not prop.domains <= own:
            yield _violation("domain", label, name, _names(prop.domains, model), _names(types[item.subject], model))
        if prop.is_object:
            other = frozenset() if item.literal else model.line(types[item.value])
            if item.literal:
                yield _violation("range", label, name, _names(prop.ranges, model) or "a thing", "a plain value")
            elif other and not prop.ranges <= other:
                yield _violation("range", label, name, _names(prop.ranges, model), _names(types[item.value], model))
        elif not item.literal:
            yield _violation("datatype", label, name, model.name(prop.datatype) or "a plain value", "a thing")
        elif prop.datatype and not _fits(self._literal(item.value), prop.datatype):
            found = model.name(str(self._literal(item.value).datatype or f"{XSD}string"))
            yield _violation("datatype", label, name, model.name(prop.datatype), found)

    def _clash(self, node: str, clash: tuple[str, str]) -> OntologyViolation:
        one, two = (self.model.name(item) for item in clash)
        return _violation(
            "disjoint_classes", f"{one} / {two}", _shown(node, self.model), f"not both {one} and {two}", "both"
        )

    def _literal(self, value: Any) -> Any:
        rdflib = load("rdflib", "OntologyChecker")
        typed = re.fullmatch(r"(.*)\^\^(\w+):(\w+)", value) if isinstance(value, str) else None
        if typed and typed[2] in self._prefixes:
            return rdflib.Literal(typed[1], datatype=rdflib.URIRef(self._prefixes[typed[2]] + typed[3]))
        return rdflib.Literal(value)

    def _shapes(self, read: Sequence[Statement], *, partial: bool) -> Iterator[OntologyViolation]:
        rdflib, pyshacl = load("rdflib", "OntologyChecker"), load("pyshacl", "OntologyChecker")
        data = rdflib.Graph()
        for item in read:
            value = self._literal(item.value) if item.literal else rdflib.URIRef(item.value)
            data.add((rdflib.URIRef(item.subject), rdflib.URIRef(item.predicate), value))
        # What is known of a thing counts with what is said of it.
        for node in set(data.subjects()) | set(data.objects()):
            for triple in self.graph.triples((node, None, None)):
                data.add(triple)
        # No imports, no scripts, no advanced features: a shapes file is input too.
        _, report, _ = pyshacl.validate(
            data, shacl_graph=self.graph, ont_graph=self.graph, inference="none", advanced=False, js=False,
            do_owl_imports=False, meta_shacl=False,
        )  # fmt: skip
        stated = {item.subject for item in read}
        sh = rdflib.Namespace(_SH)
        rows = []
        for result in report.subjects(rdflib.RDF.type, sh.ValidationResult):
            focus = str(report.value(result, sh.focusNode))
            component = str(report.value(result, sh.sourceConstraintComponent)).removeprefix(_SH)
            kind = component.removesuffix("ConstraintComponent")
            # A text never tells everything: what it leaves unsaid breaks no lower count.
            if focus not in stated or (partial and kind in ("MinCount", "QualifiedMinCount")):
                continue
            path, value = report.value(result, sh.resultPath), report.value(result, sh.value)
            shape = report.value(result, sh.sourceShape)
            rows.append((focus, kind, str(path or ""), str(value if value is not None else ""), shape))
        for focus, kind, path, value, shape in sorted(rows, key=lambda row: row[:4]):
            owner = self._owner(shape)
            limit = self.graph.value(shape, sh[kind[0].lower() + kind[1:]])
            where = f"{owner} {self.model.name(path)}".strip()
            expected = f"{kind} {self.model.name(str(limit))}" if limit is not None else kind
            found = self.model.name(value) if value else ("too few" if kind.endswith("MinCount") else "too many")
            yield _violation(_COMPONENTS.get(kind, "value"), where, _shown(focus, self.model), expected, found)

    def _owner(self, shape: Any) -> str:
        rdflib = load("rdflib", "OntologyChecker")
        named = next((s for s in self.graph.subjects(rdflib.Namespace(_SH).property, shape)), shape)
        return self.model.name(str(named))


def _violation(rule: str, rule_id: str, subject: str, expected: str, found: str) -> OntologyViolation:
    return OntologyViolation(reason=rule, rule_id=rule_id, subject=subject, expected=expected, found=found)


def _shown(node: str, model: Model) -> str:
    return node.removeprefix(MINTED).replace("-", " ") if node.startswith(MINTED) else model.name(node)


def _names(classes: Iterable[str], model: Model) -> str:
    return " and ".join(sorted(model.name(item) for item in classes))


def _fits(literal: Any, wanted: str) -> bool:
    found = str(literal.datatype or f"{XSD}string")
    if literal.ill_typed:
        return False
    if found == wanted:
        return True
    return found == _WHOLE and wanted in _NUMERIC


def _files(policy: HookPolicy) -> Iterator[str]:
    base = os.path.dirname(policy.name) if policy.name else ""
    for number, name in enumerate(policy.values.get("shapes", ())):
        try:
            with open(os.path.join(base, name), "rb") as file:
                data = file.read(MAX_BYTES + 1)
            yield data.decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            what = f"{name!r} cannot be read ({type(error).__name__})"
            raise policy.fault(("shapes", number), what, "name a Turtle file beside the policy") from error
