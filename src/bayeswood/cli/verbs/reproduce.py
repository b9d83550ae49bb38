"""``bayeswood reproduce``: run a paper again and hold every printed number beside what comes out.

The papers are part of the package (`bayeswood.reproduce`).
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from bayeswood.cli.papers_folder import find_papers
from bayeswood.cli.screen import Screen, screen_options
from bayeswood.progress import progress_bar
from bayeswood.reproduce import Plan, Record, find_paper, paper_names, run_paper
from bayeswood.reproduce.data import ADVICE
from bayeswood.reproduce.page import claim_counts, ours_text, p_text, printed_text
from bayeswood.reproduce.pages import write_pages
from bayeswood.reproduce.paper import Paper
from bayeswood.reproduce.pictures import check_plots
from bayeswood.reproduce.readmes import write_readmes, write_results
from bayeswood.reproduce.record import count_verdicts
from bayeswood.reproduce.run import run_sample
from bayeswood.reproduce.verdict import AGREES, DIFFERS, NOT_RUN
from bayeswood.reproduce.whole import kept_whole, marks_of

EXIT_NO_DATA = 2
_WORK = "work"


class _Papers(click.Group):
    """Papers of the package, each with the same options."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all papers."""
        return paper_names()

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of a paper."""
        if name not in paper_names():
            find_paper(name)  # raises, and says what there is
        return _paper_command(name)


@click.group(cls=_Papers, invoke_without_command=True, subcommand_metavar="[PAPER [OPTIONS]]")
@click.option(
    "--papers",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder 'papers' of the sources, if it is not around here.",
)
@click.option("--summary", is_flag=True, help="Write the papers' README files again from results.")
@click.pass_context
def reproduce(ctx: click.Context, folder: Path | None, summary: bool) -> None:
    """Run PAPER again; without PAPER, list what there is.

    Every table, figure and claim of the paper is listed, and every printed number is held beside
    ours by one rule, which the page states. 'bayeswood reproduce PAPER --help' has the options.
    """
    if ctx.invoked_subcommand is not None:
        return
    if summary:
        for place in write_readmes(find_papers() if folder is None else folder):
            click.echo(f"Written: {place}")
    else:
        click.echo("\n".join(reproduce.list_commands(ctx)))


def _paper_command(name: str) -> click.Command:
    @click.command(name=name, help=f"Run {name} again at the paper's own sizes.")
    @click.option(
        "--quick", is_flag=True, help="A run of a minute or two; it says what is shorter."
    )
    @click.option("--only", multiple=True, metavar="PART", help="Only this part; can be repeated.")
    @click.option(
        "--out",
        "-o",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("reproduced") / name,
        show_default=True,
        help="Folder for the pages and for what is kept of a run.",
    )
    @click.option(
        "--seed", type=click.IntRange(0, 2**16), default=0, show_default=True, help="Of all of it."
    )
    @click.option(
        "--jobs", "-j", type=click.IntRange(1), default=1, show_default=True, help="Processes."
    )
    @click.option("--fresh", is_flag=True, help="Do again what an earlier run kept.")
    @click.option("--list", "lists", is_flag=True, help="List the parts and end.")
    @click.option(
        "--write-readme", is_flag=True, help="Keep a whole run in the sources' papers folder."
    )
    @screen_options
    @click.pass_context
    def command(
        ctx: click.Context, /, quiet: bool, as_json: bool, debug: bool, **options: Any
    ) -> int:
        folder = ctx.parent.params["folder"] if ctx.parent else None
        return _run(find_paper(name), Screen(quiet=quiet, as_json=as_json), folder, **options)

    return command


def _run(
    paper: Paper,
    screen: Screen,
    papers: Path | None,
    *,
    quick: bool,
    only: tuple[str, ...],
    out: Path,
    seed: int,
    jobs: int,
    fresh: bool,
    lists: bool,
    write_readme: bool,
) -> int:
    if lists:
        click.echo("\n".join(f"{part.key:<14} {part.title}" for part in paper.parts))
        return 0
    check_plots()
    if write_readme and (quick or only):
        raise click.UsageError("--write-readme keeps a whole run: leave --quick and --only out.")
    kept_in = (find_papers() if papers is None else papers) if write_readme else None
    plan = Plan(seed, quick)
    with progress_bar(paper.name, "units", show=screen.shows_progress) as bar:
        record = run_paper(
            paper, plan, out / _WORK, only=only, n_jobs=jobs, fresh=fresh,
            report=bar,
        )  # fmt: skip
    pages = write_pages(paper, record, out)
    if kept_in is not None and not record.missing:
        record = replace(record, sample=run_sample(paper, seed, out / _WORK))
        pages.append(write_results(record, kept_in))
        pages += write_readmes(kept_in)
    _show(paper, record, screen, pages)
    screen.finish({**record.to_plain(), "pages": [str(page) for page in pages]})
    if record.missing:
        names = ", ".join(record.missing)
        click.echo(f"bayeswood: data sets that are not here: {names}. {ADVICE}", err=True)
        return EXIT_NO_DATA
    return 0


def _show(paper: Paper, record: Record, screen: Screen, pages: list[Path]) -> None:
    from bayeswood.report.render import heading, render_columns

    screen.show(heading(f"{paper.name}, seed {record.seed}{', quick' if record.quick else ''}"))
    if record.quick:
        marks = marks_of(record, kept_whole(paper.name))
        _show_line(screen, f"Quick: {paper.quick} {marks.words}".rstrip())
    cells = [(part.key, cell) for part in record.parts for cell in part.finding.cells]
    counted = [(part.key, count_verdicts(part.finding.cells)) for part in record.parts]
    rows = [
        (key, *(str(counts[word]) for word in (AGREES, DIFFERS, NOT_RUN)))
        for key, counts in counted
        if counts
    ]
    if rows:
        screen.show(render_columns(["printed cells", "agree", "differ", "not run"], rows))
    differing = [
        (key, cell.row, cell.column, printed_text(cell), ours_text(cell), p_text(cell))
        for key, cell in cells
        if cell.verdict == DIFFERS
    ]
    if differing:
        header = ["different", "row", "column", "printed", "ours", "p"]
        screen.show("", render_columns(header, differing), "")
    for claim in record.claims:
        if claim.holds is False:
            _show_line(screen, f"Does not hold: {claim.text}: {claim.numbers}")
    if record.claims:
        _show_line(screen, f"Claims: {claim_counts(record.claims)}.")
    for page in pages:
        _show_line(screen, f"Written: {page}")


def _show_line(screen: Screen, text: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    screen.show(Padding(Text(text), (0, 0, 0, 2)))
