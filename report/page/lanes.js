// SPDX-License-Identifier: Apache-2.0
// Lanes of the timeline: hosts, ranks, threads; or groups of ranks that behave alike, with their
// members. They fold and unfold.
"use strict";
((m) => {
  class LaneTree {
    constructor(data) {
      this.data = data;
      this.folded = new Map(); // key: whether it is folded, where that was chosen
      this.hasGroups = data.rows.some((row) => row.members);
      this.hosts = new Map();
      data.rows.forEach((row, id) => this.hosts.set(row.host, [...(this.hosts.get(row.host) ?? []), id]));
      const ranks = new Set(data.rows.map((row) => row.rank));
      this.hasHosts = !this.hasGroups && this.hosts.size > 1 && ranks.size >= 2 * this.hosts.size;
      this.hasThreads = !this.hasGroups && data.rows.some((row) => row.thread !== 0);
      this.accepts = null; // (rank) => whether it is shown; null: all are
    }

    isFolded(key, byDefault) {
      return this.folded.get(key) ?? byDefault;
    }
    toggle(lane) {
      if (lane.isFolded !== undefined) this.folded.set(lane.key, !lane.isFolded);
    }
    /** What can be unfolded at once: [value, text]. */
    choices() {
      if (this.hasGroups)
        return [
          ["groups", "groups"],
          ["members", "all members"],
        ];
      return [
        this.hasHosts && ["hosts", "hosts"],
        ["ranks", "ranks"],
        this.hasThreads && ["threads", "threads"],
      ].filter(Boolean);
    }
    unfoldTo(choice) {
      this.folded.clear();
      if (choice === "hosts") for (const host of this.hosts.keys()) this.folded.set(`host ${host}`, true);
      if (choice === "members") this.data.rows.forEach((_, id) => this.folded.set(`group ${id}`, false));
      if (choice === "threads") for (const row of this.data.rows) this.folded.set(`rank ${row.rank}`, false);
    }
    /** Unfolds what a thread is in; true: something changed. */
    reveal(rank, thread) {
      const row = this.data.row(rank, thread);
      if (row < 0) return false;
      const before = this.lanes().length;
      if (this.data.isGroup(row)) {
        if (this.data.threads[row].rank !== rank || this.data.threads[row].thread !== thread)
          this.folded.set(`group ${row}`, false);
      } else {
        if (this.hasHosts) this.folded.set(`host ${this.data.rows[row].host}`, false);
        if (thread !== 0) this.folded.set(`rank ${rank}`, false);
      }
      return this.lanes().length !== before;
    }

    /** The lanes that are shown, from the top. */
    lanes() {
      const { data } = this,
        isShown = (rank) => !this.accepts || this.accepts(rank);
      if (this.hasGroups) return data.rows.flatMap((row, id) => this.#group(row, id, isShown));
      if (!this.hasHosts)
        return this.#ranks(
          data.rows.map((_, id) => id).filter((id) => isShown(data.rows[id].rank)),
          0,
        );
      const lanes = [];
      for (const [host, all] of this.hosts) {
        const ids = all.filter((id) => isShown(data.rows[id].rank)),
          key = `host ${host}`;
        if (ids.length === 0) continue;
        const isFolded = this.isFolded(key, false);
        lanes.push({ key, kind: "host", id: -1, ids, depth: 0, label: host || "unknown host", isFolded });
        if (!isFolded) lanes.push(...this.#ranks(ids, 1));
      }
      return lanes;
    }

    #ranks(ids, depth) {
      const { data } = this,
        lanes = [],
        byRank = new Map();
      for (const id of ids) byRank.set(data.rows[id].rank, [...(byRank.get(data.rows[id].rank) ?? []), id]);
      for (const [rank, own] of byRank) {
        const key = `rank ${rank}`,
          isFolded = own.length > 1 ? this.isFolded(key, true) : undefined;
        const hidden = isFolded ? ` (${own.length} threads)` : "";
        lanes.push({
          key,
          kind: "thread",
          id: own[0],
          ids: isFolded ? own : [own[0]],
          depth,
          label: data.name(own[0]) + hidden,
          isFolded,
        });
        if (isFolded === false)
          for (const id of own.slice(1))
            lanes.push({
              key: `row ${id}`,
              kind: "thread",
              id,
              ids: [id],
              depth: depth + 1,
              label: `thread ${data.rows[id].thread}`,
            });
      }
      return lanes;
    }

    #group(row, id, isShown) {
      const { data } = this;
      if (!row.members)
        return isShown(row.rank)
          ? [{ key: `row ${id}`, kind: "thread", id, ids: [id], depth: 0, label: data.name(id) }]
          : [];
      const members = row.members
        .filter(([rank]) => isShown(rank))
        .map(([rank, thread]) => data.memberOf.get(`${rank}.${thread}`));
      if (members.length === 0) return [];
      const member = (of) => ({
        key: `row ${of}`,
        kind: "member",
        id: of,
        ids: [of],
        depth: this.accepts ? 0 : 1,
        label:
          data.name(of) +
          (row.outlier && data.threads[of].rank === row.outlier[0] && data.threads[of].thread === row.outlier[1]
            ? " (outlier)"
            : ""),
      });
      if (this.accepts && members.length < row.members.length) return members.map(member);
      const key = `group ${id}`,
        isFolded = this.isFolded(key, true);
      return [
        { key, kind: "group", id, ids: [id], depth: 0, label: data.label(id), isFolded },
        ...(isFolded ? [] : members.map(member)),
      ];
    }
  }

  /** [id]: the place of the lane that shows it. Threads of a folded lane are at its place. */
  function placesOf(data, lanes) {
    const places = new Map();
    // A rank that has a lane is there, wherever that of its host is.
    for (const isHost of [true, false])
      lanes.forEach((lane, place) => {
        if ((lane.kind === "host") === isHost) for (const id of lane.ids) places.set(id, place);
      });
    // Members that have no lane are where their group is.
    for (let id = data.rows.length; id < data.threads.length; ++id)
      if (!places.has(id) && places.has(data.threads[id].row)) places.set(id, places.get(data.threads[id].row));
    return places;
  }

  m.lanes = { LaneTree, placesOf };
})((globalThis.meridian ??= {}));
