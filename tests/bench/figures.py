# SPDX-License-Identifier: Apache-2.0
"""From the measures of many alternating runs to figures: medians with their spread, and what a tool adds."""

import dataclasses
import statistics


@dataclasses.dataclass
class Figure:
    """One value per repetition, summed up: median, quartiles and mean."""

    median: float
    low: float
    high: float
    repetitions: int
    mean: float

    @classmethod
    def of(cls, values):
        values = sorted(values)
        if not values:
            return None
        if len(values) == 1:
            return cls(values[0], values[0], values[0], 1, values[0])
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
        return cls(statistics.median(values), low, high, len(values), statistics.mean(values))

    def json(self):
        return dataclasses.asdict(self)


@dataclasses.dataclass
class Row:
    """One line of the table. A tool without a figure has a reason in `notes` instead."""

    name: str
    unit: str
    goal: str = ""
    untraced: Figure = None
    added: dict = dataclasses.field(default_factory=dict)  # tool -> Figure
    times: dict = dataclasses.field(default_factory=dict)  # tool -> Figure: added / the cost of the limit
    notes: dict = dataclasses.field(default_factory=dict)  # tool -> why there is no figure

    def json(self):
        return {
            "name": self.name,
            "unit": self.unit,
            "goal": self.goal,
            "untraced": self.untraced.json() if self.untraced else None,
            "figures": {tool: figure.json() for tool, figure in self.added.items()},
            "ratios": {tool: figure.json() for tool, figure in self.times.items()},
            "notes": self.notes,
        }


def over_ranks(values):
    return statistics.median(values)


def added(runs, measure, tool):
    """Per repetition: the measure under the tool minus the untraced one of the same repetition."""
    return [
        over_ranks(run[tool][measure]) - over_ranks(run["untraced"][measure])
        for run in runs
        if measure in run.get(tool, {}) and measure in run.get("untraced", {})
    ]


def values(runs, measure, tool):
    return [over_ranks(run[tool][measure]) for run in runs if measure in run.get(tool, {})]


def paired_ratio(runs, measure, tool):
    """Per repetition: the measure under the tool over the untraced one."""
    return [
        over_ranks(run[tool][measure]) / over_ranks(run["untraced"][measure])
        for run in runs
        if measure in run.get(tool, {}) and measure in run.get("untraced", {})
    ]


def added_over(runs, measure, limit, tool):
    """Per repetition: what the tool adds to the measure, over another measure of that very run."""
    return [
        (over_ranks(run[tool][measure]) - over_ranks(run["untraced"][measure])) / over_ranks(run[tool][limit])
        for run in runs
        if {measure, limit} <= run.get(tool, {}).keys() and measure in run.get("untraced", {})
    ]


def text(figure, digits=1, sign=False):
    """ "+21.3 (21.1 ±0.4)": mean, then median and half of the range between the quartiles."""
    if figure is None:
        return "-"
    spread = (figure.high - figure.low) / 2
    return f"{figure.mean:{'+' if sign else ''}.{digits}f} ({figure.median:.{digits}f} ±{spread:.{digits}f})"


def print_table(title, header, lines):
    """Columns as wide as their longest word; the first to the left, the others to the right."""
    rows = [header, *lines]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    print(title)
    for index, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        print("  ".join(cells).rstrip())
        if index == 0:
            print("  ".join("-" * width for width in widths))
    print(flush=True)
