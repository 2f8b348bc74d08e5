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

  /** Times of both are relative to the same moment of the runs, `origin_s` after the begin of this one. */
  function connect(line, beside) {
    const { data } = line,
      origin = data.begin_ns + beside.origin_s * 1e9;
    line.zero = origin;
    line.limits = { from: origin - beside.before_s * 1e9, to: origin + beside.after_s * 1e9 };
    let isFollowing = false;
    const told = line.onview;
    line.onview = (view) => {
      told?.(view);
      if (!isFollowing) parent.postMessage({ view: [view.from - origin, view.to - origin] }, "*");
    };
    globalThis.addEventListener("message", ({ source, data: message }) => {
      if (source !== parent || !message) return;
      const { view, find, colour } = message;
      if (Array.isArray(view) && view.length === 2 && view.every(Number.isFinite) && view[0] < view[1]) {
        isFollowing = true;
        line.show(origin + view[0], origin + view[1]);
        isFollowing = false;
      }
      if (typeof find === "string") set("search", find, "input");
      if (typeof colour === "string") set("colour", colour, "change");
    });
    const choice = document.getElementById("colour");
    choice.addEventListener("change", ({ isTrusted }) => {
      if (isTrusted) parent.postMessage({ colour: choice.value }, "*");
    });
    isFollowing = true;
    line.fit();
    isFollowing = false;
  }

  m.beside = { connect };
})((globalThis.meridian ??= {}));
