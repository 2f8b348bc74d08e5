// SPDX-License-Identifier: Apache-2.0
// What the timeline shows: rows, their bins, events one by one, regions. Rows have the ids 0, 1, ...; threads
// inside of groups the ids after these.
"use strict";
((m) => {
  const { inflate, column, signedColumn, sums } = m.codec;
  const { Levels } = m.levels;
  const MOST_PARTS = 12; // of the details that a server sent

  class TimelineData {
    static async read(raw) {
      const data = new TimelineData();
      Object.assign(data, raw);
      data.levels = new Levels({
        rows: raw.rows.length,
        classes: raw.classes.length,
        bins: raw.bins,
        binNs: raw.bin_ns,
        beginNs: raw.begin_ns,
        shares: await inflate(raw.shares),
        calls: await column(raw.bin_calls),
        longest: await signedColumn(raw.bin_longest),
      });
      await data.#readMembers(raw);
      data.sets = [await m.events.EventSet.read(raw.events, raw.windows, data.threads.length)];
      data.parts = [];
      data.means = new Map();
      const regions = raw.regions;
      data.regionRow = sums(await column(regions.row));
      data.regionCall = await column(regions.call);
      data.regionDepth = await column(regions.depth);
      data.regionBegin = sums(await signedColumn(regions.begin));
      data.regionEnd = (await signedColumn(regions.length)).map((v, i) => v + data.regionBegin[i]);
      data.lives = raw.rows.map((_, row) => data.#life(row));
      data.counterCurves = [];
      for (const counter of raw.counters ?? [])
        data.counterCurves.push({ ...counter, values: await column(counter.values) });
      if (raw.memory)
        data.counterCurves.push({
          name: "resident memory, MiB",
          unit: "1",
          bin_ns: raw.memory.bin_ns,
          values: Array.from(await column(raw.memory.values), (bytes) => bytes / 2 ** 20),
          is_level: true,
        });
      for (const { name, threads, bin_ns, mean, largest } of raw.user_counters ?? [])
        data.counterCurves.push({
          name: threads > 1 ? `${name}, mean of ${threads} threads` : name,
          bin_ns,
          values: mean,
          largest: threads > 1 ? largest : null,
          is_level: true,
          is_own: true,
        });
      data.colourings = [
        ...(await m.colours.readColours(data, raw.colours)),
        ...(await m.counterColours.readCounterColours(data, raw.counters)),
      ];
      return data;
    }

    async #readMembers(raw) {
      this.threads = raw.rows.map(({ rank, thread, host, clock }, row) => ({ rank, thread, host, clock, row }));
      this.rowOf = new Map();
      this.memberOf = new Map();
      this.memberLevels = null;
      const list = raw.members;
      const clocks = list ? await column(list.clocks) : [],
        hosts = list ? await column(list.hosts) : [];
      let member = 0;
      raw.rows.forEach((row, id) => {
        if (!row.members) return this.rowOf.set(`${row.rank}.${row.thread}`, id);
        for (const [rank, thread] of row.members) {
          this.rowOf.set(`${rank}.${thread}`, id);
          this.memberOf.set(`${rank}.${thread}`, this.threads.length);
          this.threads.push({
            rank,
            thread,
            host: list?.names[hosts[member]] ?? "",
            clock: clocks[member] ?? 0,
            row: id,
          });
          ++member;
        }
      });
      if (!list) return;
      const shares = await inflate(list.shares),
        none = new Float64Array(member * list.bins);
      this.memberLevels = new Levels({
        rows: member,
        classes: raw.classes.length,
        bins: list.bins,
        binNs: list.bin_ns,
        beginNs: raw.begin_ns,
        shares,
        calls: none,
        longest: none,
      });
    }

    /** When a row begins and ends, to a bin. */
    #life(row) {
      const { bins, binNs, shares } = this.levels.levels[0],
        classes = this.levels.classes;
      const isBusy = (bin) => {
        for (let c = 0; c < classes; ++c) if (shares[(row * classes + c) * bins + bin]) return true;
        return false;
      };
      let first = 0,
        last = bins - 1;
      while (first < bins && !isBusy(first)) ++first;
      while (last >= first && !isBusy(last)) --last;
      return [this.begin_ns + first * binNs, this.begin_ns + (last + 1) * binNs];
    }
    life(id) {
      return this.lives[this.threads[id].row];
    }

    /** Id of the row that has a thread; -1: none. */
    row(rank, thread) {
      return this.rowOf.get(`${rank}.${thread}`) ?? -1;
    }
    /** Ids under which the events of a thread may be. */
    ids(rank, thread) {
      return [this.memberOf.get(`${rank}.${thread}`), this.rowOf.get(`${rank}.${thread}`)].filter(
        (id) => id !== undefined && this.threads[id].rank === rank && this.threads[id].thread === thread,
      );
    }
    isGroup(id) {
      return id < this.rows.length && Boolean(this.rows[id].members);
    }
    name(id) {
      const { rank, thread } = this.threads[id];
      return thread === 0 ? `rank ${rank}` : `rank ${rank}, thread ${thread}`;
    }
    label(id) {
      return this.isGroup(id) ? `${this.rows[id].members.length} like ${this.name(id)}` : this.name(id);
    }

    /** Bins of a lane, as levels and a row in them. */
    binsOf(lane) {
      if (lane.kind === "host") return { levels: this.mean(this, lane), row: 0 };
      if (lane.id < this.rows.length) return { levels: this.levels, row: lane.id };
      return this.memberLevels ? { levels: this.memberLevels, row: lane.id - this.rows.length } : null;
    }
    /** The same within a part that a server sent; null: it has no better ones. */
    binsIn(part, lane) {
      const has = (id) => part.place.has(id) && !part.quiet.has(id);
      if (lane.kind === "host") return lane.ids.every(has) ? { levels: this.mean(part, lane), row: 0 } : null;
      const row = has(lane.id) ? part.place.get(lane.id) : undefined;
      return row === undefined ? null : { levels: part.levels, row };
    }
    /** Bins of a lane of several threads, from those of a part. */
    mean(part, lane) {
      part.means ??= new Map();
      if (!part.means.has(lane.key))
        part.means.set(lane.key, part.levels.mean(lane.ids.map((id) => part.place?.get(id) ?? id)));
      return part.means.get(lane.key);
    }

    /** Takes what a server sent of a part of the run: bins, and events one by one if there are not too many. */
    async addPart(raw) {
      const place = new Map(raw.ids.map((id, i) => [id, i]));
      const part = { from: raw.begin_ns, to: raw.begin_ns + raw.bins * raw.bin_ns, place, set: null };
      // Threads without a call in the part do the same all the time: the bins of the whole run show what.
      part.quiet = new Set(raw.quiet.map((i) => raw.ids[i]));
      part.levels = new Levels({
        rows: raw.ids.length,
        classes: this.classes.length,
        bins: raw.bins,
        binNs: raw.bin_ns,
        beginNs: raw.begin_ns,
        shares: await inflate(raw.shares),
        calls: await column(raw.bin_calls),
        longest: await signedColumn(raw.bin_longest),
      });
      if (raw.events) part.set = await m.events.EventSet.read(raw.events, raw.windows, this.threads.length, raw.ids);
      this.parts.push(part);
      if (this.parts.length > MOST_PARTS) this.parts.shift();
      this.sets = [this.sets[0], ...this.parts.flatMap((each) => each.set ?? [])];
    }
    /** Whether the page has all that can be seen of a time span on these lanes. */
    isWhole(from, to, nsPerPixel, ids) {
      if (nsPerPixel >= this.levels.levels[0].binNs && ids.every((id) => id < this.rows.length)) return true;
      const has = (set) =>
        ids.every((id) => set.has(id)) && set.windows.some(([begin, end]) => begin <= from && to <= end);
      if (this.sets.some(has)) return true;
      return this.parts.some(
        (part) =>
          part.from <= from &&
          to <= part.to &&
          part.levels.levels[0].binNs <= nsPerPixel &&
          ids.every((id) => part.place.has(id)),
      );
    }

    /** Half width of T1 of a thread at a time, ns; null: unknown or none. */
    bound(id, time) {
      const knots = this.bounds[this.threads[id].clock];
      if (!knots?.length) return null;
      let k = 0;
      while (k + 1 < knots.length && knots[k + 1][0] <= time) ++k;
      return knots[k][1];
    }
    isUnfinished(set, i) {
      return Math.floor(set.flags[i] / this.unfinished_flag) % 2 === 1;
    }

    /** Calls put(class, from, to) for each state of an event. */
    states(set, i, put) {
      const enter = set.enter[i],
        leave = set.leave(i),
        state = this.call_classes[set.call[i]] ?? 7;
      if (state < 0 || leave <= enter) return;
      if (this.isUnfinished(set, i)) return put(7, enter, leave);
      let from = enter;
      if (set.outside[i] > 0) put(0, enter, (from = Math.min(leave, enter + set.outside[i])));
      const wait = set.waitOf.get(i);
      if (wait !== undefined) {
        const to = Math.min(leave, from + set.wait_ns[wait]);
        put(this.wait_classes[set.wait_kind[wait]], from, to);
        from = to;
      }
      if (from < leave) put(state, from, leave);
    }
  }

  m.data = { TimelineData };
})((globalThis.meridian ??= {}));
