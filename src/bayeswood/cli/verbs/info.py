"""``bayeswood info``: what is in a model file."""

from pathlib import Path

import click

from bayeswood.cli.screen import Screen, file_size, screen_options
from bayeswood.cli.tables.model_table import load_model
from bayeswood.report import summarize_model
from bayeswood.report.summarize import to_plain


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@screen_options
def info(model: Path, quiet: bool, as_json: bool, debug: bool) -> None:
    """Say what MODEL is: its method, trees, features and parameters."""
    from bayeswood.report.render import heading, render_model

    screen = Screen(quiet=quiet, as_json=as_json)
    summary = summarize_model(load_model(model))
    screen.show(heading(f"Model {model}"))
    screen.show(render_model(summary, [("file", file_size(model))]))
    screen.finish({"model": str(model), "bytes": model.stat().st_size, **to_plain(summary)})
