// SPDX-License-Identifier: Apache-2.0
// Where the page has its details from: a file has what is in it, the server of `meridian view` has it all.
"use strict";
((m) => {
  const WIDER = 0.5,
    MOST_IDS = 256;

  /** Ids in order, without members whose calls their group shows. */
  function asked(data, ids) {
    const shown = new Set(ids),
      named = (id) => data.threads[data.threads[id].row];
    const isTwice = (id) =>
      id >= data.rows.length &&
      shown.has(data.threads[id].row) &&
      named(id).rank === data.threads[id].rank &&
      named(id).thread === data.threads[id].thread;
    return ids
      .filter((id) => !isTwice(id))
      .sort((a, b) => a - b)
      .slice(0, MOST_IDS);
  }

  class FileSource {
    isServer = false;
    async part() {
      return null;
    }
    async around() {
      return null;
    }
  }

  class ServerSource {
    isServer = true;
    #wanted = null;
    #last = "";

    /** Bins and events of some rows in a time span and around it; null: it is there already, or no longer wanted. */
    async part(data, view, nsPerPixel, ids) {
      ids = asked(data, ids);
      if (data.isWhole(view.from, view.to, nsPerPixel, ids)) return null;
      const width = view.to - view.from;
      return this.#fetch(
        data,
        Math.max(data.begin_ns, view.from - WIDER * width),
        Math.min(data.end_ns, view.to + WIDER * width),
        ids,
      );
    }
    /** The same around a moment: `reach` ns on both sides. */
    async around(data, time, reach, ids) {
      return this.#fetch(data, time - reach, time + reach, asked(data, ids));
    }

    async #fetch(data, from, to, ids) {
      const rows = data.rows.length,
        threads = ids.map((id) => (id < rows ? `${id}` : `${data.threads[id].rank}.${data.threads[id].thread}`));
      const query = `from=${Math.floor(from)}&to=${Math.ceil(to)}&rows=${threads.join(",")}`;
      if (query === this.#last) return null;
      this.#wanted?.abort();
      const own = (this.#wanted = new AbortController());
      try {
        const answer = await fetch(`part?${query}`, { signal: own.signal, cache: "no-store" });
        if (!answer.ok) throw new Error((await answer.text()).trim());
        const raw = await answer.json();
        this.#last = query;
        raw.ids = ids;
        return raw;
      } catch (problem) {
        if (own.signal.aborted) return null;
        throw problem;
      }
    }
  }

  m.source = { FileSource, ServerSource };
})((globalThis.meridian ??= {}));
