"""What the trail keeps of a decision."""

from datetime import UTC, datetime
from typing import Any

from groundwire.server.keys import Tenant
from groundwire.server.routes import Route
from groundwire.types import HookScope, PolicyDecision, SafetyEvent


def decision_record(request_id: str, route: Route, tenant: Tenant, record: dict[str, Any]) -> dict[str, Any]:
    """Return what the trail keeps of a decision."""
    event = SafetyEvent(
        hook_id=f"server.{route.job}",
        hook_scope=HookScope.AGENT,
        policy_decision=PolicyDecision.ALLOW if record["approved"] else PolicyDecision.BLOCK,
        request_id=request_id,
        tenant_id=tenant.tenant,
        observed_score=record["score"],
        tenant_safe_explanation=f"{route.job}: {record['status']}",
    )
    moment = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {
        "time": moment,
        "request_id": request_id,
        "tenant": tenant.tenant,
        "key_id": tenant.key_id,
        "route": route.path,
        **record,
        "event": event.to_dict(),
    }
