// Sortable tables, and the list of minimal pairs with its filters. Follows drawing.js.

const PAGE = 50; // sentences in the list at a time

// Tables

function sortable(table) {
  const headers = [...table.tHead.rows[0].cells];
  const collator = new Intl.Collator("en", { numeric: true });
  const key = (row, column) => {
    const cell = row.cells[column];
    return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent;
  };
  const compare = (one, two) => {
    // numbers before texts; what has no value last, whichever way the sorting goes (see below)
    if (typeof one !== typeof two) return typeof one === "number" ? -1 : 1;
    return typeof one === "number" ? one - two || 0 : collator.compare(one, two);
  };
  headers.forEach((header, column) => {
    const button = element("button", { type: "button" }, ...header.childNodes);
    header.replaceChildren(button);
    header.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const down = header.getAttribute("aria-sort") === "ascending";
      headers.forEach((other) => other.setAttribute("aria-sort", "none"));
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].filter((row) => row.cells.length === headers.length);
      const keyed = rows.map((row) => [key(row, column), row]);
      const known = keyed.filter(([value]) => !Number.isNaN(value));
      known.sort((one, two) => (down ? -1 : 1) * compare(one[0], two[0]));
      const unknown = keyed.filter(([value]) => Number.isNaN(value));
      table.tBodies[0].append(...[...known, ...unknown].map(([, row]) => row));
    });
  });
}

// Pairs of sentences: what is known of each

function prepared(data) {
  return data.pairs.map((pair, number) => {
    const difference = (two, way) => (two[0] === null || two[1] === null ? null : way * (two[1] - two[0]));
    const order = pair.f.map((_, word) => word).sort((one, two) => pair.a.p[one] - pair.a.p[two]);
    const words = order.map((word) => pair.f[word]).join(" ");
    const wrong = new Set();
    for (const side of SIDES) {
      pair[side].e.forEach((flags, word) => {
        if (isWrong(flags, HEAD_RIGHT) || isWrong(flags, LABEL_RIGHT)) wrong.add(pair.r[word]);
      });
    }
    return {
      pair, number, words, wrong, length: pair.f.length, search: folded(words + " " + pair.i),
      dUas: difference(pair.u, 1), dLas: difference(pair.s, 1), dLength: pair.d[0] - pair.d[1],
    };
  });
}

const folded = (text) => text.normalize("NFC").toLowerCase();

const SORTINGS = [
  ["pair of runs: gains, then losses", (one) => one.number, 1],
  ["\u0394UAS, gains first", (one) => one.dUas, -1],
  ["\u0394UAS, losses first", (one) => one.dUas, 1],
  ["\u0394DL, most shortened first", (one) => one.dLength, -1],
  ["\u0394DL, most lengthened first", (one) => one.dLength, 1],
  ["words, fewest first", (one) => one.length, 1],
  ["words, most first", (one) => one.length, -1],
];
const CHANGES = [
  ["all sentences", () => true],
  ["gains", (one) => one.dUas > 1e-9],
  ["losses", (one) => one.dUas < -1e-9],
  ["gains and losses", (one) => Math.abs(one.dUas) > 1e-9],
];

function sorted(sentences, [, key, way]) {
  return [...sentences].sort((one, two) => {
    const [a, b] = [key(one), key(two)];
    if (a === null || b === null) return (a === null) - (b === null) || one.number - two.number;
    return way * (a - b) || one.number - two.number;
  });
}

// The browser: filters, list and drawing

function browser(place) {
  const data = JSON.parse(document.getElementById(place.dataset.source).textContent);
  const all = prepared(data);
  const id = place.dataset.source;
  let found = [], page = 0, active = 0, selected = null;

  const choice = (name, label, options) => {
    const box = element("select", { name }, ...options.map((text, value) => element("option", { value }, text)));
    return [box, element("label", {}, label, box)];
  };
  const input = (name, label, attributes) => {
    const box = element("input", { name, autocomplete: "off", ...attributes });
    return [box, element("label", {}, label, box)];
  };
  const wrongRelations = [...new Set(all.flatMap((one) => [...one.wrong]))]
    .sort((one, two) => (data.relations[one] < data.relations[two] ? -1 : 1));
  const [label, labelBox] = choice("pair", "Pair of runs", ["all", ...data.labels.map((one) => one[0])]);
  const [relation, relationBox] = choice("relation", "Relation, wrong on a side",
    ["any", ...wrongRelations.map((one) => data.relations[one])]);
  const [changed, changedBox] = choice("change", "Change in UAS", CHANGES.map((one) => one[0]));
  const [sorting, sortingBox] = choice("sorting", "Sort by", SORTINGS.map((one) => one[0]));
  const [from, fromBox] = input("from", "Words from", { type: "number", min: 1, inputmode: "numeric" });
  const [to, toBox] = input("to", "to", { type: "number", min: 1, inputmode: "numeric" });
  const [text, textBox] = input("text", "Text or sentence id holds", { type: "search", dir: "auto" });
  const clear = element("button", { type: "button", class: "clear" }, "Clear filters");
  const filters = element("div", { class: "filters", role: "search", "aria-label": "Filters" }, labelBox, relationBox,
    changedBox, element("div", { class: "range" }, fromBox, toBox), textBox, sortingBox, clear);

  const count = element("p", { class: "count", role: "status" });
  const previous = element("button", { type: "button", class: "previous" }, "Previous");
  const next = element("button", { type: "button", class: "next" }, "Next");
  const where = element("span", { class: "where" });
  const status = element("div", { class: "status" }, count, element("div", { class: "pager" }, previous, where, next));
  const columns = element("div", { class: "columns", "aria-hidden": "true" },
    ...["Sentence", "Words", "\u0394UAS", "\u0394DL"].map((name) => element("span", {}, name)));
  const list = element("div", { class: "list", role: "listbox", tabindex: 0,
    "aria-label": "Sentences; arrow keys move, Enter draws" });
  const hint = element("p", { class: "note no-print" }, "\u0394UAS: of the second side less the first, in points. " +
    "\u0394DL: dependency length of the first side less the second; positive where the second is shorter.");
  const drawing = element("div", { class: "drawing", "aria-live": "off" });
  place.append(filters, status, columns, list, hint, drawing);

  function filter() {
    const low = Number(from.value) || 0, high = Number(to.value) || Infinity, wanted = folded(text.value.trim());
    const wrong = relation.selectedIndex && wrongRelations[relation.selectedIndex - 1];
    const kept = all.filter((one) =>
      (!label.selectedIndex || one.pair.l === label.selectedIndex - 1) &&
      (!relation.selectedIndex || one.wrong.has(wrong)) && CHANGES[changed.selectedIndex][1](one) &&
      one.length >= low && one.length <= high && one.search.includes(wanted));
    found = sorted(kept, SORTINGS[sorting.selectedIndex]);
    count.textContent = `${whole(found.length)} of ${whole(all.length)} sentences`;
    page = active = 0;
    if (!found.includes(selected)) select(found[0] || null);
    show();
  }

  function show() {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    const rows = found.slice(page * PAGE, (page + 1) * PAGE);
    list.replaceChildren(...rows.map((one, row) => option(one, row)));
    if (!rows.length) list.append(element("p", { class: "empty" }, "No sentence fits these filters."));
    where.textContent = `page ${page + 1} of ${whole(pages)}`;
    previous.disabled = page === 0;
    next.disabled = page === pages - 1;
    list.scrollTop = 0;
    mark();
  }

  function option(one, row) {
    const cells = [whole(one.length), signed(one.dUas, 1), signed(one.dLength, 0)];
    const told = `${cells[0]} words, \u0394UAS ${cells[1]}, dependency length ${change(one.dLength)}`;
    const made = element("div", { class: "option", role: "option", id: `${id}-${row}`,
      "aria-label": `${one.words}: ${told}` },
      element("span", { class: "words", dir: "auto", title: one.pair.i }, one.words),
      ...cells.map((cell) => element("span", {}, cell)));
    made.addEventListener("click", () => { active = row; select(one); mark(); });
    return made;
  }

  function mark() {
    const options = list.querySelectorAll(".option");
    options.forEach((made, row) => {
      made.classList.toggle("active", row === active);
      made.setAttribute("aria-selected", String(found[page * PAGE + row] === selected));
    });
    if (options[active]) list.setAttribute("aria-activedescendant", options[active].id);
    else list.removeAttribute("aria-activedescendant");
    if (options[active]) {
      const { offsetTop, offsetHeight } = options[active];
      list.scrollTop = Math.min(offsetTop, Math.max(list.scrollTop, offsetTop + offsetHeight - list.clientHeight));
    }
  }

  function select(one) {
    selected = one;
    drawing.replaceChildren(...(one ? pictureOf(one, data) : []));
  }

  function move(place) {
    const target = Math.min(Math.max(place, 0), found.length - 1);
    if (target < 0) return;
    const turned = Math.floor(target / PAGE) !== page;
    page = Math.floor(target / PAGE);
    active = target % PAGE;
    if (turned) show(); else mark();
  }

  list.addEventListener("keydown", (event) => {
    const here = page * PAGE + active;
    const moves = { ArrowDown: here + 1, ArrowUp: here - 1, PageDown: here + 10, PageUp: here - 10, Home: 0, End: found.length - 1 };
    if (event.key in moves) move(moves[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && found[here]) { select(found[here]); mark(); }
    else return;
    event.preventDefault();
  });
  previous.addEventListener("click", () => move((page - 1) * PAGE));
  next.addEventListener("click", () => move((page + 1) * PAGE));
  for (const box of [label, relation, changed, sorting]) box.addEventListener("change", filter);
  for (const box of [from, to, text]) box.addEventListener("input", filter);
  clear.addEventListener("click", () => {
    for (const box of [from, to, text]) box.value = "";
    for (const box of [label, relation, changed, sorting]) box.selectedIndex = 0;
    filter();
  });
  filter();
}

document.documentElement.classList.add("has-script");
document.querySelectorAll("table.sortable").forEach(sortable);
document.querySelectorAll(".pairs").forEach(browser);
