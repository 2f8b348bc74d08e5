// SPDX-License-Identifier: Apache-2.0
// Bins of time at every width: each level has half as many as the one below. And searches in columns of times.
"use strict";
((m) => {
  class Levels {
    /** shares: bytes [row][class][bin]; calls, longest: numbers [row][bin]. */
    constructor({ rows, classes, bins, binNs, beginNs, shares, calls, longest }) {
      Object.assign(this, { rows, classes, beginNs });
      this.levels = [{ bins, binNs, shares, calls, longest }];
      while (this.levels.at(-1).bins > 32) this.levels.push(this.#half(this.levels.at(-1)));
    }

    #half(below) {
      const bins = Math.ceil(below.bins / 2);
      const shares = new Uint8Array(this.rows * this.classes * bins);
      const calls = new Float64Array(this.rows * bins),
        longest = new Float64Array(this.rows * bins);
      for (let line = 0; line < this.rows * this.classes; ++line)
        for (let bin = 0; bin < bins; ++bin) {
          const at = line * below.bins + 2 * bin;
          const second = 2 * bin + 1 < below.bins ? below.shares[at + 1] : 0;
          const mean = (below.shares[at] + second) / 2;
          shares[line * bins + bin] = mean > 0 ? Math.max(1, Math.round(mean)) : 0;
        }
      for (let row = 0; row < this.rows; ++row)
        for (let bin = 0; bin < bins; ++bin) {
          const at = row * below.bins + 2 * bin,
            has = 2 * bin + 1 < below.bins;
          calls[row * bins + bin] = below.calls[at] + (has ? below.calls[at + 1] : 0);
          longest[row * bins + bin] = Math.max(below.longest[at], has ? below.longest[at + 1] : 0);
        }
      return { bins, binNs: below.binNs * 2, shares, calls, longest };
    }

    /** One row: the mean of some of these. */
    mean(rows) {
      const { bins, binNs, shares, calls, longest } = this.levels[0],
        { classes } = this;
      const own = {
        rows: 1,
        classes,
        bins,
        binNs,
        beginNs: this.beginNs,
        shares: new Uint8Array(classes * bins),
        calls: new Float64Array(bins),
        longest: new Float64Array(bins),
      };
      for (let at = 0; at < classes * bins; ++at) {
        let sum = 0;
        for (const row of rows) sum += shares[row * classes * bins + at];
        own.shares[at] = sum > 0 ? Math.max(1, Math.round(sum / rows.length)) : 0;
      }
      for (const row of rows)
        for (let bin = 0; bin < bins; ++bin) {
          own.calls[bin] += calls[row * bins + bin];
          own.longest[bin] = Math.max(own.longest[bin], longest[row * bins + bin]);
        }
      return new Levels(own);
    }

    /** The widest bins that are at most as wide as a pixel; the narrowest ones if none are. */
    at(nsPerPixel) {
      let chosen = this.levels[0];
      for (const level of this.levels) if (level.binNs <= nsPerPixel) chosen = level;
      return chosen;
    }

    /** Shares (0 to 1) of the classes of a row between two times. */
    shares(row, fromNs, toNs) {
      const level = this.at((toNs - fromNs) / 64),
        sums = new Float64Array(this.classes);
      const first = Math.max(0, Math.floor((fromNs - this.beginNs) / level.binNs));
      const last = Math.min(level.bins, Math.ceil((toNs - this.beginNs) / level.binNs));
      let time = 0;
      for (let bin = first; bin < last; ++bin) {
        const begin = this.beginNs + bin * level.binNs;
        const part = Math.min(toNs, begin + level.binNs) - Math.max(fromNs, begin);
        time += part;
        for (let c = 0; c < this.classes; ++c)
          sums[c] += level.shares[(row * this.classes + c) * level.bins + bin] * part;
      }
      return sums.map((sum) => (time > 0 ? sum / 255 / time : 0));
    }

    /** ns of each class of a row between two times, by the narrowest bins. */
    times(row, fromNs, toNs) {
      const { bins, binNs, shares } = this.levels[0],
        sums = new Float64Array(this.classes);
      const first = Math.max(0, Math.floor((fromNs - this.beginNs) / binNs)),
        last = Math.min(bins, Math.ceil((toNs - this.beginNs) / binNs));
      for (let bin = first; bin < last; ++bin) {
        const begin = this.beginNs + bin * binNs,
          ns = Math.min(toNs, begin + binNs) - Math.max(fromNs, begin);
        for (let c = 0; c < this.classes; ++c) sums[c] += (shares[(row * this.classes + c) * bins + bin] / 255) * ns;
      }
      return sums;
    }

    /** Calls of a row that begin in the bins between two times, and the longest of them in ns. */
    calls(row, fromNs, toNs) {
      const level = this.at((toNs - fromNs) / 4),
        found = { calls: 0, longest: 0 };
      const first = Math.max(0, Math.floor((fromNs - this.beginNs) / level.binNs)),
        last = Math.min(level.bins, Math.ceil((toNs - this.beginNs) / level.binNs));
      for (let bin = first; bin < last; ++bin) {
        found.calls += level.calls[row * level.bins + bin];
        found.longest = Math.max(found.longest, level.longest[row * level.bins + bin]);
      }
      return found;
    }
  }

  /** The first place in [from, to) of a sorted column whose value is at least `value`; `to` if there is none. */
  function lowerBound(values, value, from = 0, to = values.length) {
    while (from < to) {
      const middle = (from + to) >> 1;
      if (values[middle] < value) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  m.levels = { Levels, lowerBound };
})((globalThis.meridian ??= {}));
