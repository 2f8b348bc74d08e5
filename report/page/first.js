// SPDX-License-Identifier: Apache-2.0
// The first screen above the timeline: what the run was, its efficiencies, the share of MPI by rank, what it costs.
"use strict";
((m) => {
  const { element, section, say, svg } = m.dom;
  const { duration, count, counted, percent } = m.format;
  const FIRST_PROBLEMS = 3,
    MOST_SHARE_BARS = 160,
    STRIP_PX = 40;

  function header(about, summary) {
    const { run } = summary;
    const facts = [
      `${counted(run.ranks_present, "rank")} on ${counted(run.hosts, "host")}`,
      duration(run.time_s),
      run.begin,
      run.mpi_library.split(",")[0],
      `${count(run.calls)} MPI calls`,
    ];
    return [
      element(
        "div",
        { class: "title" },
        element("h1", { text: about.title }),
        element("span", { class: "faint", text: facts.filter(Boolean).join(" \u00b7 ") }),
      ),
      element("p", { class: "headline", text: about.headline }),
    ];
  }

  const FACTORS = [
    ["parallel", "parallel efficiency", "the product of the others"],
    ["load_balance", "load balance", "ranks compute for different times"],
    ["serialisation", "serialisation", "ranks wait for each other in turn"],
    ["communication", "communication", "ranks wait in turn, or data under way take time"],
    ["transfer", "transfer", "MPI itself and data under way take time"],
    ["processor", "processor", "threads that could run have no processor"],
    ["thread_factor", "threads", "threads of a rank have nothing to do"],
  ];

  function factors(summary) {
    const run = summary.efficiencies.find((row) => row.scope === "run");
    if (!run) return say("There is nothing to measure it by.");
    // Sums over calls do not tell serialisation from transfer: their product is shown.
    const isWhole = run.serialisation !== null && run.transfer !== null;
    const isShown = {
      thread_factor: run.threads !== run.processes,
      processor: run.processor < 1,
      communication: !isWhole,
      serialisation: isWhole,
      transfer: isWhole,
    };
    const rows = FACTORS.filter(([name]) => isShown[name] ?? true).map(([name, text, reason]) =>
      element(
        "tr",
        { title: name === "parallel" ? reason : `less than 100 % if ${reason}` },
        element("th", { scope: "row", text }),
        element("td", { class: "number", "data-factor": name, text: percent(run[name]) }),
        element("td", { class: "meter" }, element("span", { style: `width:${Math.min(100, 100 * run[name])}%` })),
      ),
    );
    return element("table", { class: "factors" }, element("tbody", {}, ...rows));
  }

  /** Ranks in at most `most` neighbouring groups: [{from, to, least, mean, most, worst: rank of the largest share}]. */
  function shareGroups(shares, most) {
    const size = Math.max(1, Math.ceil(shares.length / most)),
      groups = [];
    for (let i = 0; i < shares.length; i += size) {
      const own = shares.slice(i, i + size),
        worst = own.reduce((a, b) => (b.share > a.share ? b : a));
      groups.push({
        from: own[0].rank,
        to: own.at(-1).rank,
        least: Math.min(...own.map((s) => s.share)),
        mean: own.reduce((sum, s) => sum + s.share, 0) / own.length,
        most: worst.share,
        worst: worst.rank,
      });
    }
    return groups;
  }

  /** A bar for each rank, or for neighbours their mean, with a mark at the largest. */
  function shareStrip(shares, choose) {
    if (shares.length === 0) return "";
    const groups = shareGroups(shares, MOST_SHARE_BARS),
      width = 10,
      all = groups.length * width;
    const least = shares.reduce((a, b) => (b.share < a.share ? b : a)),
      most = shares.reduce((a, b) => (b.share > a.share ? b : a)),
      mean = shares.reduce((sum, s) => sum + s.share, 0) / shares.length;
    const shareOf = ({ share, rank }) => `${percent(share)} (rank ${rank})`;
    const words =
      shares.length === 1
        ? `${percent(most.share)} of the time in MPI`
        : `time in MPI: ${shareOf(least)} to ${shareOf(most)}, mean ${percent(mean)}`;
    const picture = svg("svg", {
      viewBox: `0 0 ${all} ${STRIP_PX}`,
      preserveAspectRatio: "none",
      class: "strip",
      role: "img",
      "aria-label": words,
    });
    groups.forEach((group, i) => {
      const y = (share) => STRIP_PX * (1 - Math.min(1, share)),
        name =
          group.from === group.to
            ? `rank ${group.from}: ${percent(group.mean)} in MPI`
            : `ranks ${group.from} to ${group.to}: ${percent(group.mean)} in MPI; ` +
              `rank ${group.worst}: ${percent(group.most)}`;
      const bar = svg(
        "g",
        {},
        svg("rect", { x: i * width, y: 0, width, height: STRIP_PX, class: "behind" }),
        svg("rect", {
          x: i * width + 0.5,
          y: y(group.mean),
          width: width - 1,
          height: STRIP_PX - y(group.mean),
          class: "bar-of-share",
        }),
        svg("title", { text: name }),
      );
      if (group.from !== group.to)
        bar.append(
          svg("rect", { x: i * width + 0.5, y: y(group.most), width: width - 1, height: 1.5, class: "mark-of-share" }),
        );
      bar.addEventListener("click", () => choose(group.worst));
      picture.append(bar);
    });
    return element("figure", { id: "mpi-shares" }, picture, element("figcaption", { text: words }));
  }

  function efficiency(summary, shares, choose) {
    return section("efficiency", "Efficiency", factors(summary), shareStrip(shares, choose));
  }

  /** choose: called with a problem that was clicked. */
  function problems(summary, choose) {
    if (summary.problems.length === 0)
      return section("problems", "What it costs", say("No known problem costs a hundredth of the ranks' time."));
    const list = element("ol", { class: "problems" });
    summary.problems.forEach((problem, i) => {
      const open = element(
        "button",
        {
          type: "button",
          class: "problem",
          title: "show its worst instance in the timeline",
          onclick: () => choose(problem),
        },
        element("span", { class: "cost", text: duration(problem.cost_s) }),
        element("span", { class: "share", text: percent(problem.share) }),
        element("span", { class: "kind", text: problem.problem }),
      );
      list.append(
        element(
          "li",
          { class: i < FIRST_PROBLEMS ? "" : "further" },
          open,
          element(
            "p",
            { title: `${problem.text} ${problem.remedy}` },
            element("span", { text: `${problem.text} ` }),
            element("span", { class: "remedy", text: problem.remedy }),
          ),
        ),
      );
    });
    const box = section("problems", "What it costs, most first", list);
    if (summary.problems.length > FIRST_PROBLEMS) {
      const more = element("button", {
        type: "button",
        "aria-expanded": "false",
        text: `${summary.problems.length - FIRST_PROBLEMS} more`,
        onclick: () => {
          const isOpen = list.classList.toggle("all");
          more.setAttribute("aria-expanded", String(isOpen));
          more.textContent = isOpen ? "fewer" : `${summary.problems.length - FIRST_PROBLEMS} more`;
          globalThis.dispatchEvent(new Event("resize"));
        },
      });
      box.firstElementChild.append(" ", more);
    }
    return box;
  }

  m.first = { header, efficiency, problems, shareGroups };
})((globalThis.meridian ??= {}));
