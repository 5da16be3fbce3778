"""What a figure of a paper is here: what was printed, how it is measured today, and what is claimed of it."""

import dataclasses
import statistics

MARGIN = 0.05      # of a claim: what one run differs from the next by
NEAR = 0.15        # as near to its border a claim that holds is measured again
CLOSE = 0.06       # as near to the verdict's border the middle of three is not enough
MOST_AGREE = 0.75  # of the measurements: with fewer on the verdict's side three or five are not enough
MOST = 7           # measurements of a figure


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

    def is_held(self, ratio):
        """Whether it is where both sides have that ratio."""
        return ratio < 1 if self.relation == "<" else ratio <= (1 if self.is_counted else 1 + MARGIN)


@dataclasses.dataclass
class Measured:
    """x and y are titles of axes, series the points of each line. tables: rows of words and values, their heads
    first, where a plot says little."""
    claims: list
    x: str = ""
    y: str = ""
    series: dict = dataclasses.field(default_factory=dict)
    table: list = dataclasses.field(default_factory=list)
    missing: list = dataclasses.field(default_factory=list)  # of what the figure has besides, and why
    log: str = "xy"


@dataclasses.dataclass
class Figure:
    paper: str
    number: str    # as in "6" or "table-1"
    title: str
    claim: str     # the paper's, in words
    changed: str   # what is not as it was in the paper
    printed: list  # what was printed: (what, value, where in the paper)
    measure: object
    cost_s: int = 15  # of one measurement, on two quiet cores

    @property
    def timeout_s(self):
        """After so long none of its commands goes on."""
        return 60 + 6 * self.cost_s

    @property
    def name(self):
        return f"{self.paper}.{self.number}"

    @property
    def heading(self):
        kind, _, number = self.number.rpartition("-")
        return f"{self.paper}, {kind or 'figure'} {number}"


def judge(measurements):
    """The verdicts of one or more measurements of a figure: of each claim the middle ratio counts, and of two the worse
    one. A measurement that lacks a claim, as where a program of MPI failed, is left out."""
    verdicts = []
    most = max(len(one.claims) for one in measurements)
    for same in zip(*(one.claims for one in measurements if len(one.claims) == most)):
        ratios = sorted(claim.ratio for claim in same)
        ratio = statistics.median_high(ratios)
        shown = next(claim for claim in same if claim.ratio == ratio)
        verdicts.append({"words": shown.words, "left": shown.left, "relation": shown.relation, "right": shown.right,
                         "ratio": ratio, "held": shown.is_held(ratio), "why": shown.why,
                         "measured": 1 if shown.is_counted else len(same),
                         "agree": sum(shown.is_held(one) == shown.is_held(ratio) for one in ratios)})
    return verdicts


def measured_enough(measurements):
    """True unless a claim is in doubt, and has not been measured three times yet; more often where the middle one might
    be on the other side another day, as it is near to the border, or where others are on the other side."""
    if len(measurements) == 1:
        return not any(claim.is_doubtful for claim in measurements[0].claims)
    is_odd = len(measurements) % 2 == 1  # of an even number there is no middle one
    return len(measurements) >= MOST or (is_odd and not any(may_turn(one) for one in judge(measurements)))


def may_turn(verdict):
    """Whether another day's verdict might be another: fewer than three quarters of the measurements say the same, or
    the middle one is near to the border."""
    times = verdict["measured"]
    if times == 1:
        return False
    is_near = abs(verdict["ratio"] - 1 - MARGIN) < CLOSE
    return verdict["agree"] < MOST_AGREE * times or (is_near and times < 5)


def measure(figure, run):
    """The result of a figure as it is stored; a second and third time where a claim is in doubt. What a program prints
    that is not understood is no end of the report."""
    measurements, reason = [], "nothing of what is claimed could be measured"
    try:
        while not measurements or (not measured_enough(measurements) and run.has_time_for(figure.cost_s * (3 if run.full else 1))):
            run.forget()
            measurements.append(figure.measure(run))
    except NotMeasured as why:
        reason = str(why)
    except (ArithmeticError, LookupError, TypeError, ValueError) as fault:
        reason = f"what its programs printed is not understood: {type(fault).__name__} {fault}"
    if not any(one.claims for one in measurements):
        return {"status": "not measured", "reason": reason}
    last = measurements[-1]
    return {"status": "measured", "verdicts": judge(measurements), "x": last.x, "y": last.y, "series": last.series,
            "table": last.table, "missing": last.missing, "log": last.log}
