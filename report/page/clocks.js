// SPDX-License-Identifier: Apache-2.0
// How far times can be trusted: a verdict in words, and what `meridian clocks` plots.
"use strict";
((m) => {
  const { element, section, say } = m.dom;
  const { duration, count } = m.format;
  const { curves, dots, bars } = m.plots;
  const MOST_LINES = 32,
    PPM = (value) => `${Number(value.toPrecision(3))} ppm`;

  /** The sentence of the summary, as its first letter begins one here. */
  function verdict({ clock_verdict: words }) {
    return words ? say(`${words[0].toUpperCase()}${words.slice(1)}.`) : "";
  }

  /** Names of clocks by their number: the host of the first rank with it. */
  const nameOf = (clocks, i) => clocks.names?.[i] || `clock ${i}`;

  /** Lines of the clocks from rows [clock, time, value...]. */
  function linesOf(clocks, rows, value) {
    const byClock = new Map();
    for (const row of rows) {
      if (row[value] === null) continue;
      if (!byClock.has(row[0])) byClock.set(row[0], []);
      byClock.get(row[0]).push([row[1], row[value]]);
    }
    return [...byClock]
      .slice(0, MOST_LINES)
      .map(([clock, points]) => ({ name: nameOf(clocks, clock), class: `s${clock % 8}`, points }));
  }

  function plot(name, lines, timeline, unit) {
    const values = lines.flatMap((line) => line.points.map(([, v]) => v));
    if (values.length === 0) return "";
    const most = Math.max(...values),
      least = Math.min(0, ...values);
    return element(
      "div",
      {},
      element("h3", { text: name }),
      curves(lines, {
        from: timeline.begin_ns,
        to: timeline.end_ns,
        least,
        most: most > least ? most : least + 1e-12,
        label: name,
        unit,
      }),
    );
  }

  function clocks(summary, timeline) {
    const raw = timeline.clocks ?? {},
      words = verdict(summary);
    if (summary.clocks.length < 2) return section("clocks", "Clocks", words);
    const bounds = (level) =>
      timeline.bounds.flatMap((knots, i) =>
        knots.filter((knot) => knot[level] !== null && knot[level] > 0).map((knot) => [i, knot[0], knot[level] / 1e9]),
      );
    const content = [
      plot(
        "Half width of the bound T1: causality, and the rates of clocks",
        linesOf(raw, bounds(1), 2),
        timeline,
        duration,
      ),
      plot(
        "Half width of the bound T2: also, both directions are equal within 20 %",
        linesOf(raw, bounds(2), 2),
        timeline,
        duration,
      ),
    ];
    if (raw.fit) {
      const seconds = raw.fit.map(([clock, time, correction, drift]) => [clock, time, correction / 1e9, drift]);
      content.push(
        plot("Correction, less a straight line from start to end", linesOf(raw, seconds, 2), timeline, duration),
        plot("Rate of the clock relative to the reference", linesOf(raw, seconds, 3), timeline, PPM),
      );
    }
    const kinds = ["round trips", "received: at least", "sent: at most"],
      samples = raw.samples ?? [];
    if (samples.length)
      content.push(
        element(
          "div",
          {},
          element("h3", { text: "Residuals: what samples require, less the fitted correction" }),
          dots(
            kinds.map((name, kind) => ({
              name,
              class: `s${[1, 2, 3][kind]}`,
              points: samples.filter((row) => row[1] === kind).map((row) => [row[2], row[3] / 1e9]),
            })),
            { from: timeline.begin_ns, to: timeline.end_ns, label: "residuals of the samples", unit: duration },
          ),
        ),
      );
    if (raw.lengths?.length) {
      const most = Math.max(...raw.lengths.map(([, n]) => n));
      content.push(
        element(
          "div",
          {},
          element("h3", { text: "Round trips: no correction can see an error below half of the shortest" }),
          bars(
            raw.lengths.map(([length, n]) => ({
              name: `from ${duration(length / 1e9)}`,
              parts: [{ class: "c1", share: n / most, text: count(n) }],
            })),
            "round trips by length",
          ),
        ),
      );
    }
    if (summary.clock_models.length) {
      const rows = summary.clock_models.map((model) =>
        element(
          "tr",
          model.is_chosen ? { class: "chosen" } : {},
          element("th", { scope: "row", text: model.name + (model.is_chosen ? " (used)" : "") }),
          element("td", { class: "number", text: count(model.messages) }),
          element("td", { class: "number", text: count(model.reversed) }),
          element("td", { class: "number", text: model.reversed ? duration(model.worst_s) : "-" }),
          element("td", { class: "number", text: duration(model.residual_s) }),
        ),
      );
      content.push(
        element(
          "div",
          {},
          element("h3", { text: "What each model makes of the messages between hosts" }),
          element(
            "table",
            {},
            element(
              "thead",
              {},
              element(
                "tr",
                {},
                ...["model", "messages", "reversed", "worst", "residual"].map((text) =>
                  element("th", { scope: "col", text }),
                ),
              ),
            ),
            element("tbody", {}, ...rows),
          ),
        ),
      );
    }
    return section("clocks", "Clocks", words, element("div", { class: "pairs" }, ...content.filter(Boolean)));
  }

  /** The page of `meridian clocks`: this section and its tables alone. */
  function show(about, summary, timeline) {
    document.title = `${about.title} - Meridian clocks`;
    document.getElementById("header").replaceChildren(...m.first.header(about, summary));
    document.getElementById("main").replaceChildren(clocks(summary, timeline), m.sections.tables(about, summary, null));
    m.page = { about, summary };
  }

  m.clocks = { clocks, show };
})((globalThis.meridian ??= {}));
