"""What a figure of a paper is here: what was printed, how it is measured today, and what is claimed of it."""

import dataclasses
import math
import statistics
import time

MARGIN = 0.05     # of a claim: what one run differs from the next by
NEAR = 0.15       # as near to its border a claim that holds is measured again
LEAST = 5         # measurements of such a claim
MOST = 25         # of one in doubt
OUTSIDE = 1 / 14  # how often the true middle is not within the spread


class NotMeasured(Exception):
    """Why a figure cannot be measured here; or, in a suite of claims, one of them."""


@dataclasses.dataclass
class Claim:
    """`left <= right`, or with `relation` ">=" the other way; words says what both are. What was counted is the same in
    each run: there is no margin, and nothing to measure again; "<" is for such. `why` is the reason where it is known not
    to hold today, which the report gives where it does not."""
    words: str
    left: float
    relation: str
    right: float
    is_counted: bool = False
    why: str = ""

    @property
    def ratio(self):
        """At most 1 where the claim holds without a margin."""
        small, large = (self.right, self.left) if self.relation == ">=" else (self.left, self.right)
        if large <= 0:  # nothing gained, or less than that
            return float("inf") if small > large else 1.0
        return small / large

    @property
    def is_doubtful(self):
        """True where another run might say otherwise: near to its border, or not held, as on a disturbed machine."""
        return not self.is_counted and self.ratio > 1 - NEAR

    def is_held_at(self, ratio):
        """Whether it is where both sides have that ratio."""
        return ratio < 1 if self.relation == "<" else ratio <= (1 if self.is_counted else 1 + MARGIN)


@dataclasses.dataclass
class Measured:
    """x and y are titles of axes, series the points of each line. tables: rows of words and values, their heads
    first, where a plot says little. `again` measures the claims alone, where the figure shows more than they need: it
    returns those that it measures, and None for the others, in the same order."""
    claims: list
    x: str = ""
    y: str = ""
    series: dict = dataclasses.field(default_factory=dict)
    table: list = dataclasses.field(default_factory=list)
    missing: list = dataclasses.field(default_factory=list)  # of what the figure has besides, and why
    log: str = "xy"
    again: object = None


@dataclasses.dataclass
class Figure:
    paper: str
    number: str    # as in "6" or "table-1"
    title: str
    claim: str     # the paper's, in words
    changed: str   # what is not as it was in the paper
    printed: list  # what was printed: (what, value, where in the paper)
    measure: object
    cost_s: int = 15   # of one measurement, on two quiet cores
    again_s: int = 60  # in which claims in doubt are measured again

    @property
    def timeout_s(self):
        """After so long none of its commands goes on."""
        return 60 + 6 * self.cost_s + self.again_s

    @property
    def name(self):
        return f"{self.paper}.{self.number}"

    @property
    def heading(self):
        kind, _, number = self.number.rpartition("-")
        return f"{self.paper}, {kind or 'figure'} {number}"


def spread(ratios):
    """(low, high): the border values between which the true middle lies, thirteen times of fourteen, whatever makes the
    ratios differ. Of few ratios these are the smallest and the largest."""
    ratios, outer, beyond = sorted(ratios), 0, 0
    while True:
        beyond += math.comb(len(ratios), outer)
        if 2 * beyond > OUTSIDE * 2 ** len(ratios):
            break
        outer += 1
    return ratios[max(outer - 1, 0)], ratios[-max(outer, 1)]


def judge(measurements):
    """The verdicts of one or more measurements of a figure: of each claim the middle ratio counts, and of two the worse
    one. Where the border lies within the spread of the ratios, the verdict says so. A measurement that lacks a claim, as
    where a program of MPI failed, is left out."""
    verdicts = []
    most = max(len(one.claims) for one in measurements)
    for claims in zip(*(one.claims for one in measurements if len(one.claims) == most)):
        same = [claim for claim in claims if claim is not None]
        ratios = [claim.ratio for claim in same]
        ratio, (low, high) = statistics.median_high(ratios), spread(ratios)
        shown = next(claim for claim in same if claim.ratio == ratio)
        is_close = shown.is_held_at(low) and not shown.is_held_at(high)
        verdicts.append({"words": shown.words, "left": shown.left, "relation": shown.relation, "right": shown.right,
                         "ratio": ratio, "low": low, "high": high, "held": shown.is_held_at(ratio), "close": is_close,
                         "why": shown.why, "measured": 1 if shown.is_counted else len(same),
                         "doubtful": same[0].is_doubtful})
    return verdicts


def is_one_in_doubt(claims, again):
    """Whether a claim is in doubt that `again`, the same claims, has as None."""
    return any(claim.is_doubtful for claim, same in zip(claims, again) if same is None)


def measured_enough(measurements):
    """True unless a claim is in doubt, and has not been measured five times, or not often enough for a clear verdict."""
    return len(measurements) >= MOST or not any(
        one["doubtful"] and (one["measured"] < LEAST or one["close"]) for one in judge(measurements))


def measure(figure, run):
    """The result of a figure as it is stored; its claims once more, as long as one is in doubt and the figure's time for
    that lasts. What a program prints that is not understood is no end of the report."""
    measurements, reason = [], "nothing of what is claimed could be measured"
    try:
        begin = time.monotonic()
        measurements.append(figure.measure(run))
        again, once_s = measurements[0].again, 0
        if again is None:
            again, once_s = lambda: figure.measure(run).claims, time.monotonic() - begin
        run.begin_again(figure.again_s * (3 if run.full else 1), once_s)
        while not measured_enough(measurements) and run.has_time_again(len(measurements) < LEAST):
            run.forget()
            measurements.append(Measured(again()))
    except NotMeasured as why:
        reason = str(why)
    except (ArithmeticError, LookupError, TypeError, ValueError) as fault:
        reason = f"what its programs printed is not understood: {type(fault).__name__} {fault}"
    if not any(one.claims for one in measurements):
        return {"status": "not measured", "reason": reason}
    first = measurements[0]
    return {"status": "measured", "verdicts": judge(measurements), "x": first.x, "y": first.y, "series": first.series,
            "table": first.table, "missing": first.missing, "log": first.log}
