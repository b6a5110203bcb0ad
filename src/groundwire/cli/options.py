"""Options that several commands share, word for word."""

from pathlib import Path
from typing import Annotated

import typer

ResponsePath = Annotated[
    str | None, typer.Argument(metavar="[RESPONSE_FILE]", help="The answer, '-' for standard input.")
]
ResponseText = Annotated[str | None, typer.Option("--response", metavar="TEXT", help="The answer as text.")]
SourceTexts = Annotated[
    list[str] | None, typer.Option("--source", metavar="TEXT", help="A source as text; may be repeated.")
]
ResponseFile = Annotated[
    str | None, typer.Option("--response-file", metavar="PATH", help="The answer, '-' for standard input.")
]
SourceFiles = Annotated[
    list[str] | None, typer.Option("--source-file", metavar="PATH", help="A source; may be repeated.")
]
Question = Annotated[str | None, typer.Option("--question", metavar="TEXT", help="The question asked.")]
PolicyFile = Annotated[
    str | None, typer.Option("--policy", metavar="FILE", help="Thresholds and switches as a YAML file.")
]
FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on",
        metavar="VERDICT[,VERDICT]",
        help="Verdicts that refuse the response (contradicted, fabricated unless the policy says otherwise).",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Html = Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write a report page.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing; the exit status is the answer.")]
NoModel = Annotated[bool, typer.Option("--no-model", help="Use the exact checks alone, no language model.")]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave broken lines out and say how many and which, instead of refusing.")
]
Postgres = Annotated[
    str,
    typer.Option(
        "--postgres",
        metavar="DSN",
        envvar="GROUNDWIRE_POSTGRES",
        show_envvar=False,
        help="The audit trail in PostgreSQL; GROUNDWIRE_POSTGRES keeps a password off the command line.",
    ),
]
DataFolder = Annotated[
    Path,
    typer.Option(
        "--data",
        metavar="FOLDER",
        envvar="GROUNDWIRE_DATA_FOLDER",
        show_envvar=False,
        help="Keys, limits and audit trail.",
    ),
]
KnowledgeStore = Annotated[
    str,
    typer.Option("--store", metavar="FILE", envvar="GROUNDWIRE_STORE", show_envvar=False, help="The knowledge store."),
]
Tenant = Annotated[str, typer.Option("--tenant", metavar="NAME", help="Whose facts; each tenant sees its own.")]
