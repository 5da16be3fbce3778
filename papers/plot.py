"""Plots as SVG: lines through points, on axes that are logarithmic or not."""

import html
import math

COLOURS = ("#2060b0", "#c08000", "#208040", "#b03020", "#7040a0", "#606060", "#00889a", "#c050a0", "#8a6a30")
LEFT, TOP, WIDTH, HEIGHT, LEGEND = 76, 14, 420, 260, 190


def ticks(low, high, is_log):
    """Where an axis has numbers."""
    if is_log:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        step = max(1, (last - first) // 6)
        return [10.0 ** power for power in range(first, last + 1, step)]
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-12) / 4))
    step *= next(by for by in (1, 2, 5, 10) if (high - low) / (step * by) <= 6)
    return [step * i for i in range(math.floor(low / step), math.ceil(high / step) + 1)]


def few(values):
    """Those values, where they are numbers of ranks or the like: whole and so few that each can stand at the axis."""
    found = sorted(set(values))
    return found if 2 <= len(found) <= 7 and all(value == int(value) and value <= 64 for value in found) else []


class Axis:
    def __init__(self, values, is_log, length, may_be_few=False):
        values = [value for value in values if not is_log or value > 0] or [1.0]
        self.is_log, self.length = is_log, length
        self.ticks = few(values) if may_be_few else []
        if not self.ticks:
            self.ticks = ticks(min(values) if is_log else min(0, *values), max(values), is_log)
        if len(self.ticks) < 2:
            self.ticks.append(self.ticks[0] * 10 if is_log else self.ticks[0] + 1)

    def place(self, value):
        low, high = self.ticks[0], self.ticks[-1]
        if self.is_log:
            return self.length * (math.log10(max(value, low)) - math.log10(low)) / (math.log10(high) - math.log10(low))
        return self.length * (value - low) / (high - low)


def short(value):
    """A number as it stands at an axis."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def frame(x_axis, y_axis, x, y):
    lines = ""
    for tick in y_axis.ticks:
        at = TOP + HEIGHT - y_axis.place(tick)
        lines += (f'<line x1="{LEFT}" y1="{at:.1f}" x2="{LEFT + WIDTH}" y2="{at:.1f}" stroke="#ddd"/>'
                  f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{short(tick)}</text>\n')
    for tick in x_axis.ticks:
        at = LEFT + x_axis.place(tick)
        lines += (f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{TOP + HEIGHT}" stroke="#ddd"/>'
                  f'<text x="{at:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{short(tick)}</text>\n')
    middle = TOP + HEIGHT / 2
    return lines + (f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 34}" text-anchor="middle">{html.escape(x)}</text>\n'
                    f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">{html.escape(y)}</text>\n')


def line(number, name, points, x_axis, y_axis):
    colour = COLOURS[number % len(COLOURS)]
    dashes = ' stroke-dasharray="5 3"' if number >= len(COLOURS) else ""
    places = [(LEFT + x_axis.place(a), TOP + HEIGHT - y_axis.place(b)) for a, b in points]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    dots = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{colour}"><title>{html.escape(name)}: {short(p[0])}, '
                   f"{p[1]:.4g}</title></circle>" for (a, b), p in zip(places, points))
    at = TOP + 10 + 17 * number
    return (f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dashes}/>{dots}\n'
            f'<line x1="{LEFT + WIDTH + 12}" y1="{at - 4}" x2="{LEFT + WIDTH + 28}" y2="{at - 4}" stroke="{colour}" '
            f'stroke-width="2"{dashes}/><text x="{LEFT + WIDTH + 33}" y="{at}">{html.escape(name)}</text>\n')


def plot(series, x, y, log="xy"):
    """The picture of {name: [(x, y)]}; log names the axes that are logarithmic."""
    points = [point for one in series.values() for point in one]
    x_axis = Axis([point[0] for point in points], "x" in log, WIDTH, may_be_few=True)
    y_axis = Axis([point[1] for point in points], "y" in log, HEIGHT)
    inside = frame(x_axis, y_axis, x, y)
    for number, (name, one) in enumerate(series.items()):
        inside += line(number, name, sorted(one), x_axis, y_axis)
    tall = max(TOP + HEIGHT + 44, TOP + 20 + 17 * len(series))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + LEGEND} {tall}" '
            f'font-family="sans-serif" font-size="11" role="img">\n<rect width="100%" height="100%" fill="white"/>\n'
            f"{inside}</svg>\n")
