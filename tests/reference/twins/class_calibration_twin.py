"""The fit of class calibrations by its formulas: dense tables, one plain sum after another."""

import numpy as np

SD_LOG_POWER, SD_LOG_SLOPE, SD_OFFSET, SD_SHARE = 1.5, 0.3, 1.0, 2.0
SMALLEST, LARGEST = 0.2, 8.0
MOST_SLOPED, MOST_PAIRED, MOST_ROWS_BENT = 30, 64, 2048
LEAST_OPEN, LEAST_LEFT = 1e-3, 0.25
ENOUGH, ENOUGH_TO_COMPARE, ENOUGH_TO_BEGIN, SAME_OFFSET = 1e-10, 1e-7, 1e-3, 1e-5


def log_smoothed(means, n_trees):
    """log(C p̃), p̃ = (B p̄ + 1/C) / (B + 1)."""
    n_classes = means.shape[1]
    return np.log(n_classes * (n_trees * means + 1.0 / n_classes) / (n_trees + 1.0))


def softmax(scores):
    """Probabilities and log Z of each row."""
    top = scores.max(axis=1, keepdims=True)
    shares = np.exp(scores - top)
    total = shares.sum(axis=1, keepdims=True)
    return shares / total, (top + np.log(total))[:, 0]


class Fit:
    """Rows of positive weight, the weights scaled to a mean of 1."""

    def __init__(self, means, n_trees, label, weights, halves=None, beyond=0.0):
        used = weights > 0
        self.logs = log_smoothed(means[used], n_trees)
        self.halves = None if halves is None else [log_smoothed(h[used], n_trees) for h in halves]
        self.beyond = beyond
        self.n, self.n_classes = self.logs.shape
        self.weights = weights[used] / weights[used].mean() if used.any() else weights[used]
        self.truth = np.eye(self.n_classes)[label[used]]
        self.count = (self.weights[:, None] * self.truth).sum(axis=0)

    def loss(self, slope, offset):
        """Mean of −log q at the truth, its gradient by slope and by offset."""
        scores = slope * self.logs + offset
        q, log_z = softmax(scores)
        value = np.sum(self.weights * (log_z - np.sum(self.truth * scores, axis=1)))
        gap = self.weights[:, None] * (q - self.truth)
        return value / self.n, np.sum(gap * self.logs, axis=0) / self.n, gap.sum(axis=0) / self.n

    def curvature(self, slope, offset):
        """Σ w q (1 − q) (times the square of the logs, and plain) per row."""
        q, _ = softmax(slope * self.logs + offset)
        spread = self.weights[:, None] * q * (1.0 - q)
        return np.sum(spread * self.logs**2, axis=0) / self.n, spread.sum(axis=0) / self.n

    def paired(self, slope, offset, logs=None):
        """Second derivatives of Σ w log Z by slopes and offsets, per row.

        Of evenly spaced rows among those whose class is not as good as certain.
        """
        logs = self.logs if logs is None else logs
        odds = 1.0 / softmax(slope * logs + offset)[0].max(axis=1) - 1.0
        rows = np.flatnonzero(odds > LEAST_OPEN)
        rows = rows if len(rows) else np.arange(self.n)
        n_open, asked = len(rows), min(len(rows), MOST_ROWS_BENT)
        rows = rows[np.arange(asked) * n_open // asked]
        logs, w = logs[rows], self.weights[rows] * (n_open / asked)
        q, _ = softmax(slope * logs + offset)
        by = np.hstack([q * logs, q])
        found = -(by.T * w) @ by
        c = np.arange(self.n_classes)
        found[c, c] += w @ (q * logs**2)
        found[c + len(c), c] += w @ (q * logs)
        found[c, c + len(c)] += w @ (q * logs)
        found[c + len(c), c + len(c)] += w @ q
        return found / self.n

    def map_curvature(self, jacobian, slope, offset, precision, diagonal):
        """By parameters of which slopes and offsets are, to first order, the Jacobian times."""
        if self.n_classes > MOST_PAIRED:
            return diagonal
        return jacobian.T @ self.paired(slope, offset) @ jacobian + np.diag(precision) / self.n

    def power_loss(self, at, power=None):
        free = power is None
        power = np.exp(np.clip(at[0], -4.0, 4.0)) if free else power
        value, by_slope, by_offset = self.loss(np.full(self.n_classes, power), at[1:])
        value += (np.log(power) / SD_LOG_POWER) ** 2 / 2 / self.n
        value += np.sum((at[1:] / SD_OFFSET) ** 2) / 2 / self.n
        by_power = power * by_slope.sum() + np.log(power) / SD_LOG_POWER**2 / self.n
        by_offset = by_offset + at[1:] / SD_OFFSET**2 / self.n
        return value, np.concatenate([[by_power if free else 0.0], by_offset])

    def slope_loss(self, power, at):
        log_slopes, offset = np.split(at, 2)
        slope = power * np.exp(log_slopes)
        value, by_slope, by_offset = self.loss(slope, offset)
        value += np.sum((log_slopes / SD_LOG_SLOPE) ** 2 + (offset / SD_OFFSET) ** 2) / 2 / self.n
        by_log = slope * by_slope + log_slopes / SD_LOG_SLOPE**2 / self.n
        return value, np.concatenate([by_log, by_offset + offset / SD_OFFSET**2 / self.n])

    def share_loss(self, slope, target, offset):
        q, log_z = softmax(slope * self.logs + offset)
        value = np.sum(self.weights * log_z) - np.sum(target * offset)
        value += np.sum((offset / SD_SHARE) ** 2) / 2
        gradient = self.weights @ q - target + offset / SD_SHARE**2
        return value / self.n, gradient / self.n

    def power_diagonal(self, power, offset):
        bend, spread = self.curvature(np.full(self.n_classes, power), offset)
        of_power = bend.sum() * power**2 + 1 / SD_LOG_POWER**2 / self.n
        return np.concatenate([[of_power], spread + 1 / SD_OFFSET**2 / self.n])

    def fit_power(self, enough, power=1.0, offset=None):
        offset = np.zeros(self.n_classes) if offset is None else offset
        curvature = self.power_diagonal(power, offset)
        start = np.concatenate([[np.log(power)], offset])
        jacobian = np.zeros((2 * self.n_classes, 1 + self.n_classes))
        jacobian[: self.n_classes, 0] = power
        jacobian[self.n_classes :, 1:] = np.eye(self.n_classes)
        precision = [1 / SD_LOG_POWER**2, *np.full(self.n_classes, 1 / SD_OFFSET**2)]
        slope = np.full(self.n_classes, power)
        guide = self.map_curvature(jacobian, slope, offset, precision, curvature)
        at, value = minimise(self.power_loss, start, guide, enough)
        power = np.clip(np.exp(at[0]), SMALLEST, LARGEST)
        if power != np.exp(at[0]):
            curvature = self.power_diagonal(power, at[1:])
            at, value = minimise(lambda a: self.power_loss(a, power), at, curvature, enough)
        return power, at[1:], value

    def fit_slopes(self, enough, power, slopes, offset):
        slope = power * slopes
        bend, spread = self.curvature(slope, offset)
        curvature = np.concatenate(
            [bend * slope**2 + 1 / SD_LOG_SLOPE**2 / self.n, spread + 1 / SD_OFFSET**2 / self.n]
        )
        start = np.concatenate([np.log(slopes), offset])
        low, high = np.log(SMALLEST / power), np.log(LARGEST / power)
        bounded = np.concatenate([np.full(self.n_classes, True), np.full(self.n_classes, False)])

        def within(at):
            return np.where(bounded, np.clip(at, low, high), at)

        jacobian = np.diag(np.concatenate([slope, np.ones(self.n_classes)]))
        precision = np.repeat([1 / SD_LOG_SLOPE**2, 1 / SD_OFFSET**2], self.n_classes)
        guide = self.map_curvature(jacobian, slope, offset, precision, curvature)
        best, _ = minimise(lambda a: self.slope_loss(power, a), start, guide, enough)
        free = within(best) == best
        if not free.all():

            def along(at):
                value, gradient = self.slope_loss(power, at)
                return value, gradient * free

            best, _ = minimise(along, within(best), curvature, enough)
        log_slopes, offset = np.split(within(best), 2)
        return np.exp(log_slopes), offset

    def match_shares(self, slope, offset):
        """Where halves change too fast with b, what they say is taken as it is at the start."""
        pull = 1 / SD_SHARE**2
        if self.n_classes > MOST_PAIRED:
            curvature = self.n * self.curvature(slope, offset)[1] + pull
            return solve(lambda b: self.share_gaps(slope, b), offset, curvature)
        by_offset = np.s_[self.n_classes :, self.n_classes :]
        curvature = all_trees = self.n * self.paired(slope, offset)[by_offset]
        for half in self.halves or []:
            of_half = self.n * self.paired(slope, offset, half)[by_offset]
            curvature = curvature - self.beyond * (of_half - all_trees) / 2
        held = None
        if not (np.diag(curvature) > LEAST_LEFT * np.diag(all_trees)).all():
            curvature, held = all_trees, self.extra(slope, offset)
        curvature = curvature + pull * np.eye(self.n_classes)
        return solve(lambda b: self.share_gaps(slope, b, held), offset, curvature)

    def share_gaps(self, slope, offset, held=None):
        """By what shares, with the pull, are above those they are to have."""
        mass = self.weights @ softmax(slope * self.logs + offset)[0]
        extra = self.extra(slope, offset) if held is None else held
        return mass + offset / SD_SHARE**2 - self.count - extra

    def extra(self, slope, offset):
        """(1 − B / B') times the change of Σ w q from all trees to half of them."""
        if self.halves is None or self.beyond == 0:
            return np.zeros(self.n_classes)
        mass, *halves = (
            self.weights @ softmax(slope * logs + offset)[0] for logs in (self.logs, *self.halves)
        )
        gap = self.beyond * (sum(halves) / 2 - mass)
        return np.clip(gap, -0.5 * self.count, 0.5 * self.count)


def thinned(weights):
    """The weights, 0 but for some evenly spaced ones."""
    used = np.flatnonzero(weights > 0)
    few = min(len(used), MOST_ROWS_BENT)
    found = np.zeros_like(weights)
    kept = used[np.arange(few) * len(used) // few] if few else used
    found[kept] = weights[kept]
    return found


def fit(means, n_trees, label, weights, halves=None, beyond=0.0):
    """Power, offsets and slopes: from some of the rows, roughly, then from all."""
    made = Fit(means, n_trees, label, weights, halves, beyond)
    slopes = np.ones(made.n_classes)
    if made.n == 0 or made.n_classes == 1:
        return 1.0, np.zeros(made.n_classes), slopes
    some = Fit(means, n_trees, label, thinned(weights))
    power, offset, _ = some.fit_power(ENOUGH_TO_BEGIN)
    if not 2 < made.n_classes <= MOST_SLOPED:
        power, offset, _ = made.fit_power(ENOUGH, power, offset)
        return power, made.match_shares(power * slopes, offset), slopes
    slopes, sloped = some.fit_slopes(ENOUGH_TO_BEGIN, power, slopes, offset)
    power, offset, _ = made.fit_power(ENOUGH, power, offset)
    slopes, offset = made.fit_slopes(ENOUGH, power, slopes, sloped)
    return power, made.match_shares(power * slopes, offset), slopes


def loss(means, n_trees, label, weights):
    """The least penalised negative log likelihood by one power and offsets."""
    made = Fit(means, n_trees, label, weights)
    return made.fit_power(ENOUGH_TO_COMPARE)[2] * made.n


def apply(means, n_trees, power, offset, slopes):
    """Calibrated probabilities."""
    return softmax(power * slopes * log_smoothed(means, n_trees) + offset)[0]


def minimise(function, start, curvature, enough):
    """L-BFGS with halved steps, as in the core."""
    at = start
    value, gradient = function(at)
    pairs = []
    for _ in range(200):
        step = -two_loops(gradient, pairs, curvature)
        step *= min(1.0, 4.0 / max(np.abs(step).max(), 1e-300))
        slope = np.sum(gradient * step)
        if -slope < enough * (1.0 + abs(value)):
            return at + step, value + slope / 2
        length = 1.0
        for _ in range(40):
            new, (new_value, new_gradient) = at + length * step, function(at + length * step)
            if new_value <= value + 1e-4 * length * slope:
                break
            length /= 2
        else:
            break
        change, turn = new - at, new_gradient - gradient
        if np.sum(change * turn) > 0:
            pairs = [*pairs[-9:], (change, turn)]
        at, value, gradient = new, new_value, new_gradient
    return at, value


def solve(function, start, curvature):
    """Broyden's method with halved steps, as in the core."""
    rough = np.diag(1.0 / curvature) if curvature.ndim == 1 else np.linalg.inv(curvature)
    inverse, at, values = rough, start, function(start)
    looks = 1
    while looks < 60:
        step = -inverse @ values
        longest = np.abs(step).max()
        step *= min(1.0, 1.0 / longest)
        if longest <= SAME_OFFSET:
            return at + step
        far = np.abs(rough @ values).max()
        for halved in range(11):
            there = function(at + step / 2**halved)
            looks += 1
            if np.abs(rough @ there).max() < far:
                break
        step = step / 2**halved
        foreseen = inverse @ (there - values)
        inverse = inverse + np.outer(step - foreseen, step @ inverse) / (step @ foreseen)
        at, values = at + step, there
    return at


def two_loops(gradient, pairs, curvature):
    """The inverse Hessian, as far as the last steps know it, times the gradient."""
    direction, shares = gradient.copy(), []
    for change, turn in reversed(pairs):
        shares.append(np.sum(change * direction) / np.sum(change * turn))
        direction -= shares[-1] * turn
    if curvature.ndim == 1:
        direction = direction / curvature
    else:
        direction = np.linalg.solve(curvature, direction)
    for (change, turn), share in zip(pairs, reversed(shares), strict=True):
        direction += (share - np.sum(turn * direction) / np.sum(change * turn)) * change
    return direction
