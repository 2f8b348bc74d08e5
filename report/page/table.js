// SPDX-License-Identifier: Apache-2.0
// Tables: sorted by a click on a heading, filtered, copied as tab-separated values. Only the rows in view are elements.
"use strict";
((m) => {
  const { element } = m.dom;
  const ROW_PX = 24,
    VIEW_ROWS = 16,
    MARGIN_ROWS = 8;

  /** Numbers by value, texts by the alphabet; nothing comes last. */
  function compare(a, b) {
    if (a === b) return 0;
    if (a === null || a === undefined) return 1;
    if (b === null || b === undefined) return -1;
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
  }

  function sortedRows(rows, name, isFalling) {
    return rows
      .map((row, i) => [row, i])
      .sort(([a, i], [b, k]) => {
        const order = compare(a[name], b[name]);
        const isNothing = a[name] == null || b[name] == null;
        return (isFalling && !isNothing ? -order : order) || i - k;
      })
      .map(([row]) => row);
  }

  function filteredRows(rows, words) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    if (wanted.length === 0) return rows;
    return rows.filter((row) => {
      const text = Object.values(row).join("\u0000").toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  }

  function tsv(columns, rows) {
    const clean = (value) => String(value ?? "").replace(/[\t\r\n]/g, " ");
    return (
      [columns.map((c) => c.name), ...rows.map((row) => columns.map((c) => clean(row[c.name])))]
        .map((line) => line.join("\t"))
        .join("\n") + "\n"
    );
  }

  /** True: the clipboard has it. */
  async function copyText(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Where a page has no clipboard of its own, a selection can be copied.
      const area = element("textarea", { style: "position:fixed;opacity:0", "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      const isCopied = document.execCommand("copy");
      area.remove();
      return isCopied;
    }
  }

  /** table: a row of about.tables; rows: of the summary. choose: called with a row that was clicked. */
  class Table {
    constructor(table, rows, choose) {
      this.columns = table.columns.filter((c) => rows.some((row) => row[c.name] !== null && row[c.name] !== ""));
      this.all = this.rows = rows;
      this.choose = choose;
      this.sort = null;
      this.words = "";
      this.more = table.rows - rows.length;
      this.element = this.#build(table);
      this.#arrange();
    }

    #build(table) {
      const filter = element("input", {
        type: "search",
        placeholder: "filter",
        "aria-label": `filter ${table.name}`,
        oninput: () => {
          this.words = filter.value;
          this.#arrange();
        },
      });
      this.filter = filter;
      const copy = element("button", {
        type: "button",
        text: "copy",
        title: "copy the rows as tab-separated values",
        onclick: () => this.#copy(),
      });
      this.count = element("span", { class: "faint", "aria-live": "polite" });
      this.head = element("tr", {});
      for (const column of this.columns) {
        const button = element("button", {
          type: "button",
          text: column.name.replaceAll("_", " "),
          title: column.text + (column.unit ? ` (${column.unit})` : ""),
          onclick: () => this.sortBy(column.name),
        });
        this.head.append(element("th", { scope: "col", "aria-sort": "none", "data-column": column.name }, button));
      }
      this.body = element("tbody");
      this.scroll = element(
        "div",
        { class: "rows", tabindex: "0", role: "region", "aria-label": table.name, onscroll: () => this.#draw() },
        element("table", {}, element("thead", {}, this.head), this.body),
      );
      return element(
        "div",
        { class: "table", "data-table": table.name },
        element("div", { class: "tools" }, filter, copy, this.count),
        this.scroll,
      );
    }

    async #copy() {
      const isCopied = await copyText(tsv(this.columns, this.rows));
      this.count.textContent = isCopied ? `${this.rows.length} rows copied` : "The browser does not let the page copy.";
    }

    sortBy(name) {
      const isNumber = this.all.some((row) => typeof row[name] === "number");
      if (this.sort?.name === name) this.sort.isFalling = !this.sort.isFalling;
      else this.sort = { name, isFalling: isNumber };
      this.#arrange();
    }

    setWords(words) {
      this.filter.value = this.words = words;
      this.#arrange();
    }

    #arrange() {
      this.rows = filteredRows(this.all, this.words);
      if (this.sort) this.rows = sortedRows(this.rows, this.sort.name, this.sort.isFalling);
      for (const cell of this.head.children) {
        const isSorted = cell.dataset.column === this.sort?.name;
        cell.setAttribute("aria-sort", isSorted ? (this.sort.isFalling ? "descending" : "ascending") : "none");
      }
      const shown =
        this.rows.length === this.all.length
          ? `${this.all.length} rows`
          : `${this.rows.length} of ${this.all.length} rows`;
      this.count.textContent = shown + (this.more > 0 ? `; ${this.more} more in the trace: meridian stats --csv` : "");
      this.scroll.style.maxHeight = `${(VIEW_ROWS + 1.5) * ROW_PX}px`;
      this.scroll.scrollTop = 0;
      this.#draw();
    }

    #draw() {
      const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW_PX) - MARGIN_ROWS);
      const last = Math.min(this.rows.length, first + VIEW_ROWS + 2 * MARGIN_ROWS);
      const space = (rows) =>
        element("tr", { class: "space", "aria-hidden": "true", style: `height:${rows * ROW_PX}px` });
      const lines = this.rows.slice(first, last).map((row) => {
        const line = element("tr", this.choose ? { class: "chosen-by-click", tabindex: "0" } : {});
        for (const column of this.columns)
          line.append(
            element("td", {
              class: typeof row[column.name] === "number" ? "number" : "",
              text: m.format.cell(row[column.name], column),
            }),
          );
        if (this.choose) {
          line.addEventListener("click", () => this.choose(row));
          line.addEventListener("keydown", (event) => {
            if (event.key === "Enter") this.choose(row);
          });
        }
        return line;
      });
      this.body.replaceChildren(space(first), ...lines, space(this.rows.length - last));
    }
  }

  m.table = { Table, sortedRows, filteredRows, tsv };
})((globalThis.meridian ??= {}));
