"""Names and colours of the three outcomes and of classes, shared by text and plots.

Blue, amber and crimson differ in lightness as well as in hue: they stay apart with any colour
vision and, but for blue and crimson (which plots draw with different marks), in grey print.
"""

from bayeswood.uncertainty import Outcome

BLUE, AMBER, CRIMSON, GREY, INK = "#0072B2", "#E69F00", "#A50026", "#8C8C8C", "#222222"

# Okabe and Ito's colours, made to be told apart with any colour vision; seven is as many as can
# be. Markers repeat the message.
CLASS_COLOURS = (BLUE, AMBER, "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
CLASS_MARKERS = ("o", "s", "^", "D", "v", "P", "X")

OUTCOME_COLOURS = {
    Outcome.CONFIDENT_CORRECT: BLUE,
    Outcome.UNCERTAIN: AMBER,
    Outcome.CONFIDENT_INCORRECT: CRIMSON,
}
OUTCOME_NAMES = {
    Outcome.CONFIDENT_CORRECT: "confident and correct",
    Outcome.UNCERTAIN: "uncertain",
    Outcome.CONFIDENT_INCORRECT: "confident but wrong",
}


def class_colour(class_idx: int) -> str:
    """Colour of a class by its number; grey from the eighth on.

    Examples
    --------
    >>> class_colour(0), class_colour(7)
    ('#0072B2', '#8C8C8C')
    """
    return CLASS_COLOURS[class_idx] if class_idx < len(CLASS_COLOURS) else GREY


def class_marker(class_idx: int) -> str:
    """Marker of a class by its number; a point from the eighth on."""
    return CLASS_MARKERS[class_idx] if class_idx < len(CLASS_MARKERS) else "."


# Of pages, by role, on light and on dark paper. Blue, amber and crimson are those of the outcomes,
# and on dark paper lighter ones of the same hues.
PAGE_COLOURS = {
    "ink": INK,
    "soft": "#5A6270",
    "line": "#DDE1E6",
    "paper": "#FFFFFF",
    "wash": "#F5F7F9",
    "link": "#005A8F",
    "blue": BLUE,
    "amber": AMBER,
    "crimson": CRIMSON,
    "grey": GREY,
}
DARK_COLOURS = {
    "ink": "#E4E7EB",
    "soft": "#A3ACB8",
    "line": "#363D47",
    "paper": "#15181D",
    "wash": "#1E232A",
    "link": "#7CC4F0",
    "blue": "#4BA3DB",
    "amber": "#F2B733",
    "crimson": "#E0566F",
    "grey": "#858D99",
}
