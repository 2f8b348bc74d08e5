// SPDX-License-Identifier: Apache-2.0
// Paints rows of states into pixels: from bins where these are narrow enough, otherwise event by event.
"use strict";
((m) => {
  // Colours that colour-blind readers can tell apart (Okabe and Ito 2008), by class of state; waits are hatched, too.
  const LIGHT = ["#b8d8b8", "#56b4e9", "#d55e00", "#cc79a7", "#e69f00", "#f0e442", "#0072b2", "#c8c8c8", "#8c564b"];
  const DARK = ["#3d6b3d", "#56b4e9", "#d55e00", "#cc79a7", "#e69f00", "#b3a92f", "#3b8fd0", "#565656", "#a9746a"];
  const HATCHES = [
    null,
    null,
    (x, y) => (x + y) % 6 < 2,
    (x, y) => (x - y + 6000) % 6 < 2,
    (x, y) => y % 4 === 0,
    null,
    null,
    null,
  ];

  /** Of slots with names, in turn. */
  const HATCHES_OF_SLOTS = [null, (x, y) => (x + y) % 6 < 2, (x, y) => y % 4 === 0, (x, y) => (x - y + 6000) % 6 < 2];

  /** "#rrggbb" as the pixel of an ImageData; a hatch is a shade of it. */
  function pixel(colour, shade = 1) {
    const part = (at) => Math.round(parseInt(colour.slice(at, at + 2), 16) * shade);
    return ((255 << 24) | (part(5) << 16) | (part(3) << 8) | part(1)) >>> 0;
  }

  class Painter {
    /** hidden: the classes whose time stays empty. colours, hatches: of the classes. */
    constructor(isDark, hidden = new Set(), colours = isDark ? DARK : LIGHT, hatches = HATCHES) {
      this.hidden = hidden;
      this.colours = colours;
      this.hatches = hatches;
      this.plain = this.colours.map((c) => pixel(c));
      this.hatched = this.colours.map((c) => pixel(c, 0.62));
      this.background = pixel(isDark ? "#14181e" : "#ffffff");
    }

    /** One column of a row: classes from the bottom, each as high as its share. */
    column(image, width, x, top, height, shares) {
      let sum = 0;
      for (const share of shares) sum += share;
      if (sum <= 0) return;
      const scale = sum > 1 ? 1 / sum : 1;
      let filled = 0,
        edge = 0;
      for (let c = 0; c < shares.length; ++c) {
        if (shares[c] <= 0) continue;
        edge += shares[c] * scale * height;
        const to = Math.min(height, Math.round(edge));
        if (this.hidden.has(c)) filled = to;
        const hatch = this.hatches[c];
        for (; filled < to; ++filled) {
          const y = top + height - 1 - filled;
          image[y * width + x] = hatch && hatch(x, y) ? this.hatched[c] : this.plain[c];
        }
      }
    }

    /** A row from its bins. */
    bins(image, width, top, height, levels, row, view, fromX = 0, toX = width) {
      const nsPerPixel = (view.to - view.from) / width,
        level = levels.at(nsPerPixel);
      const shares = new Float64Array(levels.classes);
      for (let x = fromX; x < toX; ++x) {
        const from = view.from + x * nsPerPixel - levels.beginNs,
          to = from + nsPerPixel;
        if (to <= 0 || from >= level.bins * level.binNs) continue;
        const first = Math.max(0, Math.floor(from / level.binNs));
        const last = Math.min(level.bins - 1, Math.max(first, Math.ceil(to / level.binNs) - 1));
        shares.fill(0);
        for (let c = 0; c < levels.classes; ++c) {
          const at = (row * levels.classes + c) * level.bins;
          for (let bin = first; bin <= last; ++bin) shares[c] += level.shares[at + bin];
          shares[c] /= 255 * (last - first + 1);
        }
        this.column(image, width, x, top, height, shares);
      }
    }

    /**
     * A row from its events between two times, which lie by their enter and do not overlap. states(i): calls
     * put(class, from, to) for each state of event i, in order of time; between(from, to, put) the same for what is
     * between events. put(class, from, to, share) takes a share of the time.
     */
    events(image, width, top, height, view, window, events, between, states) {
      const nsPerPixel = (view.to - view.from) / width;
      const fromX = Math.max(0, Math.floor((window.from - view.from) / nsPerPixel));
      const toX = Math.min(width, Math.ceil((window.to - view.from) / nsPerPixel));
      if (toX <= fromX) return;
      const classes = this.colours.length,
        sums = new Float64Array((toX - fromX) * classes);
      const put = (c, from, to, share = 1) => {
        from = Math.max(from, window.from, view.from + fromX * nsPerPixel);
        to = Math.min(to, window.to, view.from + toX * nsPerPixel);
        if (to <= from) return;
        const first = (from - view.from) / nsPerPixel - fromX,
          last = (to - view.from) / nsPerPixel - fromX;
        const a = Math.floor(first),
          b = Math.min(toX - fromX - 1, Math.floor(last));
        if (a === b) {
          sums[a * classes + c] += (last - first) * share;
          return;
        }
        sums[a * classes + c] += (a + 1 - first) * share;
        for (let x = a + 1; x < b; ++x) sums[x * classes + c] += share;
        sums[b * classes + c] += (last - b) * share;
      };
      let at = window.from;
      for (let i = events.first; i < events.last; ++i) {
        const [enter, leave] = events.times(i);
        if (enter > at) between(at, enter, put);
        states(i, put);
        at = Math.max(at, leave);
      }
      if (at < window.to) between(at, window.to, put);
      for (let x = fromX; x < toX; ++x)
        this.column(image, width, x, top, height, sums.subarray((x - fromX) * classes, (x - fromX + 1) * classes));
    }
  }

  m.paint = { Painter, pixel, HATCHES, HATCHES_OF_SLOTS };
})((globalThis.meridian ??= {}));
