// SPDX-License-Identifier: Apache-2.0
// The parts of the page, from the summary. Texts are set as text, never as markup.
"use strict";
((m) => {
  const { element, Table } = m.table;
  const { duration, bytes, count, percent } = m.format;
  const { bars, heatMap, curves, flameGraph, pathTree } = m.plots;

  const section = (id, name, ...content) => element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title`, text: name }), ...content);
  const say = (text) => element("p", { text });

  function header(about, summary) {
    const run = summary.run;
    return [element("h1", { text: about.title }),
      element("p", { class: "headline", text: about.headline }),
      element("p", { class: "faint", text: [`${count(run.ranks_present)} ranks on ${count(run.hosts)} ${run.hosts === 1 ? "host" : "hosts"}`, duration(run.time_s), run.begin, run.mpi_library.split(",")[0], `${count(run.calls)} MPI calls`].filter(Boolean).join(" \u00b7 ") })];
  }

  const FACTORS = [["parallel", "parallel efficiency", "the product of the others"], ["load_balance", "load balance", "ranks compute for different times"],
    ["serialisation", "serialisation", "ranks wait for each other in turn"], ["transfer", "transfer", "MPI itself and data under way take time"],
    ["thread_factor", "threads", "threads of a rank have nothing to do"]];

  function efficiency(summary) {
    const run = summary.efficiencies.find((row) => row.scope === "run");
    if (!run) return element("section", { id: "efficiency" }, element("h2", { text: "Efficiency" }), say("There is nothing to measure it by."));
    const rows = FACTORS.filter(([name]) => name !== "thread_factor" || run.threads !== run.processes).map(([name, text, reason]) =>
      element("tr", {}, element("th", { scope: "row", text, title: `less than 100 % if ${reason}` }), element("td", { class: "number", "data-factor": name, text: percent(run[name]) }),
        element("td", { class: "meter" }, element("span", { style: `width:${Math.min(100, 100 * run[name])}%` }))));
    return section("efficiency", "Efficiency", element("table", {}, element("tbody", {}, ...rows)));
  }

  /** choose: called with a problem that was clicked. */
  function problems(summary, choose) {
    if (summary.problems.length === 0) return section("problems", "What it costs", say("No known problem costs a hundredth of the ranks' time."));
    const list = element("ol", { class: "problems" });
    summary.problems.forEach((problem, i) => {
      const open = element("button", { type: "button", class: "problem", onclick: () => choose(problem) },
        element("span", { class: "cost", text: duration(problem.cost_s) }), element("span", { class: "share", text: percent(problem.share) }),
        element("span", { class: "kind", text: problem.problem }));
      list.append(element("li", { class: i < 3 ? "" : "further" }, open, element("p", { text: `${problem.text} ` }, element("span", { class: "remedy", text: problem.remedy }))));
    });
    const box = section("problems", "What it costs, most first", list);
    if (summary.problems.length > 3)
      box.append(element("button", { type: "button", text: `${summary.problems.length - 3} more`, onclick: (event) => { list.classList.add("all"); event.target.remove(); } }));
    return box;
  }

  const MOST_BARS = 64;
  function ranks(summary) {
    const longest = Math.max(1e-12, ...summary.ranks.map((rank) => rank.thread_s - rank.ends_s));
    const shown = summary.ranks.length <= MOST_BARS ? summary.ranks : summary.ranks.toSorted((a, b) => b.mpi_share - a.mpi_share).slice(0, MOST_BARS);
    const rows = shown.map((rank) => {
      const mpi = rank.mpi_s - rank.ends_s, all = rank.thread_s - rank.ends_s;
      return { name: `rank ${rank.rank}`, parts: [{ class: "c0", share: (all - mpi) / longest, text: `${duration(all - mpi)} outside MPI` }, { class: "c1", share: mpi / longest, text: `${percent(rank.mpi_share)} in MPI` }] };
    });
    return section("ranks", "Ranks", summary.ranks.length > MOST_BARS ? say(`The ${MOST_BARS} with the largest share of MPI; the table has all.`) : "", bars(rows, "time of each rank outside and in MPI"));
  }

  function communication(summary) {
    const sizes = summary.communication_sizes, most = Math.max(1, ...sizes.map((row) => row.count));
    const histogram = bars(sizes.map((row) => ({ name: `${row.group}, from ${bytes(row.at_least_bytes)}`, parts: [{ class: "c1", share: row.count / most, text: `${count(row.count)}: ${bytes(row.bytes)}` }] })), "number of messages by size");
    const hosts = new Map(summary.ranks.map((rank) => [rank.rank, rank.host])), names = [...new Set(hosts.values())];
    const byHost = new Map();
    for (const pair of summary.pairs) {
      const x = names.indexOf(hosts.get(pair.dest)), y = names.indexOf(hosts.get(pair.source)), key = `${x} ${y}`;
      byHost.set(key, { x, y, value: (byHost.get(key)?.value ?? 0) + pair.bytes });
    }
    const nodes = [...byHost.values()].map((cell) => ({ ...cell, text: `${names[cell.y]} to ${names[cell.x]}: ${bytes(cell.value)}` }));
    const content = [element("h3", { text: "Bytes from rank to rank" }), heatMap(summary.pairs.map((p) => ({ x: p.dest, y: p.source, value: p.bytes, text: `${p.source} to ${p.dest}: ${count(p.messages)} messages, ${bytes(p.bytes)}` })), { xLabel: "to rank", yLabel: "from", label: "bytes from rank to rank; the table pairs has the numbers" })];
    if (names.length > 1) content.push(element("h3", { text: "Bytes from host to host" }), heatMap(nodes, { xLabel: "to host", yLabel: "from", label: "bytes from host to host" }));
    return section("communication", "Communication", ...content, element("h3", { text: "Sizes" }), histogram);
  }

  function waiting(summary) {
    return section("waiting", "Who waits for whom", heatMap(summary.wait_pairs.map((p) => ({ x: p.causer, y: p.rank, value: p.total_s, text: `rank ${p.rank} waits ${duration(p.total_s)} for rank ${p.causer}` })), { xLabel: "for rank", yLabel: "rank waits", label: "time that ranks wait for ranks; the table wait_pairs has the numbers" }));
  }

  function iterations(summary) {
    const content = summary.phases.map((phase, i) => {
      const rows = summary.iterations.filter((row) => row.phase === i);
      const most = Math.max(1e-12, ...rows.map((row) => row.slowest_s));
      return element("div", {}, element("h3", { text: `${phase.iterations} iterations from ${phase.function}${phase.place ? ` (${phase.place})` : ""}, mean ${duration(phase.mean_s)}` }),
        curves([{ name: "slowest rank", class: "s2", points: rows.map((row) => [row.iteration, row.slowest_s]) }, { name: "mean", class: "s1", points: rows.map((row) => [row.iteration, row.mean_s]) }, { name: "outside MPI", class: "s0", points: rows.map((row) => [row.iteration, row.compute_s]) }],
          { from: 0, to: Math.max(1, ...rows.map((row) => row.iteration)), most, label: "time of each iteration", unit: duration }));
    });
    return section("iterations", "Iterations", ...(content.length ? content : [say("No part of the run repeats itself.")]));
  }

  function callPaths(summary) {
    if (!summary.paths?.length) return section("paths", "Call paths", say("Call stacks were not recorded: MERIDIAN_STACKS asks for them."));
    return section("paths", "Call paths", flameGraph(pathTree(summary.paths, summary.path_frames), "time in calls by call path"));
  }

  function clocks(summary, timeline) {
    const t1 = summary.clocks.map((clock) => clock.t1_s).filter((v) => v > 0);
    const chosen = summary.clock_models.find((model) => model.is_chosen);
    const words = summary.clocks.length < 2 ? "All ranks read the same clock: it needs no correction, and all times can be compared exactly."
      : t1.length ? `Times of ${summary.clocks.length} clocks are certain within ${duration(Math.max(...t1))} (T1: causality and the rates of clocks)${chosen ? `; the model is ${chosen.name}` : ""}.`
      : "This model gives no bounds for the error of the times.";
    const lines = timeline.bounds.map((knots, i) => ({ name: `clock ${i}`, class: `s${i % 8}`, points: knots.filter(([, v]) => v !== null).map(([t, v]) => [t, v / 1e9]) })).filter((line) => line.points.length);
    const most = Math.max(1e-12, ...lines.flatMap((line) => line.points.map(([, v]) => v)));
    return section("clocks", "Clocks", say(words), lines.length && summary.clocks.length > 1 ? curves(lines, { from: timeline.begin_ns, to: timeline.end_ns, most, label: "half width of T1 over time", unit: duration }) : "");
  }

  function findings(summary) {
    const list = element("ul", { class: "findings" });
    for (const finding of summary.findings)
      list.append(element("li", { class: `severity-${finding.severity}` }, element("b", { text: `${finding.severity}: ${finding.name}` }), element("span", { text: ` (${count(finding.count)}) ${finding.text} ${finding.remedy} ${finding.detail ?? ""}` })));
    return section("findings", "Findings", summary.findings.length ? list : say("Nothing is wrong with this trace."));
  }

  const title = (table) => {
    const text = (table.heading ?? table.name.replaceAll("_", " ")).toLowerCase();
    return text[0].toUpperCase() + text.slice(1);
  };

  /** All tables, folded; tables: filled with the ones that were opened, by name. */
  function tables(about, summary, choose) {
    const box = section("tables", "All tables"), made = {};
    for (const table of about.tables) {
      const rows = summary[table.name];
      if (!Array.isArray(rows) || rows.length === 0) continue;
      const details = element("details", { id: `table-${table.name}` }, element("summary", { text: `${title(table)} (${count(table.rows)})` }), element("p", { class: "faint", text: `${table.text}.` }));
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

  function windowCurves(summary, timeline) {
    const windows = summary.efficiencies.filter((row) => row.scope === "window");
    if (windows.length === 0) return element("div");
    const first = timeline.begin_ns / 1e9, points = (name) => windows.flatMap((row) => [[first + row.begin_s, row[name]], [first + row.begin_s + row.time_s, row[name]]]);
    return { from: (view) => curves([{ name: "parallel efficiency", class: "s1", points: points("parallel") }, { name: "load balance", class: "s0", points: points("load_balance") }, { name: "transfer", class: "s2", points: points("transfer") }].map((line) => ({ ...line, points: line.points.map(([t, v]) => [t, Math.min(1, v)]) })),
      { from: view.from / 1e9, to: view.to / 1e9, label: "efficiencies over time", height: 60 }) };
  }

  m.sections = { header, efficiency, problems, ranks, communication, waiting, iterations, callPaths, clocks, findings, tables, windowCurves };
})((globalThis.meridian ??= {}));
