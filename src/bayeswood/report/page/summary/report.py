"""All that a report says, as plain data."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bayeswood.progress import Bar
from bayeswood.report.page.summary.cases import CaseSummary, summarize_cases
from bayeswood.report.page.summary.data import DataSummary, summarize_data
from bayeswood.report.page.summary.drivers import DriverSummary, summarize_drivers
from bayeswood.report.page.summary.explained import explain_rows
from bayeswood.report.page.summary.regions import RegionSummary, summarize_regions
from bayeswood.report.page.summary.rows import ReportRows
from bayeswood.report.page.summary.scores import ScoreSummary, summarize_scores
from bayeswood.report.page.summary.settings import SettingsSummary, summarize_settings
from bayeswood.report.page.summary.support import SupportSummary, summarize_support
from bayeswood.report.page.summary.trees import TreesSummary, summarize_trees
from bayeswood.report.page.summary.trust import ClassTrust, NumberTrust, summarize_trust

# How long the parts take, in hundredths of the whole: predictions, explanations, drivers, trees.
_PREDICTED, _EXPLAINED, _DRIVEN, _WHOLE = 10, 75, 95, 100


@dataclass(frozen=True)
class About:
    """What a report is told besides model and rows.

    Attributes
    ----------
    title : str
    notes : tuple of str
        From whoever read the rows.
    model_file, data_file : str or None
    date : str or None
        To be shown; None for none, so that the same report is the same file.
    """

    title: str
    notes: tuple[str, ...] = ()
    model_file: str | None = None
    data_file: str | None = None
    date: str | None = None


@dataclass(frozen=True, eq=False)
class ReportSummary:
    """What a report says, section by section; None where a model cannot have a section.

    Attributes
    ----------
    about : About
    data : DataSummary
    scores : ScoreSummary
    trust : ClassTrust or NumberTrust or None
    regions : RegionSummary or None
    support : SupportSummary or None
    drivers : DriverSummary
    cases : CaseSummary
    trees : TreesSummary
    settings : SettingsSummary
    """

    about: About
    data: DataSummary
    scores: ScoreSummary
    trust: ClassTrust | NumberTrust | None
    regions: RegionSummary | None
    support: SupportSummary | None
    drivers: DriverSummary
    cases: CaseSummary
    trees: TreesSummary
    settings: SettingsSummary

    @property
    def is_classifier(self) -> bool:
        """Whether classes are predicted."""
        return self.settings.is_classifier


def summarize_report(
    rows: ReportRows, about: About, max_cases: int, bar: Bar | None = None
) -> ReportSummary:
    """Ask everything.

    Parameters
    ----------
    rows : ReportRows
    about : About
    max_cases : int
        Rows to explain.
    bar : Bar or None
        Shown how far it is.
    """
    told = _Told(bar)
    told(0, "predictions")
    found: dict[str, Any] = {
        "data": summarize_data(rows, about.notes),
        "scores": summarize_scores(rows),
        "trust": summarize_trust(rows),
        "regions": summarize_regions(rows),
        "support": summarize_support(rows),
    }
    explained = explain_rows(rows, max_cases, told.between(_PREDICTED, _EXPLAINED, "explanations"))
    found["drivers"] = summarize_drivers(
        rows, explained, told.between(_EXPLAINED, _DRIVEN, "what drives it")
    )
    found["cases"] = summarize_cases(rows, explained)
    found["trees"] = summarize_trees(rows)
    settings = summarize_settings(rows, about.model_file, about.data_file)
    told(_WHOLE, "")
    return ReportSummary(about=about, settings=settings, **found)


class _Told:
    """Tells a bar how much of the whole is done."""

    def __init__(self, bar: Bar | None) -> None:
        self._bar = bar

    def __call__(self, done: int, note: str) -> None:
        if self._bar is not None:
            self._bar(done, _WHOLE, note)

    def between(self, first: int, last: int, note: str) -> Callable[[int, int], None]:
        """For a part that goes from the first to the last share of the whole."""

        def tell(done: int, total: int) -> None:
            self(first + (last - first) * done // max(total, 1), note)

        return tell
