"""Names and colours of the three outcomes, shared by text and plots.

Blue, amber and crimson differ in lightness as well as in hue: they stay apart with any colour
vision and, but for blue and crimson (which plots draw with different marks), in grey print.
"""

from bayeswood.uncertainty import Outcome

BLUE, AMBER, CRIMSON, GREY, INK = "#0072B2", "#E69F00", "#A50026", "#8C8C8C", "#222222"

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
