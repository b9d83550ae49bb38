"""The group of verbs, and how a failure leaves the process: one line, one exit code."""

import os
import sys
import traceback
from importlib import import_module
from typing import Any, NoReturn

import click

# Each in a file of its own, which is imported when the verb is asked for; here is what each begins
# its help with, for the list of all.
VERBS = {
    "compare": "Fit every method to DATA and say which is better.",
    "datasets": "List the data sets that are known by name, or describe NAME.",
    "demo": "Fit a calibrated forest to bundled data and draw its uncertainty.",
    "evaluate": "Compare the predictions of MODEL with the true values in DATA.",
    "fit": "Fit a model to DATA and say how good and how sure it is.",
    "info": "Say what MODEL is: its method, trees, features and parameters.",
    "predict": "Predict every row of DATA with MODEL, in order.",
    "report": "Write a page about MODEL and how it does on DATA.",
    "reproduce": "Run PAPER again; without PAPER, list what there is.",
}
EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130
_EXTRAS = {"pyarrow": "cli", "rich": "cli", "click": "cli", "matplotlib": "plots"}


class App(click.Group):
    """A group whose failures are one line on stderr, without a traceback unless ``--debug``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in order."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A verb; for a name that is none all are imported, so that the nearest is suggested."""
        for verb in (cmd_name,) if cmd_name in VERBS else VERBS:
            self.add_command(getattr(import_module(f"bayeswood.cli.verbs.{verb}"), verb))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs and what they do, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run, print a failure as one line, and exit."""
        kwargs["standalone_mode"] = False
        argv = kwargs.get("args") or (args[0] if args and args[0] else sys.argv[1:])
        try:
            code = super().main(*args, **kwargs)
        except Exception as error:
            if "--debug" in argv and not isinstance(error, click.ClickException):
                traceback.print_exc()
            sys.exit(_report(error))
        except KeyboardInterrupt:
            sys.exit(EXIT_INTERRUPTED)
        sys.exit(code if isinstance(code, int) else 0)


def _report(error: Exception) -> int:
    """Print one line about an error; the exit code."""
    if isinstance(error, click.Abort):
        return EXIT_INTERRUPTED
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message())
        return EXIT_USAGE
    if isinstance(error, BrokenPipeError):
        # The reader of our output has gone; a flush at exit would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "bayeswood"
        _print_line(f"{command}: {error.format_message()} (see '{command} --help')")
        return EXIT_USAGE
    _print_line(f"bayeswood: {_message(error)}")
    return EXIT_FAILED


def _message(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        if package in _EXTRAS:
            return f"this needs {package}: pip install 'bayeswood[{_EXTRAS[package]}]'"
    if isinstance(error, MemoryError):
        return "out of memory."
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, ValueError | TypeError):
        return str(error) or type(error).__name__
    return f"{type(error).__name__}: {error} (--debug shows where)"


def _show_version(ctx: click.Context, wanted: bool) -> None:
    if not wanted:
        return
    from bayeswood.version import __version__  # looks the package up, which takes a while

    click.echo(f"bayeswood {__version__}")
    ctx.exit()


def _print_line(text: str) -> None:
    click.echo(" ".join(text.split()), err=True)


@click.group(
    cls=App,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Data files: .csv, .csv.gz, .jsonl, .parquet, .feather, - or builtin:NAME.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=lambda ctx, _, wanted: _show_version(ctx, wanted),
    help="Show the version and exit.",
)
def app() -> None:
    """Tree ensembles that say how sure they are."""
