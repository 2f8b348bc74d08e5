// SPDX-License-Identifier: Apache-2.0
// Rows coloured by the rate of a counter: the more of it, the stronger the shade.
"use strict";
((m) => {
  const { column } = m.codec;
  const { Levels } = m.levels;
  const { count } = m.format;
  const LIGHT = ["#e3eef9", "#c6dcef", "#9dcae1", "#6aadd5", "#4191c5", "#2070b4", "#08519b", "#08306b"];
  const DARK = ["#12283f", "#17395a", "#1c4b77", "#256398", "#3a80b8", "#62a0d0", "#98c4e6", "#d4e8f8"];

  /** "2.10 G", "0.53". */
  const amount = (value) => (value >= 1000 ? count(Math.round(value)) : String(Number(value.toPrecision(3))));
  const isUnit = (unit) => unit && unit !== "1";

  /** Slots are shades: equal parts of the range up to the largest rate. */
  class CounterColours {
    static async read(data, raw) {
      const own = new CounterColours(),
        values = await column(raw.row_values),
        rows = data.rows.length,
        bins = raw.row_bins;
      Object.assign(own, { data, bins, binNs: raw.row_bin_ns, unit: raw.unit, hidden: new Set(), hasPieces: false });
      own.name = `counter ${raw.name}`;
      own.text = raw.name;
      // Of a group, those of one thread.
      own.rates = values.map((v, i) => {
        const threads = data.rows[Math.floor(i / bins)].members?.length ?? 1;
        return v / threads / (own.binNs / 1e9);
      });
      own.most = own.rates.reduce((a, b) => Math.max(a, b), 0);
      own.names = LIGHT.map((_, shade) => own.#words((own.most * (shade + 1)) / LIGHT.length));
      own.keys = own.names.map((name, slot) => ({ name, slot, class: `shade-${slot}` }));
      const shares = new Uint8Array(rows * LIGHT.length * bins),
        none = new Float64Array(rows * bins);
      own.rates.forEach((rate, i) => {
        if (rate <= 0) return;
        const shade = Math.min(LIGHT.length - 1, Math.floor((rate / own.most) * LIGHT.length));
        shares[(Math.floor(i / bins) * LIGHT.length + shade) * bins + (i % bins)] = 255;
      });
      own.part = {
        levels: new Levels({
          rows,
          classes: LIGHT.length,
          bins,
          binNs: own.binNs,
          beginNs: data.begin_ns,
          shares,
          calls: none,
          longest: none,
        }),
      };
      return own;
    }

    #words(rate) {
      return `up to ${amount(rate)}${isUnit(this.unit) ? ` ${this.unit}` : ""} per second`;
    }
    painter(isDark) {
      const colours = isDark ? DARK : LIGHT;
      return new m.paint.Painter(
        isDark,
        this.hidden,
        colours,
        colours.map(() => null),
      );
    }
    binsOf(lane) {
      if (lane.kind === "host") return { levels: this.data.mean(this.part, lane), row: 0 };
      return lane.id < this.data.rows.length ? { levels: this.part.levels, row: lane.id } : null;
    }
    binsIn() {
      return null;
    }

    /** How much the counter grew in a row between two times; of a row that has none -1. */
    sum(id, from, to) {
      if (id >= this.data.rows.length) return -1;
      const { bins, binNs } = this,
        begin = this.data.begin_ns;
      let sum = 0;
      const last = Math.min(bins, Math.ceil((to - begin) / binNs));
      for (let bin = Math.max(0, Math.floor((from - begin) / binNs)); bin < last; ++bin) {
        const at = begin + bin * binNs,
          ns = Math.min(to, at + binNs) - Math.max(from, at);
        sum += (this.rates[id * bins + bin] * ns) / 1e9;
      }
      return sum;
    }
    /** What the counter does in a lane around a time. */
    describe(lane, time) {
      const ids = lane.kind === "host" ? lane.ids : [lane.id];
      const bin = Math.max(0, Math.min(this.bins - 1, Math.floor((time - this.data.begin_ns) / this.binNs)));
      const rate = ids.reduce((sum, id) => sum + (this.rates[id * this.bins + bin] ?? NaN), 0) / ids.length;
      if (Number.isNaN(rate)) return [];
      return [`${amount(rate)}${isUnit(this.unit) ? ` ${this.unit}` : ""} per second of ${this.text}`];
    }
  }

  async function readCounterColours(data, list) {
    const own = [];
    for (const raw of list ?? []) if (raw.row_values) own.push(await CounterColours.read(data, raw));
    return own;
  }

  m.counterColours = { readCounterColours, amount };
})((globalThis.meridian ??= {}));
