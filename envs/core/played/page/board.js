"use strict";
// A board: shows pictures, animates what moves between them, and turns clicks on parts into actions.
// It knows no game: a picture is SVG with data-part on every part, and `clicks` says which parts
// stand for which action.

const MOVE_MS = 420;
const SAID_MS = 1400;
const MAX_FADING = 40; // parts
const MAX_BARS = 12;
const MAX_ADVISED = 3; // moves that are numbered in the picture
const GRAPH_LEFT = 58; // room for the scale of a graph
const NUM_MISTAKES = 6; // that are listed
const SMALL = 0.005; // a difference of values that is none
const ROW_SHAPE = 4; // width by height of a part that is a line of text
const SHAPES = { played: "\u25cf", better: "\u25c6" };
const words = { icons: {}, scale: null }; // of the game: symbols of words, and what values mean

const narrow = matchMedia("(max-width: 640px)");
const said = (move) => move.label ?? move.action ?? "a hidden move";

class Board {
  // `root` holds the picture; `onPlay(action)` is called with the name of a chosen action,
  // `onSelect(names)` with the actions that the selected parts stand for.
  // `onDrop(id, elements)` with a part and what it was dropped on; it returns whether that counts.
  constructor(root, { onPlay = () => {}, onSelect = () => {}, onDrop = () => false } = {}) {
    Object.assign(this, { root, onPlay, onSelect, onDrop });
    this.clicks = {};
    this.selected = [];
    this.marked = [];
    new ResizeObserver(() => this.mark(this.marked)).observe(root);
    root.addEventListener("click", (event) => {
      if (!this.isDropped) this.press(this.partOf(event.target));
      this.isDropped = false;
    });
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("pointerdown", (event) => this.drag(event));
    root.addEventListener("pointerover", (event) => { // a tooltip
      const part = event.target.closest?.("[data-part]");
      root.title = part ? part.getAttribute("aria-label") : "";
    });
  }

  // Let a part that can be pressed follow a mouse; where it is dropped, the click presses it.
  drag(event) {
    const part = event.target.closest?.(".live");
    if (!part || event.pointerType !== "mouse" || event.button !== 0) return;
    part.setPointerCapture(event.pointerId); // so that the click is its own, whatever it is dropped on
    const picture = part.ownerSVGElement;
    const scale = picture.viewBox.baseVal.width / (picture.getBoundingClientRect().width || 1);
    const follow = (moved) => { part.style.transform = `translate(${(moved.clientX - event.clientX) * scale}px, ${(moved.clientY - event.clientY) * scale}px)`; };
    const drop = (up) => {
      part.style.transform = "";
      removeEventListener("pointermove", follow);
      const under = document.elementsFromPoint(up.clientX, up.clientY).filter((each) => !part.contains(each));
      this.isDropped = this.onDrop(part.dataset.part, under);
    };
    addEventListener("pointermove", follow);
    addEventListener("pointerup", drop, { once: true });
  }

  partOf(target) {
    const part = target.closest ? target.closest("[data-part]") : null;
    return part && part.dataset.part;
  }

  // Show a picture; `clicks` maps action names to lists of part ids. New parts come from the plate
  // of the seat `mover`, which made the move, and `said` is shown beside it for a moment.
  show(svg, clicks = {}, { animate = true, mover = null, said = null } = {}) {
    const focused = document.activeElement;
    const focusedPart = this.root.contains(focused) ? this.partOf(focused) : null;
    const before = animate && !prefersStill() ? this.places() : null;
    const gone = before ? this.parts() : [];
    const known = new Set(this.marks().map((mark) => mark.outerHTML));
    this.root.innerHTML = svg || "";
    this.clicks = clicks;
    this.selected = [];
    this.marked = [];
    const picture = this.root.querySelector("svg");
    if (picture) {
      picture.setAttribute("role", "group");
      picture.setAttribute("aria-label", "The table");
    }
    this.refresh();
    if (before) {
      const marks = this.marks();
      this.fade(gone);
      const landings = this.animate(before, `seat:${mover}`);
      for (const mark of marks) if (!known.has(mark.outerHTML) || landings.some((box) => isFrame(mark, box))) hide(mark);
    }
    if (said !== null) this.say(`seat:${mover}`, said);
    if (focusedPart !== null) this.focus(focusedPart);
  }

  parts() {
    return [...this.root.querySelectorAll("[data-part]")];
  }

  // The shapes that are no parts, such as a frame around the best card.
  marks() {
    return [...this.root.querySelectorAll("svg > :not([data-part])")];
  }

  places() {
    const places = new Map();
    for (const part of this.parts()) places.set(part.dataset.part, part.getBoundingClientRect());
    return places;
  }

  // Let every part glide from where it lay; new ones glide from the plate of who made the move.
  // Return where those land that fly above the others.
  animate(before, plate) {
    const picture = this.root.querySelector("svg");
    const landings = [];
    if (!picture || !before.size || !picture.animate) return landings;
    const scale = picture.viewBox.baseVal.width / (picture.getBoundingClientRect().width || 1);
    const timing = { duration: MOVE_MS, easing: "cubic-bezier(.3,.7,.2,1)" };
    for (const part of this.parts()) {
      const from = before.get(part.dataset.part) || before.get(plate);
      const isNew = !before.has(part.dataset.part);
      if (!from) {
        part.animate([{ opacity: 0 }, { opacity: 1 }], timing);
        continue;
      }
      const to = part.getBoundingClientRect();
      const dx = (from.x + from.width / 2 - to.x - to.width / 2) * scale;
      const dy = (from.y + from.height / 2 - to.y - to.height / 2) * scale;
      if (Math.hypot(dx, dy) < 3) continue;
      const path = [{ transform: `translate(${dx}px, ${dy}px)`, opacity: isNew ? 0.2 : 1 },
        { transform: "translate(0, 0)", opacity: 1 }];
      if (Math.hypot(dx, dy) < to.height * scale) part.animate(path, timing);
      else {
        flyAbove(picture, part, path, timing);
        landings.push(to);
      }
    }
    return landings;
  }

  // Let parts that are no longer there fade away where they lay.
  fade(gone) {
    const picture = this.root.querySelector("svg");
    const here = new Set(this.parts().map((part) => part.dataset.part));
    if (!picture || !picture.animate) return;
    for (const part of gone.filter((each) => !here.has(each.dataset.part)).slice(0, MAX_FADING)) {
      picture.append(asGhost(part));
      part.animate([{ opacity: 1 }, { opacity: 0 }], { duration: MOVE_MS }).onfinish = () => part.remove();
    }
  }

  // Show some words beside a part for a moment.
  say(id, words) {
    const part = this.parts().find((each) => each.dataset.part === id);
    for (const old of this.root.querySelectorAll(".said")) old.remove();
    if (!part) return;
    const bubble = make("div", { class: "said", "aria-hidden": "true" }, words);
    this.root.append(bubble);
    const [frame, place] = [this.root.getBoundingClientRect(), part.getBoundingClientRect()];
    const left = place.x + place.width / 2 - frame.x - bubble.offsetWidth / 2;
    bubble.style.left = `${Math.max(4, Math.min(frame.width - bubble.offsetWidth - 4, left))}px`;
    bubble.style.top = `${Math.max(4, place.y - frame.y - bubble.offsetHeight - 6)}px`;
    setTimeout(() => bubble.remove(), SAID_MS);
  }

  // The actions that the selected parts can still become.
  candidates() {
    const chosen = counts(this.selected);
    return Object.entries(this.clicks)
      .map(([name, parts]) => ({ name, counts: counts(parts), size: parts.length }))
      .filter((action) => action.size > 0 && contains(action.counts, chosen));
  }

  // Select what every action has that the selected parts can still become.
  complete() {
    const [first, ...others] = this.candidates();
    const common = [...first.counts].flatMap(([part, number]) =>
      Array(Math.min(number, ...others.map((each) => each.counts.get(part) || 0))).fill(part));
    this.isCompleted = common.length > this.selected.length;
    if (this.isCompleted) this.selected = common;
  }

  // The parts that take the selection one step further.
  next() {
    const chosen = counts(this.selected);
    const next = new Set();
    for (const action of this.candidates()) {
      for (const [part, number] of action.counts) {
        if (number > (chosen.get(part) || 0)) next.add(part);
      }
    }
    return next;
  }

  // The actions that are exactly what is selected.
  exact() {
    const size = this.selected.length;
    return this.candidates().filter((action) => action.size === size).map((a) => a.name);
  }

  // How many parts have to be chosen besides the selected ones, at least.
  missing() {
    return Math.min(...this.candidates().map((action) => action.size)) - this.selected.length;
  }

  // Where the part lies that was chosen last.
  spot() {
    const part = this.parts().find((each) => each.dataset.part === this.selected.at(-1));
    return part ? part.getBoundingClientRect() : null;
  }

  refresh() {
    const next = this.next();
    const chosen = counts(this.selected);
    for (const part of this.parts()) {
      const id = part.dataset.part;
      const isLive = next.has(id) || chosen.has(id);
      part.classList.toggle("live", next.has(id));
      part.classList.toggle("chosen", chosen.has(id));
      part.setAttribute("role", isLive ? "button" : "img");
      if (isLive) {
        part.setAttribute("tabindex", "0");
        part.setAttribute("aria-pressed", String(chosen.has(id)));
      } else {
        part.removeAttribute("tabindex");
        part.removeAttribute("aria-pressed");
      }
    }
    this.root.tabIndex = next.size ? -1 : 0; // with nothing to press in it, it can still be scrolled
    this.onSelect(this.selected.length ? this.exact() : [], this.selected.length);
  }

  // Number the parts of the best moves, with what they are worth; null takes the numbers away.
  advise(row) {
    const best = row ? bestFirst(row).slice(0, MAX_ADVISED) : [];
    this.mark(best.map((name, index) => ({ kind: index ? "" : "advised", ids: this.clicks[name] || [], text: `${index + 1}: ${shownValue(row, name)}` })));
  }

  // Mark what was played in a position and what was better, with their values; `row` is a judgement.
  compare(row) {
    this.mark(kindsOf(row).map((kind) => ({ kind, ids: row.parts[actionOf(row, kind)] || [], text: `${SHAPES[kind]} ${valueText(row, kind)}` })));
  }

  // Give the parts of some moves, {kind, ids, text}, a frame of this kind, and a badge with the text.
  mark(moves) {
    this.marked = moves;
    const frame = this.root.getBoundingClientRect();
    for (const old of this.root.querySelectorAll(".rank")) old.remove();
    for (const part of this.parts()) part.classList.remove("advised", "played", "better");
    const badges = [];
    for (const { kind, ids, text } of moves) {
      const parts = this.parts().filter((part) => ids.includes(part.dataset.part));
      for (const part of parts) if (kind) part.classList.add(kind);
      for (const part of parts.slice(0, 1)) {
        const badge = make("span", { class: `rank ${kind}`, "aria-hidden": "true" }, text);
        this.root.append(badge);
        const spot = this.beside(part, badge, frame, badges);
        badge.style.left = `${spot.left - frame.x}px`;
        badge.style.top = `${spot.top - frame.y}px`;
        badges.push(spot);
      }
    }
  }

  // Where a badge covers the fewest words, marks and `badges`, then the fewest other parts: near to
  // its part, at best above it or, where that is a line of text, in its middle.
  beside(part, { offsetWidth: width, offsetHeight: height }, frame, badges) {
    const place = part.getBoundingClientRect();
    const [across, middle] = [place.x + (place.width - width) / 2, place.y + (place.height - height) / 2];
    const best = place.width > ROW_SHAPE * place.height ? middle : place.y - height;
    const boxes = (shapes) => [...this.root.querySelectorAll(shapes)].filter((each) => each !== part).map((each) => each.getBoundingClientRect());
    const [letters, parts] = [[...boxes("text, circle, polygon"), ...badges], boxes("[data-part]")];
    const cost = (spot) => {
      const covered = (places) => places.filter((each) => overlap(each, spot)).length;
      const aside = Math.max(0, Math.abs(spot.left - across) - place.width / 2);
      const above = Math.max(0, place.y - spot.top - height, spot.top - place.bottom);
      return 1000 * covered(letters) + 30 * covered(parts) + 2 * (aside + above) + Math.abs(spot.top - best) / 4;
    };
    const steps = Array.from({ length: Math.ceil(2 * place.height / height) + 9 }, (_, step) => place.y + (step / 2 - 3) * height);
    const spots = [place.x, across, place.right - width, place.x - width, place.right].flatMap((left) => [middle, ...steps].map((top) => (
      { left: Math.max(frame.left, Math.min(left, frame.right - width)), top, width, height })));
    const inside = spots.filter(({ top }) => top >= frame.top && top + height <= frame.bottom);
    return inside.reduce((one, other) => (cost(other) < cost(one) ? other : one), inside[0] || spots[0]);
  }

  // What the piles say that seats have won: it changes when the cards on the table are taken.
  won() {
    return this.parts().filter((part) => part.dataset.part.endsWith(":won")).map((part) => part.getAttribute("aria-label")).join();
  }

  // The part that a press on this one takes: of cards that say the same, the one that counts.
  taken(id) {
    if (this.selected.includes(id)) return id;
    const [next, candidates] = [this.next(), this.candidates()];
    const label = (part) => part.getAttribute("aria-label");
    const pressed = this.parts().find((part) => part.dataset.part === id);
    const uses = (part) => candidates.filter((action) => action.counts.has(part.dataset.part)).length;
    const twins = this.parts().filter((part) => next.has(part.dataset.part) && label(part) === label(pressed));
    return twins.length ? twins.reduce((best, part) => (uses(part) > uses(best) ? part : best)).dataset.part : id;
  }

  press(id) {
    if (id === null || id === undefined) return;
    id = this.taken(id);
    if (this.next().has(id)) {
      this.selected.push(id);
      const candidates = this.candidates();
      if (candidates.length === 1 && candidates[0].size === 1) {
        this.selected = [];
        this.onPlay(candidates[0].name);
        return;
      }
      this.complete(); // to be confirmed
    } else if (this.selected.includes(id)) {
      if (this.isCompleted) this.selected = [];
      else this.selected.splice(this.selected.lastIndexOf(id), 1);
    } else {
      return;
    }
    this.refresh();
    this.focus(id);
  }

  clear() {
    this.selected = [];
    this.refresh();
  }

  key(event) {
    const id = this.partOf(event.target);
    if (event.key === "Escape" && this.selected.length) this.clear();
    else if ((event.key === "Enter" || event.key === " ") && id !== null) this.press(id);
    else return;
    event.preventDefault();
  }

  focus(id) {
    const part = this.parts().find((each) => each.dataset.part === id);
    if (part && part.hasAttribute("tabindex")) part.focus({ preventScroll: true });
  }
}

const overlap = (one, other) => one.left < other.left + other.width && other.left < one.left + one.width && one.top < other.top + other.height && other.top < one.top + one.height;

// Let a copy fly above everything else, while the part itself cannot be seen.
function flyAbove(picture, part, path, timing) {
  const copy = asGhost(part.cloneNode(true));
  picture.append(copy);
  copy.animate(path, timing).onfinish = () => copy.remove();
  hide(part);
}

// Let a shape be unseen until those that move have landed.
function hide(shape) {
  if (shape.animate) shape.animate([{ opacity: 0 }, { opacity: 0 }], { duration: MOVE_MS });
}

// Whether a shape is the frame of a card that lies in this box.
function isFrame(shape, box) {
  const { left, right, top, bottom, width } = shape.getBoundingClientRect();
  return left <= box.left && right >= box.right && top <= box.top && bottom >= box.bottom && width < 2 * box.width;
}

// Make of a part what can be neither pressed nor read.
function asGhost(part) {
  for (const name of ["data-part", "tabindex", "role", "aria-label", "class"]) part.removeAttribute(name);
  part.setAttribute("aria-hidden", "true");
  part.style.pointerEvents = "none";
  return part;
}

function counts(parts) {
  const found = new Map();
  for (const part of parts) found.set(part, (found.get(part) || 0) + 1);
  return found;
}

function contains(whole, part) {
  for (const [key, number] of part) if ((whole.get(key) || 0) < number) return false;
  return true;
}

function prefersStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// An expected return as people read it: "61 % to win", or the number alone, for narrow columns.
function shown(value) {
  const { zero, per_return: each, text, digits } = words.scale;
  return text.replace("{}", (zero + each * value).toFixed(digits));
}
function shortly(value) { return shown(value).replace(/ to win| tricks/, "").replace("place ", ""); }

// A difference of expected returns as people read it: "6 %".
function lossOf(value) {
  const { per_return: each, loss, digits } = words.scale;
  const amount = Math.abs(each * value);
  return loss.replace("{}", amount.toFixed(digits + (amount < 10 ** -digits ? 1 : 0)));
}

const withoutUnit = (loss) => loss.replace(/ places?| tricks?/, "");

// Half the width of an action's interval, "" where it is exact: " ± 6 %".
function reachOf(action, reaches) {
  const text = reaches[action] > 0 ? withoutUnit(lossOf(reaches[action])) : "";
  return /[1-9]/.test(text) ? ` ± ${text}` : "";
}

// Of a judgement what is marked, better moves where chance does not explain the loss; and their values.
const actionOf = (row, kind) => (kind === "played" ? row.action : row.best);
const kindsOf = (row) => (row.regret > 0 ? ["played", "better"] : ["played"]);
const valueText = (row, kind) => shownValue(row, actionOf(row, kind));

function shownValue({ values, are_choices: areChoices }, action) {
  const value = values[action];
  return value === undefined || value === null ? "" : areChoices ? percent(value) : shortly(value);
}

// The names of moves, the best first; of about equal ones that which a judgement calls better.
function bestFirst({ values, best }) {
  const rank = (action) => values[action] + (action === best ? SMALL : 0);
  return Object.keys(values).sort((a, b) => rank(b) - rank(a));
}

// What was played and what was better, in words, each with its mark; the value first, for narrow pages.
function markedMoves(row) {
  return kindsOf(row).map((kind) => make("span", { class: `rank ${kind}` },
    `${SHAPES[kind]} ${kind} ${valueText(row, kind)}: ${called(actionOf(row, kind), row.labels)}`));
}

// What people call an action; `labels` has the words of the game.
const called = (action, labels) => (labels && labels[action]) || action;

// A text with the symbols of the game beside its words, and with **bold** and `code` as elements.
function worded(text) {
  const names = Object.keys(words.icons);
  const pattern = new RegExp(["(`[^`]+`|\\*\\*[^*]+\\*\\*", ...names.map((name) => `\\b${name}\\b`)].join("|") + ")");
  return text.split(pattern).flatMap((part) => {
    if (part.startsWith("`")) return [make("code", {}, part.slice(1, -1))];
    if (part.startsWith("**")) return [make("b", {}, part.slice(2, -2))];
    if (!Object.hasOwn(words.icons, part)) return [part];
    const [symbol, color] = words.icons[part];
    return [make("span", { class: "icon", style: `--icon:${color}`, "aria-hidden": "true" }, symbol), part];
  });
}

function percent(value) {
  return `${Math.round(100 * value)} %`;
}

// An element with properties and children; text is never parsed as HTML.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") for (const [type, act] of Object.entries(value)) element.addEventListener(type, act);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// An element of a picture.
function drawn(tag, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

// A graph of values -1 .. 1 over the plies as SVG: a line for each of `series`, lists of points
// {ply, value}; `marks` are dots. A click calls `onGo` with the ply, the pointer `onPoint`.
function valueGraph(series, { width, height = 130, current = null, marks = [], onGo, onPoint }) {
  const plies = series.flat().map((point) => point.ply);
  const [first, last] = plies.length ? [Math.min(...plies), Math.max(...plies)] : [0, 0];
  const span = Math.max(1, last - first);
  const { zero, per_return: each } = words.scale;
  const least = each > 0 ? Math.max(-1, -zero / each) : -1;
  const values = series.flat().map((point) => point.value);
  const [low, high] = [Math.max(least, Math.min(1, ...values) - 0.05), Math.min(1, Math.max(least, ...values) + 0.05)];
  const x = (ply) => GRAPH_LEFT + ((width - GRAPH_LEFT - 8) * (Math.max(first, Math.min(last, ply)) - first)) / span;
  const y = (value) => 10 + ((high - value) / (high - low)) * (height - 34);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, class: "graph", role: "img", "aria-label": "The expected result, move by move" });
  for (const value of [high, (high + low) / 2, low]) {
    svg.append(drawn("line", { x1: GRAPH_LEFT, x2: width, y1: y(value), y2: y(value), class: "axis" }),
      drawn("text", { x: GRAPH_LEFT - 6, y: y(value) + 4, "text-anchor": "end", class: "tick" }, shortly(value)));
  }
  const unit = shown(1).replace(/^\S+ /, "").replace(/^\d.*/, "place");
  svg.append(drawn("text", { x: width - 8, y: height - 6, "text-anchor": "end", class: "tick" }, `${unit}, by moves: ${first + 1} to ${last + 1}`));
  series.forEach((points, index) => {
    const path = points.map((point) => `${x(point.ply)},${y(point.value)}`).join(" ");
    svg.append(drawn("polyline", { points: path, class: `curve series-${index % 6}` }));
    if (points.length === 1) { // no line to see
      svg.append(drawn("circle", { cx: x(points[0].ply), cy: y(points[0].value), r: 4, class: `point series-${index % 6}` }));
    }
  });
  for (const mark of marks) svg.append(drawn("circle", { cx: x(mark.ply), cy: y(mark.value), r: 5, class: "mark" }));
  if (current !== null) svg.append(drawn("line", { x1: x(current), x2: x(current), y1: 0, y2: height, class: "now" }));
  const plyAt = (event) => {
    const box = svg.getBoundingClientRect();
    const along = (((event.clientX - box.x) / box.width) * width - GRAPH_LEFT) / (width - GRAPH_LEFT - 8);
    return Math.max(first, first + Math.round(along * span));
  };
  svg.addEventListener("click", (event) => onGo(plyAt(event)));
  svg.addEventListener("pointermove", (event) => onPoint(plyAt(event)));
  return svg;
}

const moveText = (row, names) => `Move ${row.ply + 1}, ${names[row.seat]}: ${called(row.action, row.labels)}`;

// What judgements say of a game: the graph of its values, whose line is whose, the largest mistakes and
// lines with them. `rows` have a ply and a seat; `names` are those of the seats, and `onGo` gets a ply.
function study(rows, names, { width, current, onGo, onPoint }) {
  const worst = rows.filter((row) => row.regret > 0).sort((a, b) => b.regret - a.regret).slice(0, NUM_MISTAKES);
  const pointsOf = (some) => some.flatMap((row) => (row.action in row.values ? [{ ply: row.ply, value: row.values[row.action] }] : []));
  const series = names.map((_, seat) => pointsOf(rows.filter((row) => row.seat === seat).sort((a, b) => a.ply - b.ply)));
  const graph = valueGraph(series, { width, marks: pointsOf(worst), current, onGo, onPoint });
  const legend = series.flatMap((points, seat) => (points.length ? [make("span", { class: `key series-${seat % 6}` }, names[seat])] : []));
  const mistakes = worst.map((row) => make("li", {}, make("button", { type: "button", on: { click: () => onGo(row.ply) } },
    make("span", {}, ...worded(`${moveText(row, names)}; ${row.text.split("; ").at(-1)}`)),
    make("span", { class: "lost" }, `−${lossOf(row.regret)}`))));
  return { graph, legend, worst, mistakes };
}

// A line in the list of moves, which is a button.
function moveLine(number, who, parts, onGo) {
  return make("li", { "data-ply": String(number) }, make("button", { type: "button", on: { click: onGo } },
    make("span", { class: "number" }, `${number}`),
    make("span", { class: "who" }, who),
    make("span", { class: "what" }, ...parts.filter(Boolean))));
}

// Lines with the best moves and the one that was played, marked as on the board: each over a bar of its
// value, with half the width of its 95 % interval. With `are_choices` the values are how often a player
// chooses each move.
function valueBars(row, played = null) {
  const { values, labels, reaches = {}, unsearched = [], are_choices: areChoices = false } = row;
  const sorted = bestFirst(row);
  const best = sorted.length ? values[sorted[0]] : 0;
  const mark = (action) => {
    const kind = action === played ? "played" : row.regret > 0 && action === row.best ? "better" : "";
    return kind ? make("span", { title: kind }, SHAPES[kind], make("span", { class: "visually-hidden" }, kind)) : null;
  };
  const lines = sorted.filter((action, rank) => rank < MAX_BARS || action === played).map((action) => {
    const value = values[action];
    const share = areChoices ? value : 0.5 + value / 2;
    return make("li", { class: best - value < 1e-9 ? "best" : "", style: `--share: ${100 * Math.max(0, Math.min(1, share))}%` },
      make("span", { class: "name" }, ...worded(called(action, labels))), mark(action),
      make("span", { class: "value" }, shownValue(row, action) + (areChoices ? "" : reachOf(action, reaches))));
  });
  const others = unsearched.length === 1 ? "1 move" : `${unsearched.length} moves`;
  if (unsearched.length) {
    const missing = unsearched.includes(played) ? called(played, labels) : others;
    lines.push(make("li", { style: "--share: 0%" }, make("span", { class: "name" }, `unknown, not searched: ${missing}`), mark(unsearched.find((each) => each === played))));
  }
  return lines;
}
