// SPDX-License-Identifier: Apache-2.0
// The view in the page's address, so that a link, a bookmark and the browser's buttons lead back to it.
"use strict";
((m) => {
  /** Filters and choices: the name in the address, and the id of their input. */
  const INPUTS = {
    ranks: "filter-ranks",
    find: "search",
    sort: "sort",
    colour: "colour",
    from: "message-from",
    to: "message-to",
    tag: "message-tag",
    comm: "message-comm",
    bytes: "message-bytes",
  };
  const TEXTS = Object.keys(INPUTS);
  const MOST_CHANGE = 8; // of the width of the view: more is a step that the browser's button takes back

  /**
   * "#view=0-1000&ranks=0-3&find=MPI_Send&span=5-9&call=2.0.17&sort=wait&colour=function&pin=rank+3&hide=rank+5":
   * times in ns since the begin of the run. "": the whole run.
   */
  function write(state) {
    const words = new URLSearchParams();
    if (state.view) words.set("view", state.view.map(Math.round).join("-"));
    for (const name of TEXTS) if (state[name]) words.set(name, state[name]);
    for (const name of ["pin", "hide"]) for (const key of state[name]) words.append(name, key);
    if (state.span) words.set("span", state.span.map(Math.round).join("-"));
    if (state.call) words.set("call", state.call.join("."));
    return [...words].length ? `#${words}` : "";
  }

  /** The state of an address; null: it has none, it is that of a section. */
  function read(hash) {
    const words = new URLSearchParams(hash.slice(1)),
      numbers = (name, by, least) => {
        const list = (words.get(name) ?? "").split(by).map(Number);
        return words.has(name) && list.length === least && list.every((n) => Number.isSafeInteger(n) && n >= 0)
          ? list
          : null;
      };
    // "#ranks" alone is a section.
    const isState = ["view", "span", "call", "pin", "hide", ...TEXTS.slice(1)].some((name) => words.has(name));
    if (!isState && !words.get("ranks")) return null;
    const pair = (name) => {
      const found = numbers(name, "-", 2);
      return found && found[0] < found[1] ? found : null;
    };
    return {
      view: pair("view"),
      span: pair("span"),
      call: numbers("call", ".", 3),
      ...Object.fromEntries(TEXTS.map((name) => [name, words.get(name) ?? ""])),
      pin: words.getAll("pin"),
      hide: words.getAll("hide"),
    };
  }

  /** Whether the step from one view to another is one to go back from. */
  function isStep(before, after) {
    const width = ([from, to]) => to - from;
    const ratio = width(before) / width(after),
      isApart = before[1] < after[0] || after[1] < before[0];
    return isApart || ratio > MOST_CHANGE || ratio < 1 / MOST_CHANGE;
  }

  class Address {
    constructor(line) {
      this.line = line;
      this.inputs = {};
      for (const [name, id] of Object.entries(INPUTS)) this.inputs[name] = document.getElementById(id);
      globalThis.addEventListener("popstate", () => this.follow());
    }

    #own(list) {
      return list.map((time) => time - this.line.data.begin_ns);
    }
    /** "": the choice is the first one. */
    #text(name) {
      const input = this.inputs[name];
      return input.selectedIndex === 0 ? "" : input.value.trim();
    }
    state() {
      const { line } = this,
        { data, view, span, pin } = line,
        isAll = view.from <= data.begin_ns && view.to >= data.end_ns;
      const thread = pin ? data.threads[pin.set.rowOf(pin.event)] : null;
      return {
        view: isAll ? null : this.#own([view.from, view.to]),
        span: span ? this.#own([span.from, span.to]) : null,
        call: pin ? [thread.rank, thread.thread, pin.set.enter[pin.event] - data.begin_ns] : null,
        ...Object.fromEntries(TEXTS.map((name) => [name, this.#text(name)])),
        pin: line.order.pinned,
        hide: [...line.order.hidden],
      };
    }

    /** Once the view rests. */
    keep() {
      const { data, view } = this.line,
        hash = write(this.state()),
        before = this.kept ?? [data.begin_ns, data.end_ns],
        after = [view.from, view.to];
      if (hash === location.hash || (hash === "" && location.hash !== "" && read(location.hash) === null)) return;
      const put = isStep(before, after) ? "pushState" : "replaceState";
      history[put](null, "", hash || location.pathname + location.search);
      this.kept = after;
    }

    /** Shows what the address says. */
    follow() {
      const { line } = this,
        { data } = line,
        state = read(location.hash);
      if (location.hash !== "" && !state) return;
      line.order.pinned = state?.pin ?? [];
      line.order.hidden = new Set(state?.hide);
      line.layLanes();
      for (const [name, input] of Object.entries(this.inputs)) {
        const before = input.value;
        input.value = state?.[name] ?? "";
        if (input.selectedIndex === -1) input.selectedIndex = 0; // it is not one of the choices
        if (input.value !== before) input.dispatchEvent(new Event(input.options ? "change" : "input"));
      }
      line.span = state?.span ? { from: data.begin_ns + state.span[0], to: data.begin_ns + state.span[1] } : null;
      if (state?.call) {
        const [rank, thread, enter] = state.call;
        line.reveal(rank, thread);
        line.choose(line.find(rank, thread, data.begin_ns + enter));
        if (!line.pin) line.awaited = { rank, thread, enter: data.begin_ns + enter };
      } else line.choose(null);
      const [from, to] = state?.view ?? [0, data.end_ns - data.begin_ns];
      line.show(data.begin_ns + from, data.begin_ns + to);
      this.kept = [line.view.from, line.view.to];
    }
  }

  m.address = { Address, write, read, isStep };
})((globalThis.meridian ??= {}));
