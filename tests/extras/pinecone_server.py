"""A local stand-in for Pinecone's data plane: the five requests that the real client sends."""

import json
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit


class PineconeServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.namespaces: dict[str, dict[str, dict[str, Any]]] = {}
        self.broken = False
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: PineconeServer
    protocol_version = "HTTP/1.1"
    routes: ClassVar[dict[str, str]] = {
        "/vectors/upsert": "upsert",
        "/query": "search",
        "/vectors/fetch": "fetch",
        "/describe_index_stats": "stats",
        "/vectors/delete": "remove",
    }

    def do_GET(self) -> None:
        self._answer(dict(parse_qs(urlsplit(self.path).query)))

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}"))

    def _answer(self, body: dict[str, Any]) -> None:
        route = self.routes[urlsplit(self.path).path]
        space = body.get("namespace", "")
        vectors = self.server.namespaces.setdefault(space[0] if isinstance(space, list) else space, {})
        reply = {"message": "out of order"} if self.server.broken else getattr(self, route)(vectors, body)
        data = json.dumps(reply).encode()
        self.send_response(400 if self.server.broken else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def upsert(self, vectors: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        vectors.update({item["id"]: item for item in body["vectors"]})
        return {"upsertedCount": len(body["vectors"])}

    def search(self, vectors: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        wanted = (body.get("filter") or {}).items()
        found = [
            {"id": item["id"], "score": _cosine(item["values"], body["vector"]), "metadata": item["metadata"]}
            for item in vectors.values()
            if all(item["metadata"].get(field) == rule["$eq"] for field, rule in wanted)
        ]
        found.sort(key=lambda item: -item["score"])
        return {"matches": found[: body["topK"]], "namespace": body.get("namespace", "")}

    def fetch(self, vectors: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        return {"vectors": {key: vectors[key] for key in body["ids"] if key in vectors}, "namespace": ""}

    def stats(self, vectors: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        spaces = {name: {"vectorCount": len(own)} for name, own in self.server.namespaces.items()}
        total = sum(len(own) for own in self.server.namespaces.values())
        return {"namespaces": spaces, "dimension": 256, "totalVectorCount": total, "indexFullness": 0}

    def remove(self, vectors: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        for key in body["ids"]:
            vectors.pop(key, None)
        return {}

    def log_message(self, format: str, *args: object) -> None:
        pass


def _cosine(left: list[float], right: list[float]) -> float:
    norms = math.hypot(*left) * math.hypot(*right)
    return sum(a * b for a, b in zip(left, right, strict=True)) / norms if norms else 0.0
