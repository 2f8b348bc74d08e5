// SPDX-License-Identifier: Apache-2.0
// Small plots: bars, heat maps, curves and a flame graph. Each stands beside the table that it shows.
"use strict";
((m) => {
  const { element, svg } = m.dom;
  const { duration, percent } = m.format;
  const title = (text) => svg("title", { text });

  /** Horizontal bars. rows: [{name, parts: [{share, class, text}]}], shares of the longest bar. */
  function bars(rows, label) {
    const list = element("ul", { class: "bars", "aria-label": label });
    for (const row of rows) {
      const bar = element("span", { class: "bar" });
      for (const part of row.parts)
        bar.append(
          element("span", {
            class: part.class,
            style: `width:${Math.max(0, 100 * part.share).toFixed(2)}%`,
            title: part.text,
          }),
        );
      list.append(
        element(
          "li",
          {},
          element("span", { class: "bar-name", text: row.name }),
          bar,
          element("span", { class: "bar-text", text: row.parts.map((part) => part.text).join(", ") }),
        ),
      );
    }
    return list;
  }

  /** Values of pairs as shades. cells: [{x, y, value, text}]; x and y are numbers from 0 on. */
  function heatMap(cells, { xLabel, yLabel, label, group = 1 }) {
    const xs = [...new Set(cells.map((c) => c.x))].sort((a, b) => a - b),
      ys = [...new Set(cells.map((c) => c.y))].sort((a, b) => a - b);
    if (cells.length === 0) return element("p", { class: "faint", text: "nothing" });
    const size = Math.max(2, Math.min(24, Math.floor(440 / Math.max(xs.length, ys.length)))),
      edge = 46;
    const most = Math.max(...cells.map((c) => c.value)),
      canvas = element("canvas", {
        role: "img",
        "aria-label": label,
        width: Math.max(edge + xs.length * size + 2, 130),
        height: edge + ys.length * size + 2,
      });
    const place = { x: new Map(xs.map((x, i) => [x, i])), y: new Map(ys.map((y, i) => [y, i])) };
    const context = canvas.getContext("2d"),
      ink = getComputedStyle(document.body).color;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = ink;
    context.fillText(`${xLabel} \u2192`, edge, 12);
    context.fillText(`${yLabel} \u2193`, 0, edge - 6);
    const every = Math.ceil(28 / size);
    xs.forEach((x, i) => {
      if (i % every === 0) context.fillText(x * group, edge + i * size, 28);
    });
    ys.forEach((y, i) => {
      if (i % Math.ceil(12 / size) === 0) context.fillText(y * group, 8, edge + (i + 0.8) * size);
    });
    context.strokeStyle = ink;
    for (const cell of cells) {
      context.globalAlpha = 0.12 + 0.88 * (cell.value / most);
      context.fillStyle = "#d55e00";
      context.fillRect(edge + place.x.get(cell.x) * size, edge + place.y.get(cell.y) * size, size - 1, size - 1);
    }
    context.globalAlpha = 1;
    const by = new Map(cells.map((c) => [`${place.x.get(c.x)} ${place.y.get(c.y)}`, c]));
    canvas.addEventListener("pointermove", (event) => {
      const cell = by.get(`${Math.floor((event.offsetX - edge) / size)} ${Math.floor((event.offsetY - edge) / size)}`);
      canvas.title = cell?.text ?? "";
    });
    // Wider than a phone: it scrolls by itself, by keys, too.
    return element("div", { class: "map", tabindex: "0", role: "group", "aria-label": label }, canvas);
  }

  /** Curves over time. lines: [{name, class, points: [[x, y]...]}], y from 0 to 1, or from `least` to `most`. */
  function curves(lines, { from, to, least = 0, most = 1, height = 90, label, unit = percent }) {
    const width = 1000,
      x = (t) => ((t - from) / (to - from)) * width,
      y = (v) => height - ((v - least) / (most - least)) * (height - 4) - 2;
    const figure = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: "none",
      class: "curves",
      role: "img",
      "aria-label": label,
    });
    for (const line of lines) {
      const parts = line.points.map(([t, v], i) => `${i ? "L" : "M"}${x(t).toFixed(2)} ${y(v).toFixed(2)}`);
      if (parts.length)
        figure.append(
          svg(
            "path",
            { d: parts.join(""), class: line.class, fill: "none", "vector-effect": "non-scaling-stroke" },
            title(line.name),
          ),
        );
    }
    const keys = lines.map((line) => element("span", { class: `key ${line.class}`, text: line.name }));
    return element(
      "figure",
      {},
      figure,
      element(
        "figcaption",
        {},
        ...keys,
        element("span", { class: "faint", text: ` ${least === 0 ? "0" : unit(least)} to ${unit(most)}` }),
      ),
    );
  }

  /** Lines for curves(), in seconds after `first`: the rate of a counter that grows, the level of another. */
  function counterLines(counter, first, colour) {
    const scale = counter.is_level ? 1 : 1e9 / counter.bin_ns,
      unit = counter.unit && counter.unit !== "1" ? `, ${counter.unit}` : "",
      name = `${counter.name}${unit}${counter.is_level ? "" : " per second"}`;
    // No thread has a value yet where it is null.
    const steps = (values) =>
      Array.from(values, (value, bin) => [bin, value])
        .filter(([, value]) => value !== null)
        .flatMap(([bin, value]) => [
          [first + (bin * counter.bin_ns) / 1e9, value * scale],
          [first + ((bin + 1) * counter.bin_ns) / 1e9, value * scale],
        ]);
    const lines = [{ name, class: `s${colour % 8}`, points: steps(counter.values) }];
    if (counter.largest)
      lines.push({ name: "the largest of them", class: `s${(colour + 1) % 8}`, points: steps(counter.largest) });
    const all = lines.flatMap((line) => line.points.map(([, value]) => value)),
      least = all.reduce((a, b) => Math.min(a, b), 0),
      most = all.reduce((a, b) => Math.max(a, b), least) || 1e-12;
    return { name, lines, least, most, is_own: counter.is_own };
  }

  /** Points over time. groups: [{name, class, points: [[x, y]...]}]. */
  function dots(groups, { from, to, height = 110, label, unit }) {
    const values = groups.flatMap((group) => group.points.map(([, v]) => v));
    if (values.length === 0) return element("p", { class: "faint", text: "none" });
    const least = Math.min(0, ...values),
      most = Math.max(0, ...values),
      span = most - least || 1,
      width = 1000;
    const figure = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: "none",
      class: "curves",
      role: "img",
      "aria-label": label,
    });
    const y = (v) => height - ((v - least) / span) * (height - 6) - 3;
    figure.append(svg("path", { d: `M0 ${y(0)}H${width}`, class: "zero" }));
    for (const group of groups)
      if (group.points.length)
        figure.append(
          svg(
            "path",
            {
              d: group.points
                .map(([t, v]) => `M${(((t - from) / (to - from)) * width).toFixed(1)} ${y(v).toFixed(1)}h0`)
                .join(""),
              class: `${group.class} dots`,
              fill: "none",
              "vector-effect": "non-scaling-stroke",
            },
            title(group.name),
          ),
        );
    const keys = groups
      .filter((group) => group.points.length)
      .map((group) => element("span", { class: `key ${group.class}`, text: group.name }));
    return element(
      "figure",
      {},
      figure,
      element("figcaption", {}, ...keys, element("span", { class: "faint", text: ` ${unit(least)} to ${unit(most)}` })),
    );
  }

  /** frames: a tree {name, value, children: Map}. A click on a frame shows it in full width. */
  function flameGraph(root, label) {
    const box = element("div", { class: "flame", role: "tree", "aria-label": label });
    const draw = (top) => {
      box.replaceChildren();
      const add = (node, left, share, depth, parent) => {
        if (share < 0.002) return;
        const own = element("button", {
          type: "button",
          role: "treeitem",
          class: `frame frame-${depth % 4}`,
          title: `${node.name}: ${duration(node.value)}, ${percent(node.value / root.value)}`,
          text: node.name,
          style: `left:${(100 * left).toFixed(3)}%;width:${(100 * share).toFixed(3)}%;top:${depth * 20}px`,
          onclick: () => draw(node === top ? (parent ?? root) : node),
        });
        box.append(own);
        let at = left;
        for (const child of [...node.children.values()].sort((a, b) => b.value - a.value)) {
          const part = (share * child.value) / node.value;
          add(child, at, part, depth + 1, node === top ? root : top);
          at += part;
        }
      };
      add(top, 0, 1, 0, root);
      const deepest = (node) => 1 + Math.max(0, ...Array.from(node.children.values(), deepest));
      box.style.height = `${20 * deepest(top) + 4}px`;
    };
    draw(root);
    return box;
  }

  /** The tree of call paths from the tables paths and path_frames. */
  function pathTree(paths, frames) {
    const byPath = new Map();
    for (const frame of frames) {
      if (!byPath.has(frame.path)) byPath.set(frame.path, []);
      byPath.get(frame.path).push(frame);
    }
    const root = { name: "all calls", value: 0, children: new Map() };
    const child = (node, name, value) => {
      if (!node.children.has(name)) node.children.set(name, { name, value: 0, children: new Map() });
      const next = node.children.get(name);
      next.value += value;
      return next;
    };
    for (const path of paths) {
      root.value += path.total_s;
      let node = root;
      for (const frame of (byPath.get(path.path) ?? []).sort((a, b) => a.frame - b.frame))
        node = child(
          node,
          frame.caller || `${frame.module.split("/").pop()}+0x${frame.offset.toString(16)}`,
          path.total_s,
        );
      child(node, path.function, path.total_s);
    }
    return root;
  }

  m.plots = { bars, heatMap, curves, counterLines, dots, flameGraph, pathTree };
})((globalThis.meridian ??= {}));
