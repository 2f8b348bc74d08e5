// SPDX-License-Identifier: Apache-2.0
// The parts of the page below the timeline, from the summary. Texts are set as text, never as markup.
"use strict";
((m) => {
  const { element, section, say } = m.dom;
  const { Table } = m.table;
  const { duration, bytes, count, counted, percent } = m.format;
  const { bars, heatMap, curves, counterLines, flameGraph, pathTree } = m.plots;

  const MOST_BARS = 64;
  function ranks(summary) {
    const longest = Math.max(1e-12, ...summary.ranks.map((rank) => rank.thread_s - rank.ends_s));
    const shown =
      summary.ranks.length <= MOST_BARS
        ? summary.ranks
        : summary.ranks.toSorted((a, b) => b.mpi_share - a.mpi_share).slice(0, MOST_BARS);
    const rows = shown.map((rank) => {
      const mpi = rank.mpi_s - rank.ends_s,
        all = rank.thread_s - rank.ends_s;
      return {
        name: `rank ${rank.rank}`,
        parts: [
          { class: "c0", share: (all - mpi) / longest, text: `${duration(all - mpi)} outside MPI` },
          { class: "c1", share: mpi / longest, text: `${percent(rank.mpi_share)} in MPI` },
        ],
      };
    });
    return section(
      "ranks",
      "Ranks",
      summary.ranks.length > MOST_BARS ? say(`The ${MOST_BARS} with the largest share of MPI; the table has all.`) : "",
      bars(rows, "time of each rank outside and in MPI"),
    );
  }

  function communication(summary, matrix) {
    const sizes = summary.communication_sizes,
      most = Math.max(1, ...sizes.map((row) => row.count));
    const histogram = bars(
      sizes.map((row) => ({
        name: `${row.group}, from ${bytes(row.at_least_bytes)}`,
        parts: [{ class: "c1", share: row.count / most, text: `${count(row.count)}: ${bytes(row.bytes)}` }],
      })),
      "number of messages by size",
    );
    const content = [];
    const draw = (name, side, xLabel, label) => {
      if (side.cells.length > 0)
        content.push(
          element(
            "div",
            {},
            element("h3", { text: name }),
            heatMap(m.matrix.cellsOf(side, "bytes"), { xLabel, yLabel: "from", label, group: side.group }),
          ),
        );
    };
    draw(
      matrix.ranks.group === 1 ? "Bytes from rank to rank" : `Bytes between groups of ${matrix.ranks.group} ranks`,
      matrix.ranks,
      "to rank",
      "bytes from rank to rank; the table pairs has the numbers",
    );
    if (matrix.hosts.count > 1)
      draw(
        matrix.hosts.group === 1 ? "Bytes from host to host" : `Bytes between groups of ${matrix.hosts.group} hosts`,
        matrix.hosts,
        "to host",
        "bytes from host to host",
      );
    return section(
      "communication",
      "Communication",
      element("div", { class: "side" }, ...content),
      element("h3", { text: "Sizes" }),
      histogram,
    );
  }

  const MOST_SIDE = 128;
  function waiting(summary) {
    const pairs = summary.wait_pairs,
      group = Math.max(1, Math.ceil((1 + pairs.reduce((most, p) => Math.max(most, p.rank, p.causer), 0)) / MOST_SIDE));
    const cells = new Map(),
      ranks = (n) => (group === 1 ? `rank ${n}` : `ranks ${n * group} to ${(n + 1) * group - 1}`);
    for (const { rank, causer, total_s } of pairs) {
      const x = Math.floor(causer / group),
        y = Math.floor(rank / group),
        key = `${x} ${y}`;
      cells.set(key, { x, y, value: (cells.get(key)?.value ?? 0) + total_s });
    }
    const list = [...cells.values()].map((cell) => ({
      ...cell,
      text: `${ranks(cell.y)}: ${duration(cell.value)} of waits for ${ranks(cell.x)}`,
    }));
    return section(
      "waiting",
      "Who waits for whom",
      heatMap(list, {
        xLabel: "for rank",
        yLabel: "rank waits",
        group,
        label: "time that ranks wait for ranks; the table wait_pairs has the numbers",
      }),
    );
  }

  function phaseName(phase) {
    const unit = phase.unit === "instance" ? "instances of" : "iterations from";
    return `${phase.iterations} ${unit} ${phase.function}${phase.place ? ` (${phase.place})` : ""}`;
  }

  function iterations(summary) {
    const content = summary.phases.map((phase, i) => {
      const rows = summary.iterations.filter((row) => row.phase === i);
      const most = Math.max(1e-12, ...rows.map((row) => row.slowest_s));
      return element(
        "div",
        {},
        element("h3", {
          text: `${phaseName(phase)}, mean ${duration(phase.mean_s)}`,
        }),
        curves(
          [
            { name: "slowest rank", class: "s2", points: rows.map((row) => [row.iteration, row.slowest_s]) },
            { name: "mean", class: "s1", points: rows.map((row) => [row.iteration, row.mean_s]) },
            { name: "outside MPI", class: "s0", points: rows.map((row) => [row.iteration, row.compute_s]) },
          ],
          {
            from: 0,
            to: Math.max(1, ...rows.map((row) => row.iteration)),
            most,
            label: "time of each iteration",
            unit: duration,
          },
        ),
      );
    });
    return section(
      "iterations",
      "Iterations",
      ...(content.length ? content : [say("No part of the run repeats itself.")]),
    );
  }

  function callPaths(summary) {
    if (!summary.paths?.length)
      return section("paths", "Call paths", say("Call stacks were not recorded: MERIDIAN_STACK asks for them."));
    return section(
      "paths",
      "Call paths",
      flameGraph(pathTree(summary.paths, summary.path_frames), "time in calls by call path"),
    );
  }

  const MOST_LOCKS = 12;
  function locks(summary) {
    const worst = (summary.locks ?? [])
      .filter((row) => row.wait_s > 0)
      .toSorted((a, b) => b.wait_s - a.wait_s)
      .slice(0, MOST_LOCKS);
    if (worst.length === 0) return null;
    const rows = worst.map((row) => ({
      name: `${row.kind} of rank ${row.rank}`,
      parts: [
        {
          class: "c4",
          share: row.wait_s / worst[0].wait_s,
          text: `${duration(row.wait_s)} in ${count(row.contended)} waits, the longest ${duration(row.longest_s)}`,
        },
      ],
    }));
    return section("locks", "Locks", bars(rows, "time that threads wait for locks; the table locks has all"));
  }

  function overhead(summary) {
    const rows = summary.overhead ?? [];
    if (rows.length === 0) return null;
    const all = rows.reduce((sum, row) => sum + row.share, 0),
      most = Math.max(1e-12, ...rows.map((row) => row.total_s));
    return section(
      "overhead",
      "The tracer's own time",
      say(`The tracer took ${percent(all)} of the ranks' time.`),
      bars(
        rows.map((row) => ({
          name: row.name,
          parts: [
            {
              class: "c7",
              share: row.total_s / most,
              text: `${duration(row.total_s)} (${percent(row.share)}), ${count(row.count)} times`,
            },
          ],
        })),
        "the tracer's own time by kind of work",
      ),
    );
  }

  /** Figures derived from counters, of all ranks together. */
  function counters(summary) {
    const rows = (summary.metrics ?? []).filter((row) => row.rank === -1);
    if (rows.length === 0) return null;
    const figure = (name, part) => {
      const found = rows.find((row) => row.name === name && row.part === part);
      return element("td", { class: "number", text: found ? String(Number(found.value.toPrecision(4))) : "" });
    };
    const lines = [...new Set(rows.map((row) => row.name))].map((name) =>
      element("tr", {}, element("th", { scope: "row", text: name }), figure(name, "compute"), figure(name, "mpi")),
    );
    return section(
      "counters",
      "Counters",
      element(
        "table",
        {},
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ...["of all ranks", "outside MPI", "in MPI"].map((text) => element("th", { scope: "col", text })),
          ),
        ),
        element("tbody", {}, ...lines),
      ),
    );
  }

  const MOST_SETTINGS = 200;
  /** How the program was run. */
  function circumstances(summary) {
    const different = (name) => [...new Set((summary.context ?? []).map((row) => row[name]).filter(Boolean))];
    const facts = [
      ["program", [summary.run.executable]],
      ["command", different("command")],
      ["MPI library", [summary.run.mpi_library]],
      ["hosts", different("host")],
      ["processors", different("cpu_model")],
    ];
    const lines = (rows) =>
      rows
        .filter(([, values]) => values.length > 0 && values[0])
        .map(([name, values]) =>
          element(
            "tr",
            {},
            element("th", { scope: "row", text: name }),
            element("td", {
              class: "long",
              text:
                values.length > 4
                  ? `${values.slice(0, 4).join(", ")} and ${values.length - 4} more`
                  : values.join(", "),
            }),
          ),
        );
    const settings = (summary.environment ?? []).slice(0, MOST_SETTINGS).map((row) => [row.name, [row.value]]);
    const table = (rows) => element("table", {}, element("tbody", {}, ...lines(rows)));
    const folded = element("summary", { text: counted(settings.length, "setting") });
    return section(
      "circumstances",
      "How it was run",
      table(facts),
      settings.length ? element("details", { id: "settings" }, folded, table(settings)) : "",
    );
  }

  /** Links to the parts of the page. */
  function contents(sections) {
    return element(
      "nav",
      { "aria-label": "parts of the report" },
      ...sections
        .filter((own) => own.id)
        .map((own) => element("a", { href: `#${own.id}`, text: own.firstElementChild.textContent })),
    );
  }

  function findings(summary) {
    const list = element("ul", { class: "findings" });
    for (const finding of summary.findings)
      list.append(
        element(
          "li",
          { class: `severity-${finding.severity}` },
          element("b", { text: `${finding.severity}: ${finding.name}` }),
          element("span", {
            text: ` (${count(finding.count)}) ${finding.text} ${finding.remedy} ${finding.detail ?? ""}`,
          }),
        ),
      );
    return section("findings", "Findings", summary.findings.length ? list : say("Nothing is wrong with this trace."));
  }

  const title = (table) => {
    const text = (table.heading ?? table.name.replaceAll("_", " ")).toLowerCase();
    return text[0].toUpperCase() + text.slice(1);
  };

  /** All tables, folded; tables: filled with the ones that were opened, by name. */
  function tables(about, summary, choose) {
    const box = section("tables", "All tables"),
      made = {};
    for (const table of about.tables) {
      const rows = summary[table.name];
      if (!Array.isArray(rows) || rows.length === 0) continue;
      const details = element(
        "details",
        { id: `table-${table.name}` },
        element("summary", { text: `${title(table)} (${count(table.rows)})` }),
        element("p", { class: "faint", text: `${table.text}.` }),
      );
      const build = () => {
        if (made[table.name]) return;
        made[table.name] = new Table(table, rows, "place" in rows[0] || "function" in rows[0] ? choose : null);
        details.append(made[table.name].element);
      };
      details.addEventListener("toggle", build);
      details.build = build;
      box.append(details);
    }
    box.open = (name, words) => {
      const details = box.querySelector(`#table-${name}`);
      if (!details) return;
      details.open = true;
      details.build();
      made[name].setWords(words);
    };
    box.made = made;
    return box;
  }

  /** (view, height) => curves under the timeline: efficiencies, and a counter. */
  function curvesOf(summary, timeline) {
    const windows = summary.efficiencies.filter((row) => row.scope === "window"),
      first = timeline.begin_ns / 1e9;
    const points = (name) =>
      windows.flatMap((row) => [
        [first + row.begin_s, Math.min(1, row[name])],
        [first + row.begin_s + row.time_s, Math.min(1, row[name])],
      ]);
    const factors = [
      ["parallel efficiency", "s1", "parallel"],
      ["load balance", "s0", "load_balance"],
      ["transfer", "s2", "transfer"],
    ].map(([name, own, column]) => ({ name, class: own, points: points(column) }));
    const rates = timeline.counterCurves.map((counter, i) => counterLines(counter, first, i + 3));
    return (view, height, shown = 0) => {
      const span = { from: view.from / 1e9, to: view.to / 1e9, height };
      const box = windows.length ? [curves(factors, { ...span, label: "efficiencies over time" })] : [];
      return [
        ...box,
        ...rates.slice(shown, shown + 1).map((rate) =>
          curves(rate.lines, {
            ...span,
            least: rate.least,
            most: rate.most,
            label: `${rate.name} over time`,
            unit: (value) => (rate.is_own ? String(value) : count(Math.round(value))),
          }),
        ),
      ];
    };
  }

  m.sections = {
    ranks,
    communication,
    waiting,
    locks,
    iterations,
    callPaths,
    counters,
    overhead,
    findings,
    circumstances,
    contents,
    tables,
    curvesOf,
  };
})((globalThis.meridian ??= {}));
