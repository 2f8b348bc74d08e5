// SPDX-License-Identifier: Apache-2.0
// A timeline beside that of another run, in a frame of the page on both: one scale, one view.
"use strict";
((m) => {
  function set(id, value, event) {
    const input = document.getElementById(id),
      before = input.value;
    input.value = value;
    if (input.value !== value) input.value = before; // it is not one of the choices
    else input.dispatchEvent(new Event(event));
  }

  /** When the n-th iteration of the phase that takes longest begins, in s since the begin of the run; null: never. */
  function beginOfIteration({ phases, iterations }, n) {
    const length = ({ begin_s: begin, end_s: end }) => end - begin;
    let phase = -1;
    phases.forEach((row, i) => {
      if (row.unit === "iteration" && (phase < 0 || length(row) > length(phases[phase]))) phase = i;
    });
    const has = ({ iteration, count }) => iteration <= n && n < iteration + count;
    const group = iterations.find((row) => row.phase === phase && has(row));
    return group ? group.begin_s + (n - group.iteration) * group.mean_s : null;
  }

  /** Times of both are relative to one moment of the runs: `origin_s` after the begin of this one, or an iteration. */
  function connect(line, beside) {
    const { data, summary } = line;
    let origin = data.begin_ns + beside.origin_s * 1e9,
      asked = origin, // what was asked for last: it holds once both runs have it
      isFollowing = false;
    const tell = (message) => parent.postMessage(message, "*");
    const follow = (change) => {
      isFollowing = true;
      change();
      isFollowing = false;
    };
    const limit = (from, to) =>
      follow(() => {
        origin = asked;
        line.zero = origin;
        line.limits = { from: origin + from, to: origin + to };
        line.fit();
      });
    /** 0: at `origin_s`. The answer is where the run lies, or that it has no such iteration. */
    const align = (n) => {
      const moment = n === 0 ? beside.origin_s : beginOfIteration(summary, n);
      if (moment === null) return tell({ range: null });
      asked = data.begin_ns + moment * 1e9;
      return tell({ range: [data.begin_ns - asked, data.end_ns - asked] });
    };
    const told = line.onview;
    line.onview = (view) => {
      told?.(view);
      if (!isFollowing) tell({ view: [view.from - origin, view.to - origin] });
    };
    const isSpan = (pair) =>
      Array.isArray(pair) && pair.length === 2 && pair.every(Number.isFinite) && pair[0] < pair[1];
    globalThis.addEventListener("message", ({ source, data: message }) => {
      if (source !== parent || !message) return;
      const { view, limits, find, colour } = message;
      if (isSpan(view)) follow(() => line.show(origin + view[0], origin + view[1]));
      if (isSpan(limits)) limit(...limits);
      if (Number.isInteger(message.align)) align(message.align);
      if (typeof find === "string") set("search", find, "input");
      if (typeof colour === "string") set("colour", colour, "change");
    });
    const choice = document.getElementById("colour");
    choice.addEventListener("change", ({ isTrusted }) => {
      if (isTrusted) tell({ colour: choice.value });
    });
    limit(-beside.before_s * 1e9, beside.after_s * 1e9);
  }

  m.beside = { connect, beginOfIteration };
})((globalThis.meridian ??= {}));
