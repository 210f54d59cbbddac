"use strict";
// Draws a minimal pair, both sides one above the other. All text goes in as text, never as markup.

const HEAD_RIGHT = 1, LABEL_RIGHT = 2, COUNTED = 4; // flags of a word on a side
const SVG = "http://www.w3.org/2000/svg";
const SIDES = ["a", "b"];
const isWrong = (flags, what) => Boolean(flags & COUNTED) && !(flags & what);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const whole = (number) => number.toLocaleString("en");
const score = (value) => (value === null ? "n/a" : value.toFixed(1));
const signed = (value, digits) => {
  if (value === null) return "n/a";
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : (value < 0 ? "\u2212" : "+") + text;
};

const FORM = "16px", SMALL = "12px", FAMILY = "system-ui, 'Noto Sans', 'DejaVu Sans', Arial, sans-serif";
const BAND = 960; // pixels of a drawing that fit on a page
const GAP = 10, LEVEL = 15, ARROW = 6, EDGE = 12;
const ROWS = { form: 20, tag: 37, relation: 52, error: 69, height: 78 };
const ruler = document.createElement("canvas").getContext("2d");

function widthOf(text, size) {
  ruler.font = `${size} ${FAMILY}`;
  return ruler.measureText(text).width;
}

const change = (shorter) =>
  shorter ? `${shorter > 0 ? "shorter" : "longer"} by ${whole(Math.abs(shorter))}` : "the same";

function pictureOf(one, data) {
  const { pair } = one;
  const names = data.labels[pair.l];
  const summary = element("p", { class: "scores" }, `${names[2]} against ${names[1]}: \u0394UAS ${signed(one.dUas, 1)}, ` +
    `\u0394LAS ${signed(one.dLas, 1)}, dependency length ${change(one.dLength)}`);
  const heading = element("h3", {}, `${pair.i} \u2013 ${names[0]}`);
  const boxes = SIDES.map((side, number) => sideBox(pair, side, number, names[number + 1], data));
  const legend = element("p", { class: "legend" }, "Above the words: gold arcs. Below, dashed: the head that the parser chose instead. " +
    "\u2717 wrong head, \u2260 wrong relation (the parser\u2019s). Words in grey italics are not counted. Arrow keys go from word to word.");
  join(boxes.map((box) => box.querySelector(".side")));
  return [heading, summary, ...boxes, legend];
}

function sideBox(pair, side, number, name, data) {
  const own = pair[side];
  const heads = own.e.filter((flags) => isWrong(flags, HEAD_RIGHT)).length;
  const relations = own.e.filter((flags) => isWrong(flags, LABEL_RIGHT)).length;
  const told = `UAS ${score(pair.u[number])}, LAS ${score(pair.s[number])}, dependency length ${whole(pair.d[number])}, ` +
    `wrong heads ${heads}, wrong relations ${relations}`;
  const scores = element("p", { class: "scores" }, element("strong", {}, name), `: ${told}`);
  const [svg, gaps] = treeOf(pair, own, data);
  const box = element("div", { class: "side", role: "group", "aria-label": `${name}: ${told}` }, svg);
  const bands = bandsOf(svg, gaps);
  if (bands.length > 1) box.classList.add("banded");
  return element("div", { class: "side-box" }, scores, box, ...(bands.length > 1 ? bands : []));
}

/** A wide drawing in pieces that fit on paper, cut between words. gaps: where it may be cut, from left to right. */
function bandsOf(svg, gaps) {
  const [wide, high] = [Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];
  const cuts = [0];
  gaps.forEach((gap, place) => {
    if ((gaps[place + 1] ?? wide) - cuts[cuts.length - 1] > BAND) cuts.push(gap);
  });
  return cuts.map((start, place) => {
    const band = svg.cloneNode(true), end = cuts[place + 1] ?? wide;
    band.setAttribute("viewBox", `${start} 0 ${end - start} ${high}`);
    band.setAttribute("width", end - start);
    band.style.maxWidth = `${(100 * (end - start)) / BAND}%`; // all bands in one scale
    band.querySelectorAll("[tabindex]").forEach((word) => word.removeAttribute("tabindex"));
    return element("div", { class: "bands", "aria-hidden": "true" }, band);
  });
}

/** The words of one side from left to right, gold arcs above, wrong predicted ones below; and the gaps between words. */
function treeOf(pair, own, data) {
  const order = own.p.map((_, word) => word).sort((one, two) => own.p[one] - own.p[two]);
  const errors = own.e.map((flags, word) => [isWrong(flags, HEAD_RIGHT) ? "\u2717" : "",
    isWrong(flags, LABEL_RIGHT) ? `\u2260 ${data.relations[own.q[word]] || "_"}` : ""].filter(Boolean).join(" "));
  const centre = [], half = [], gaps = []; // by place, from 1
  let x = EDGE;
  order.forEach((word, place) => {
    const small = [data.tags[pair.t[word]], data.relations[pair.r[word]], errors[word]].map((text) => widthOf(text, SMALL));
    half[place + 1] = Math.max(widthOf(pair.f[word], FORM), ...small, 20) / 2 + 3;
    centre[place + 1] = x + half[place + 1];
    x += 2 * half[place + 1] + GAP;
    gaps.push(x - GAP / 2);
  });
  const arc = (heads) => (word) => ({ word, from: heads[word], to: own.p[word] });
  const gold = order.map(arc(own.h));
  const predicted = order.filter((word) => isWrong(own.e[word], HEAD_RIGHT) && own.x[word] >= 0).map(arc(own.x));
  const above = levels(gold, order.length), below = levels(predicted, order.length);
  const base = EDGE + LEVEL * (above + 1), floor = base + ROWS.height;
  const height = floor + (predicted.length ? LEVEL * (below + 1) + EDGE : 0);
  const width = Math.ceil(x + EDGE - GAP);
  const svg = drawn("svg", { class: "tree", width, height, viewBox: `0 0 ${width} ${height}` });
  ports(gold, half);
  ports(predicted, half);
  const lines = (arcs, start, up, top, kind) => arcs.forEach((one) => svg.append(line(one, centre, start, up, top, kind)));
  lines(gold, base, -1, above + 1, "gold");
  lines(predicted, floor, 1, below + 1, "predicted");
  order.forEach((word, place) => svg.append(wordOf(pair, own, data, word, centre[place + 1], half[place + 1], base, errors[word])));
  return [svg, gaps.slice(0, -1)];
}

/** Gives each arc a level above all that it spans; returns the highest. */
function levels(arcs, words) {
  const top = new Array(words + 1).fill(0);
  const spans = arcs.filter((one) => one.from > 0);
  spans.sort((one, two) => Math.abs(one.from - one.to) - Math.abs(two.from - two.to) || one.to - two.to);
  for (const one of spans) {
    const [low, high] = [Math.min(one.from, one.to), Math.max(one.from, one.to)];
    one.level = 1;
    for (let gap = low; gap < high; gap++) one.level = Math.max(one.level, top[gap] + 1);
    top.fill(one.level, low, high);
  }
  return Math.max(0, ...top);
}

/** Arcs of one head start side by side: the nearest dependent's outermost, so that they do not cross. */
function ports(arcs, half) {
  for (const way of [-1, 1]) {
    const bundles = new Map();
    for (const one of arcs) {
      if (one.from > 0 && Math.sign(one.to - one.from) === way) bundles.set(one.from, [...(bundles.get(one.from) || []), one]);
    }
    for (const [head, own] of bundles) {
      const step = Math.min(5, (half[head] - 2) / own.length);
      own.sort((one, two) => Math.abs(two.to - head) - Math.abs(one.to - head));
      own.forEach((one, place) => { one.port = way * step * (place + 1); });
    }
  }
}

function line(one, centre, base, up, top, kind) {
  const end = centre[one.to], tip = base + up * ARROW;
  let path = `M${end} ${base + up * top * LEVEL}V${tip}`; // a root
  if (one.from > 0) {
    const start = centre[one.from] + one.port, y = base + up * one.level * LEVEL;
    const way = Math.sign(end - start), corner = Math.min(8, Math.abs(end - start) / 2, LEVEL - ARROW);
    path = `M${start} ${base}V${y - up * corner}Q${start} ${y} ${start + way * corner} ${y}` +
      `H${end - way * corner}Q${end} ${y} ${end} ${y - up * corner}V${tip}`;
  }
  return drawn("g", { class: `arc ${kind}`, "data-word": one.word, "data-head": one.from, "data-dependent": one.to },
    drawn("path", { d: path }), drawn("polygon", { points: `${end},${base} ${end - 3.5},${tip + up} ${end + 3.5},${tip + up}` }));
}

function wordOf(pair, own, data, word, x, half, base, error) {
  const head = (place) => (place > 0 ? pair.f[own.p.indexOf(place)] : place === 0 ? "root" : "none");
  const counted = own.e[word] & COUNTED;
  const told = [`${own.p[word]} ${pair.f[word]}`, data.tags[pair.t[word]], `${data.relations[pair.r[word]]} of ${head(own.h[word])}`];
  if (isWrong(own.e[word], HEAD_RIGHT)) told.push(`wrong head: ${head(own.x[word])}`);
  if (isWrong(own.e[word], LABEL_RIGHT)) told.push(`wrong relation: ${data.relations[own.q[word]] || "none"}`);
  if (!counted) told.push("not counted");
  const name = told.join(", ");
  const row = (kind, text) => drawn("text", { class: kind, x, y: base + ROWS[kind] }, text);
  const group = drawn("g", { class: counted ? "word" : "word uncounted", tabindex: -1, role: "img", "aria-label": name,
    "data-word": word, "data-place": own.p[word] },
    drawn("title", {}, name), drawn("rect", { class: "cell", x: x - half, y: base + 2, width: 2 * half, height: ROWS.height - 4, rx: 4 }),
    row("form", pair.f[word]), row("tag", data.tags[pair.t[word]]), row("relation", data.relations[pair.r[word]]));
  if (error) group.append(row("error", error));
  return group;
}

/** The same word lights up on both sides when the pointer or the focus is on it; arrow keys go along a side. */
function join(boxes) {
  const same = (word) => boxes.map((box) => [...box.querySelectorAll(`[data-word="${word}"]`)]);
  const light = (word, on) => same(word).flat().forEach((part) => part.classList.toggle("on", on));
  const focused = (word) => same(word).flat().includes(document.activeElement);
  boxes.forEach((box, side) => {
    const words = [...box.querySelectorAll(".word")];
    if (words.length) words[0].setAttribute("tabindex", 0);
    words.forEach((made, place) => {
      const word = made.dataset.word;
      const bring = () => {
        for (const [other, parts] of same(word).entries()) if (other !== side) bringIntoView(boxes[other], parts.find((part) => part.matches(".word")));
      };
      made.addEventListener("pointerenter", () => { light(word, true); });
      made.addEventListener("pointerleave", () => { light(word, focused(word)); });
      made.addEventListener("click", () => made.focus());
      made.addEventListener("focus", () => {
        words.forEach((other) => other.setAttribute("tabindex", other === made ? 0 : -1));
        light(word, true);
        bring();
      });
      made.addEventListener("blur", () => light(word, false));
      made.addEventListener("keydown", (event) => {
        const target = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: words.length - 1 }[event.key];
        if (target === undefined) return;
        if (words[target]) { words[target].focus(); bringIntoView(box, words[target]); }
        event.preventDefault();
      });
    });
  });
}

/** Scrolls the box of a side, and nothing else, until a word can be seen. */
function bringIntoView(box, word) {
  const [outer, inner] = [box.getBoundingClientRect(), word.getBoundingClientRect()];
  if (inner.left < outer.left || inner.right > outer.right) {
    box.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
  }
}
