// SPDX-License-Identifier: Apache-2.0
// What stands above the timeline: zoom, search, filters, keys.
"use strict";
((m) => {
  const { element } = m.dom;
  const { count } = m.format;
  const { inList, isList } = m.messages;

  function searchBox(line) {
    const { data } = line;
    const matches = () =>
      data.sets
        .flatMap((set) =>
          Array.from({ length: set.count }, (_, event) => event)
            .filter((event) => line.overlay.matches(set, event))
            .map((event) => ({ set, event })),
        )
        .sort((a, b) => a.set.enter[a.event] - b.set.enter[b.event]);
    const next = (direction) => {
      const all = matches(),
        at = all.findIndex(({ set, event }) => set === line.pin?.set && event === line.pin?.event);
      if (all.length)
        line.choose(
          all[(at < 0 ? (direction > 0 ? 0 : all.length - 1) : at + direction + all.length) % all.length],
          true,
        );
    };
    const names = element(
      "datalist",
      { id: "functions" },
      ...[...new Set(data.calls)].sort().map((value) => element("option", { value })),
    );
    const found = element("span", { id: "found", class: "faint", "aria-live": "polite" });
    const search = element("input", {
      type: "search",
      id: "search",
      placeholder: "function or place",
      size: "16",
      list: "functions",
      "aria-describedby": "found",
      oninput: () => {
        line.wanted.functions = search.value;
        found.textContent = search.value ? `${count(matches().length)} calls` : "";
        line.redraw();
      },
      onkeydown: (event) => {
        if (event.key === "Enter") next(event.shiftKey ? -1 : 1);
        if (event.key === "Escape") line.canvas.focus();
      },
    });
    return { search, parts: [label("search", search), names, found] };
  }

  function rankFilter(line) {
    const ranks = element("input", {
      type: "search",
      id: "filter-ranks",
      placeholder: "0-3,8",
      size: "7",
      oninput: () => {
        const isValid = isList(ranks.value);
        ranks.setAttribute("aria-invalid", String(!isValid));
        if (isValid) line.filterRanks(ranks.value.trim() ? inList(ranks.value) : null);
      },
    });
    return label("ranks", ranks);
  }

  function regionFilter(line) {
    const { data } = line,
      names = [...new Set(Array.from(data.regionCall, (call) => data.calls[call]))].sort();
    if (names.length === 0) return "";
    const region = element(
      "select",
      {
        id: "filter-region",
        onchange: () => {
          line.wanted.region = region.value;
          line.redraw();
        },
      },
      element("option", { value: "", text: "any region" }),
      ...names.map((name) => element("option", { value: name, text: name })),
    );
    return label("region", region);
  }

  function rowChoice(line) {
    const choices = line.tree.choices();
    if (choices.length < 2) return "";
    const rows = element(
      "select",
      {
        id: "rows",
        onchange: () => {
          line.tree.unfoldTo(rows.value);
          line.layLanes();
        },
      },
      ...choices.map(([value, text]) =>
        element("option", { value, text, selected: value === "ranks" || value === "groups" }),
      ),
    );
    return label("rows", rows);
  }

  /** What rows are sorted by. */
  function rowSort(line) {
    const sort = element(
      "select",
      {
        id: "sort",
        onchange: () => {
          line.order.by = sort.value;
          line.layLanes();
        },
      },
      element("option", { value: "", text: "rank" }),
      ...Object.entries(line.order.values).map(([value, { text }]) => element("option", { value, text })),
    );
    return label("sort by", sort);
  }

  /** A button that undoes hiding and pinning. It is below the timeline, so that this stays where it is. */
  function rowReset(line) {
    const reset = element("button", {
      type: "button",
      id: "reset-rows",
      hidden: true,
      onclick: () => line.resetRows(),
    });
    line.onlanes = () => {
      const { hidden, pinned } = line.order,
        parts = [hidden.size && `${hidden.size} hidden`, pinned.length && `${pinned.length} pinned`].filter(Boolean);
      reset.hidden = parts.length === 0;
      reset.textContent = `${parts.join(", ")}: undo`;
      reset.title = "show hidden rows again and let pinned ones go (H)";
    };
    return reset;
  }

  const label = (text, input) => element("label", { text: `${text} ` }, input);
  const button = (text, title, act) =>
    element("button", { type: "button", text, title, "aria-label": title, onclick: act });

  /** Saves what the timeline shows. */
  function savePicture(line) {
    line.draw();
    line.canvas.toBlob((blob) => {
      const url = URL.createObjectURL(blob);
      element("a", { href: url, download: "timeline.png" }).click();
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    });
  }

  /** counter: chooses the counter whose curve is shown; null: there are not several. */
  function controls(line, counter) {
    const { search, parts } = searchBox(line);
    const help = element(
      "dialog",
      { "aria-label": "keys" },
      element("h2", { text: "Keys of the timeline" }),
      element(
        "dl",
        {},
        ...m.input.KEYS.flatMap(([key, text]) => [element("dt", { text: key }), element("dd", { text })]),
      ),
      element("form", { method: "dialog" }, element("button", { text: "close" })),
    );
    document.addEventListener("keydown", (event) => {
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      if (event.key === "/") {
        event.preventDefault();
        search.focus();
      } else if (event.key === "?") help.showModal();
      else if (event.target === document.body) m.input.key(line, event);
    });
    return element(
      "div",
      { class: "tools" },
      element("h2", { id: "timeline-title", text: "Timeline" }),
      button("whole run", "show the whole run (f)", () => line.fit()),
      button("+", "zoom in (w)", () => line.zoom(0.5)),
      button("\u2212", "zoom out (s)", () => line.zoom(2)),
      ...parts,
      rankFilter(line),
      regionFilter(line),
      rowChoice(line),
      rowSort(line),
      counter ? label("counter", counter) : "",
      button("picture", "save the timeline as a picture (PNG)", () => savePicture(line)),
      button("keys", "keys of the timeline (?)", () => help.showModal()),
      m.messages.filters(line),
      help,
    );
  }

  m.controls = { controls, rowReset };
})((globalThis.meridian ??= {}));
