"""Jobs: many rows in the background, resumed after a restart."""

import time
from contextlib import closing
from pathlib import Path
from typing import Any

from groundwire.server.trail import SQLiteTrail
from tests.server.running import Running, service
from tests.server.test_routes import problem

ROWS = [
    {"id": "right", "response": "The plan costs $49.", "source": "The plan costs $49."},
    {"id": "wrong", "response": "The plan costs $99.", "source": "The plan costs $49."},
]


def finished(running: Running, job_id: str, key: str | None = None) -> dict[str, Any]:
    for _ in range(600):
        found: dict[str, Any] = running.get(f"/v1/jobs/{job_id}", key).json()
        if found["state"] in ("done", "failed"):
            return found
        time.sleep(0.1)
    raise AssertionError(found)


def test_a_job_is_checked_recorded_and_removed(keyed: Running) -> None:
    key = keyed.key("worker")
    job = keyed.post("/v1/jobs", {"rows": ROWS}, key).json()
    assert job["state"] == "queued"
    done = finished(keyed, job["job_id"], key)
    assert (done["state"], done["rows"], done["done"], done["approved"]) == ("done", 2, 2, 1)
    with closing(SQLiteTrail(keyed.folder, create=False)) as trail:
        assert done["record"] in {f"{record.index}:{record.hash}" for record in trail.records()}
    rows = keyed.get(f"/v1/jobs/{job['job_id']}/result", key).json()["rows"]
    assert [row["approved"] for row in rows] == [True, False]
    assert keyed.delete(f"/v1/jobs/{job['job_id']}", key).json()["state"] == "removed"
    problem(keyed.get(f"/v1/jobs/{job['job_id']}", key), 404, "not-found")
    assert keyed.get("/v1/jobs", key).json() == {"jobs": []}


def test_an_id_cannot_leave_the_tenants_folder(keyed: Running, acme: str) -> None:
    for job_id in ("..", "%2e%2e", "0" * 31, "..%2f..%2fkeys.db", "A" * 32):
        assert keyed.get(f"/v1/jobs/{job_id}", acme).status_code == 404


def test_a_job_goes_on_after_the_service_was_ended(folder: Path) -> None:
    rows = [{**ROWS[0], "id": str(number)} for number in range(400)]
    with service(folder) as running:
        job_id = running.post("/v1/jobs", {"rows": rows}).json()["job_id"]
        problem(running.get(f"/v1/jobs/{job_id}/result"), 409, "job-unfinished")
        running.process.kill()
    with service(folder) as running:
        done = finished(running, job_id)
        assert (done["state"], done["approved"]) == ("done", 400)
        assert len(running.get(f"/v1/jobs/{job_id}/result").json()["rows"]) == 400
