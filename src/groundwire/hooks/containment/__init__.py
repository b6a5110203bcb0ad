"""May this action run in this session's scope?"""

from groundwire.hooks.containment.anchor import NonceLog, issue_anchor
from groundwire.hooks.containment.guard import Action, ActionKind, ContainmentGuard

__all__ = ["Action", "ActionKind", "ContainmentGuard", "NonceLog", "issue_anchor"]
