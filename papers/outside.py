"""Figures that a program measures by itself: it writes {"rows": [{"figure", "x", "series", "value", "unit"}]} to the file
behind its option --json."""

import json
import pathlib
import tempfile

from figures import NotMeasured


def rows(figure, start):
    """[(x, series, value)] of that figure, in the program's order. start(file) runs the program, which writes the file."""
    with tempfile.TemporaryDirectory(prefix="papers-") as folder:
        file = pathlib.Path(folder) / "rows.json"
        start(file)
        return of_figure(read(file), figure)


def read(file):
    try:
        found = json.loads(pathlib.Path(file).read_text())["rows"]
        return [(row["figure"], row["x"], str(row["series"]), float(row["value"])) for row in found]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotMeasured(f"no rows in {file}: {error}") from None


def of_figure(found, figure):
    chosen = [(x, series, value) for name, x, series, value in found if name == figure]
    if not chosen:
        raise NotMeasured(f"the program wrote no row of {figure}")
    return chosen


def series_of(rows):
    series = {}
    for x, name, value in rows:
        series.setdefault(name, []).append((x, value))
    return series
