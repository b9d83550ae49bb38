"""The HTML report in a browser: sliders, table, links; nothing asked of a network; no overflow."""

import io
import os
import shutil

import numpy as np
import pytest
from report_cases import COLUMN, LABEL, hostile_table

from bayeswood import (
    BayesianForestClassifier,
    BayesianForestRegressor,
    UncertaintyEnvelope,
    choose_gamma0_by_cost,
    report,
)

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
TRAIN, TEST = slice(0, 140), slice(140, None)
SIZES = {"phone": 390, "desk": 1280}


@pytest.fixture(scope="module")
def browser():
    """One browser for all tests of the file: the machine's own, none is fetched."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"needs a browser: none of {', '.join(BROWSERS)} is installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, args=[*OPTIONS, *QUIET])
        yield started
        started.close()


@pytest.fixture(scope="module")
def models():
    X, labels, number = hostile_table()
    settings = {"min_samples_leaf": 3, "random_state": 0}
    of_classes = BayesianForestClassifier(25, **settings).fit(X[TRAIN], labels[TRAIN])
    of_numbers = BayesianForestRegressor(25, **settings).fit(X[TRAIN], number[TRAIN])
    return X[TEST], labels[TEST], number[TEST], of_classes, of_numbers


@pytest.fixture(scope="module")
def files(models, tmp_path_factory):
    X, labels, number, of_classes, of_numbers = models
    folder = tmp_path_factory.mktemp("pages")
    pages = {
        "classes": report.html(of_classes, X, labels, path=folder / "classes.html", max_cases=60),
        "numbers": report.html(of_numbers, X, number, path=folder / "numbers.html", max_cases=60),
    }
    return folder, pages


class Opened:
    """A page in the browser, with whatever it complained of or asked for."""

    def __init__(self, browser, place, width=1280, **options):
        self.page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        self.complaints, self.asked = [], []
        self.page.on("console", lambda said: self.complaints.append(said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda box: (self.complaints.append(box.message), box.dismiss()))
        self.page.on("request", lambda asked: self.asked.append(asked.url))
        self.address = place.as_uri()
        self.page.goto(self.address)

    def text(self, place):
        return self.page.text_content(place)

    def set(self, slider, value):
        """As if it had been dragged there."""
        change = "(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }"
        self.page.eval_on_selector(slider, change, str(value))

    def column(self, number):
        cells = f"#case-table tbody tr.case td:nth-child({number})"
        return self.page.locator(cells).all_text_contents()


@pytest.fixture
def opened(browser, files):
    pages = []

    def open_page(kind, **options):
        pages.append(Opened(browser, files[0] / f"{kind}.html", **options))
        return pages[-1]

    yield open_page
    for one in pages:
        one.page.close()
        assert one.complaints == []
        # The file itself, and nothing more.
        assert {url.split("#")[0] for url in one.asked} == {one.address}


def test_the_envelope_moves_with_its_slider(opened, models):
    X, labels, _, model, _ = models
    one = opened("classes")
    for gamma0 in (0.9, 0.5, 0.72, 0.96, 1.0):
        one.set("#gamma0", round(1000 * gamma0))
        found = UncertaintyEnvelope(gamma0).assess(model, X, labels)
        rates = found.confident_correct, found.uncertain, found.confident_incorrect
        for part, rate in enumerate(rates):
            assert one.text(f"#outcomes [data-rows='{part}']") == str(round(rate * len(X)))
            assert one.text(f"#outcomes [data-share='{part}']") == f"{100 * rate:.2f}%"
        assert one.text("#gamma0-value") == f"{gamma0:.3f}"
        cost = 10 * found.confident_incorrect + found.uncertain
        assert one.text("#cost-here") == f"{cost:.4f}"
    for cost in (1, 5, 40):
        one.set("#cost", cost)
        best = choose_gamma0_by_cost(model, X, labels, cost_incorrect=cost)
        assert one.text("#cost-least") == f"{best.cost:.4f}"
    one.page.click("#cost-go")
    assert one.text("#cost-here") == one.text("#cost-least")


def test_sliders_are_moved_by_keys(opened):
    one = opened("classes")
    one.page.focus("#gamma0")
    one.page.keyboard.press("ArrowLeft")
    assert one.text("#gamma0-value") == "0.899"
    one.page.keyboard.press("End")
    assert one.text("#gamma0-value") == "1.000"


def test_levels_and_widths_move_with_their_sliders(opened, models, files):
    X, _, number, _, model = models
    one, y = opened("numbers"), np.asarray(number)
    for level in (0.5, 0.9, 0.99):
        one.set("#level", round(100 * level) - 10)
        low, high = model.predict_interval(X, coverage=level).T
        assert one.text("#level-value") == f"{100 * level:.0f}%"
        assert one.text("#level-held") == f"{100 * np.mean((low <= y) & (y <= high)):.2f}%"
        assert one.text("#level-below") == f"{100 * np.mean(y < low):.2f}%"
        assert float(one.text("#level-mean-width")) == pytest.approx(np.mean(high - low), rel=1e-3)
    low, high = model.predict_interval(X, coverage=0.9).T
    place = len(files[1]["numbers"].summary.trust.widths) // 2
    one.set("#width", place)
    narrow = high - low <= files[1]["numbers"].summary.trust.widths[place]
    assert 30 < narrow.sum() < 70
    held = narrow & (low <= y) & (y <= high)
    counts = held.sum(), (~narrow).sum(), (narrow & ~held).sum()
    for part, n in enumerate(counts):
        assert one.text(f"#width-outcomes [data-rows='{part}']") == str(n)


def test_cases_are_sorted_searched_and_filtered(opened, files):
    one = opened("classes")
    cases = files[1]["classes"].summary.cases.cases
    one.page.click("#case-table th:nth-child(4) button")
    expected = sorted((case.probability for case in cases), reverse=True)[:15]
    assert one.column(4) == [f"{p:.3f}" for p in expected]
    assert one.page.get_attribute("#case-table th:nth-child(4)", "aria-sort") == "descending"
    one.page.click("#case-table th:nth-child(4) button")
    assert one.column(4) == [f"{p:.3f}" for p in sorted(case.probability for case in cases)[:15]]
    one.page.fill("#case-search", f"row {cases[7].row}")
    assert str(cases[7].row) in one.column(1)
    one.page.fill("#case-search", "nothing is like this")
    assert one.text("#case-count") == "no case is like that"
    one.page.fill("#case-search", "")
    one.page.select_option("#case-filter", "1")
    n_uncertain = sum(case.agreement < 0.9 - 1e-9 for case in cases)
    assert one.text("#case-count").endswith(f"of {n_uncertain} cases")
    one.set("#gamma0", 1000)
    n_uncertain = sum(case.agreement < 1 - 1e-9 for case in cases)
    assert one.text("#case-count").endswith(f"of {n_uncertain} cases")


def test_a_row_opens_its_explanation(opened, files):
    one = opened("numbers")
    case = files[1]["numbers"].summary.cases.cases[0]
    button = one.page.locator("#case-table .open").first
    button.focus()
    one.page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    why = one.page.locator("#case-table tr.why")
    names = why.locator("tbody th").all_text_contents()
    shown = [f"{reason.name} = {reason.value}" for reason in case.reasons]
    assert names[: len(shown)] == shown
    added = why.locator("tbody td.number").first.text_content().replace("−", "-")
    assert float(added) == pytest.approx(case.reasons[0].added, rel=5e-3)
    one.page.keyboard.press("Enter")
    assert why.count() == 0
    one.page.evaluate(f"location.hash = '#case-{files[1]['numbers'].summary.cases.cases[40].row}'")
    one.page.wait_for_selector("#case-table tr.why")


def test_names_of_columns_and_classes_are_text(opened):
    one = opened("classes")
    one.page.locator("#case-table .open").first.click()
    assert one.page.locator("img, body b[onclick]").count() == 0
    assert COLUMN in one.text("#data")
    assert LABEL in one.text("#scores")
    assert COLUMN in one.text("#case-table")
    assert one.page.locator("script").count() == 2


def pixels(image):
    """The colours of a picture, (height, width, 3)."""
    from matplotlib.image import imread

    return imread(io.BytesIO(image), format="png")[..., :3]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_pages_are_drawn_at_any_width(opened, kind, size):
    schemes = {}
    for scheme in ("light", "dark"):
        one = opened(kind, width=SIZES[size], color_scheme=scheme)
        one.page.locator("#case-table .open").first.click()
        assert one.page.evaluate("document.documentElement.scrollWidth") == SIZES[size]
        schemes[scheme] = pixels(one.page.screenshot())
    for picture in schemes.values():
        assert picture.shape[:2] == (900, SIZES[size])
        assert picture.std() > 0.05
    assert np.median(schemes["light"]) > 0.9
    assert np.median(schemes["dark"]) < 0.2
    # Every chart has something in it: a drawing without a mark has no extent.
    extent = "e => e.getBBox().width + e.getBBox().height"
    sizes = one.page.evaluate(f"[...document.querySelectorAll('main svg')].map({extent})")
    assert len(sizes) > 20
    assert one.page.locator("path *, rect *").count() == 0
    assert min(sizes) > 0


def test_it_prints(opened, tmp_path):
    one = opened("classes")
    place = tmp_path / "page.pdf"
    one.page.pdf(path=os.fspath(place), format="A4")
    assert place.read_bytes().startswith(b"%PDF")
    assert place.stat().st_size > 20_000
