// SPDX-License-Identifier: Apache-2.0
// What rows are coloured by: states, or the slots of the page's other bins: functions, waits, functions of the program.
"use strict";
((m) => {
  const { inflate } = m.codec;
  const { Levels } = m.levels;
  const COMPUTING = 0,
    IN_CALL = 1,
    FIRST_NAME = 2;
  const LIGHT = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#f0e442", "#56b4e9", "#8a63d2"];
  const DARK = ["#3b8fd0", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#b3a92f", "#56b4e9", "#9d7fe0"];
  const TEXTS = {
    state: { text: "state" },
    function: { text: "function", others: "other functions" },
    wait: { text: "kind of wait", others: "other waits" },
    causer: { text: "rank waited for", others: "other ranks" },
    program: { text: "function of the program", others: "other functions" },
  };

  /** States, with the bins of the page and of the parts that a server sent. */
  class StateColours {
    constructor(data) {
      this.data = data;
      this.name = "state";
      this.text = TEXTS.state.text;
      this.hidden = new Set();
      this.hasPieces = true; // calls have parts of their own
      this.keys = data.classes.map((name, slot) => ({ name, slot, class: `c${slot}` }));
      this.names = data.classes;
    }
    painter(isDark) {
      return new m.paint.Painter(isDark, this.hidden);
    }
    binsOf(lane) {
      return this.data.binsOf(lane);
    }
    binsIn(part, lane) {
      return this.data.binsIn(part, lane);
    }
    pieces(set, i, put) {
      this.data.states(set, i, put);
    }
    between(from, to, put) {
      put(COMPUTING, from, to);
    }
  }

  /** Slots: computing, in a call, those with names, all others. */
  class SlotColours {
    static async read(data, raw) {
      const own = new SlotColours();
      Object.assign(own, { data, name: raw.name, text: TEXTS[raw.name].text, hidden: new Set(), hasPieces: true });
      own.names = [
        raw.name === "program" ? "no sample" : "outside of calls",
        raw.name === "function" ? "some call" : raw.name === "program" ? "in calls" : "in calls, no wait",
        ...raw.slots,
        TEXTS[raw.name].others,
      ];
      own.part = {
        levels: new Levels({
          rows: data.rows.length,
          classes: own.names.length,
          bins: raw.bins,
          binNs: raw.bin_ns,
          beginNs: data.begin_ns,
          shares: await inflate(raw.shares),
          calls: new Float64Array(data.rows.length * raw.bins),
          longest: new Float64Array(data.rows.length * raw.bins),
        }),
      };
      own.memberLevels = data.memberLevels && own.#ofMembers(data.memberLevels);
      own.keys = own.#keys();
      const slots = new Map(raw.slots.map((name, i) => [name, FIRST_NAME + i])),
        last = own.names.length - 1;
      own.slotOf = (name) => slots.get(name) ?? last;
      own.slotOfCall = data.calls.map(own.slotOf);
      own.slotOfKind = data.wait_kinds.map(own.slotOf);
      return own;
    }

    /** Of members of groups it is known when they compute. */
    #ofMembers({ levels: [{ bins, binNs, shares }], classes, rows, beginNs }) {
      const slots = this.names.length,
        none = new Float64Array(rows * bins),
        own = new Uint8Array(rows * slots * bins);
      for (let row = 0; row < rows; ++row)
        for (let c = 0; c < classes; ++c)
          for (let bin = 0; bin < bins; ++bin) {
            const at = (row * slots + (c === 0 ? COMPUTING : IN_CALL)) * bins + bin;
            own[at] = Math.min(255, own[at] + shares[(row * classes + c) * bins + bin]);
          }
      return new Levels({ rows, classes: slots, bins, binNs, beginNs, shares: own, calls: none, longest: none });
    }

    /** The slots that occur. */
    #keys() {
      const { bins, shares } = this.part.levels.levels[0],
        slots = this.names.length,
        rows = this.part.levels.rows;
      const occurs = (slot) => {
        for (let row = 0; row < rows; ++row)
          if (shares.subarray((row * slots + slot) * bins, (row * slots + slot + 1) * bins).some(Boolean)) return true;
        return false;
      };
      const classOf = (slot) =>
        slot === COMPUTING ? "c0" : slot === IN_CALL ? "in-call" : slot === slots - 1 ? "c7" : `p${slot - FIRST_NAME}`;
      return this.names
        .map((name, slot) => ({ name, slot, class: classOf(slot) }))
        .filter(({ slot }) => occurs(slot) || (slot === IN_CALL && this.memberLevels));
    }

    painter(isDark) {
      const [computing, inCall, others] = isDark
        ? ["#3d6b3d", "#2f4858", "#565656"]
        : ["#b8d8b8", "#d5e5f0", "#c8c8c8"];
      const named = (isDark ? DARK : LIGHT).slice(0, this.names.length - FIRST_NAME - 1);
      const colours = [computing, inCall, ...named, others];
      // Every second one is hatched: nobody has to tell colours apart.
      const hatches = colours.map((_, slot) =>
        slot >= FIRST_NAME && slot < colours.length - 1 ? m.paint.HATCHES_OF_SLOTS[(slot - FIRST_NAME) % 4] : null,
      );
      return new m.paint.Painter(isDark, this.hidden, colours, hatches);
    }
    binsOf(lane) {
      if (lane.kind === "host") return { levels: this.data.mean(this.part, lane), row: 0 };
      const rows = this.data.rows.length;
      if (lane.id < rows) return { levels: this.part.levels, row: lane.id };
      return this.memberLevels ? { levels: this.memberLevels, row: lane.id - rows } : null;
    }
    /** Parts that a server sent have states only. */
    binsIn() {
      return null;
    }

    #slotOfWait(set, wait) {
      return this.name === "wait" ? this.slotOfKind[set.wait_kind[wait]] : this.slotOf(`rank ${set.causer_rank[wait]}`);
    }
    /** As TimelineData.states, with slots. */
    pieces(set, i, put) {
      const { data } = this,
        enter = set.enter[i],
        leave = set.leave(i);
      if ((data.call_classes[set.call[i]] ?? 7) < 0 || leave <= enter) return;
      const inside = Math.min(leave, enter + set.outside[i]);
      if (inside > enter) this.between(enter, inside, put, set.rowOf(i));
      if (this.name === "function") return put(this.slotOfCall[set.call[i]], inside, leave);
      const wait = this.name === "program" || data.isUnfinished(set, i) ? undefined : set.waitOf.get(i);
      let from = inside;
      if (wait !== undefined) {
        from = Math.min(leave, inside + set.wait_ns[wait]);
        put(this.#slotOfWait(set, wait), inside, from);
      }
      if (from < leave) put(IN_CALL, from, leave);
    }
    /** The time between calls: that of functions of the program is divided by the samples of its bin. */
    between(from, to, put, id) {
      if (this.name !== "program" || id >= this.data.rows.length) return put(COMPUTING, from, to);
      const { bins, binNs, shares } = this.part.levels.levels[0],
        slots = this.names.length,
        begin = this.data.begin_ns;
      while (from < to) {
        const bin = Math.min(bins - 1, Math.max(0, Math.floor((from - begin) / binNs))),
          end = bin === bins - 1 ? to : Math.min(to, begin + (bin + 1) * binNs);
        const share = (slot) => shares[(id * slots + slot) * bins + bin];
        let all = 0;
        for (let slot = FIRST_NAME; slot < slots; ++slot) all += share(slot);
        if (all === 0) put(COMPUTING, from, end);
        for (let slot = FIRST_NAME; slot < slots; ++slot) if (share(slot) > 0) put(slot, from, end, share(slot) / all);
        from = end;
      }
    }
  }

  /** All that the page has: [StateColours, SlotColours...]. */
  async function readColours(data, list) {
    const own = [new StateColours(data)];
    for (const raw of list ?? []) own.push(await SlotColours.read(data, raw));
    return own;
  }

  m.colours = { readColours };
})((globalThis.meridian ??= {}));
