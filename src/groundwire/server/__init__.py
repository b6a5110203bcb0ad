"""The service: the same verdicts over HTTP, for many tenants, with keys, limits and an audit trail."""
