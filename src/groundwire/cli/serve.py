"""The command that runs the service."""

from pathlib import Path
from typing import Annotated

import typer

from groundwire.cli.options import DataFolder, NoModel, Postgres
from groundwire.errors import MissingExtraError


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("serve")(serve)


def serve(
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", help="0 takes any free port.")] = 8080,
    data: DataFolder = Path("groundwire-data"),
    workers: Annotated[int, typer.Option("--workers", metavar="N", help="Processes that do the checking.")] = 1,
    queue: Annotated[int, typer.Option("--queue", metavar="N", help="Requests that may wait for a worker.")] = 8,
    max_body: Annotated[int, typer.Option("--max-body", metavar="BYTES", help="Largest body taken.")] = 8 << 20,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="Longest work on one request.")
    ] = 30.0,
    read_limit: Annotated[
        float, typer.Option("--read-limit", metavar="SECONDS", help="Longest wait for the body of a request.")
    ] = 20.0,
    rate: Annotated[
        int, typer.Option("--rate", metavar="N", help="Requests a minute of a tenant without a rate of its own.")
    ] = 600,
    concurrency: Annotated[
        int, typer.Option("--concurrency", metavar="N", help="Requests at a time of such a tenant.")
    ] = 16,
    redis: Annotated[
        str,
        typer.Option("--redis", metavar="URL", envvar="GROUNDWIRE_REDIS", show_envvar=False, help="Limits in Redis."),
    ] = "",
    postgres: Postgres = "",
    trace: Annotated[bool, typer.Option("--trace", help="Send OpenTelemetry spans.")] = False,
    no_model: NoModel = False,
) -> int:
    """Serve verdicts over HTTP, with keys, limits and an audit trail.

    Anything but loopback needs a key: see 'groundwire keys create'. Ctrl-C or SIGTERM ends it after
    what was accepted is answered.
    """
    try:
        from groundwire.server.run import serve as run  # here: `--help` need not wait for it
        from groundwire.server.settings import Settings
    except ModuleNotFoundError as error:
        raise MissingExtraError("The service", "server") from error

    run(
        Settings(
            data=data,
            host=host,
            port=port,
            model=not no_model,
            workers=workers,
            queue=queue,
            max_body_bytes=max_body,
            time_limit_s=time_limit,
            read_limit_s=read_limit,
            requests_per_minute=rate,
            concurrency=concurrency,
            redis_url=redis,
            postgres_dsn=postgres,
            trace=trace,
        )
    )
    return 0
