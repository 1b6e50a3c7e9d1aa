"use strict";
// A board: shows pictures, animates what moves between them, and turns clicks on parts into actions.
// It knows no game: a picture is SVG with data-part on every part, and `clicks` says which parts
// stand for which action.

const MOVE_MS = 420;
const SAID_MS = 1400;
const MAX_FADING = 40; // parts
const MAX_BARS = 12;
const MAX_BESIDE = 16; // letters of a move that stands beside its bar, not above it

class Board {
  // `root` holds the picture; `onPlay(action)` is called with the name of a chosen action,
  // `onSelect(names)` with the actions that the selected parts stand for.
  constructor(root, { onPlay = () => {}, onSelect = () => {} } = {}) {
    this.root = root;
    this.onPlay = onPlay;
    this.onSelect = onSelect;
    this.clicks = {};
    this.selected = [];
    root.addEventListener("click", (event) => this.press(this.partOf(event.target)));
    root.addEventListener("keydown", (event) => this.key(event));
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

  // Mark the parts of an action that is advised; of none without a name.
  advise(name) {
    const advised = this.clicks[name] || [];
    for (const part of this.parts()) part.classList.toggle("advised", advised.includes(part.dataset.part));
  }

  // The part that a press on this one takes: of cards that say the same, the one that counts.
  taken(id) {
    const next = this.next();
    if (next.has(id) || this.selected.includes(id)) return id;
    const label = (part) => part.getAttribute("aria-label");
    const pressed = this.parts().find((part) => part.dataset.part === id);
    const twin = this.parts().find((part) => next.has(part.dataset.part) && label(part) === label(pressed));
    return twin ? twin.dataset.part : id;
  }

  press(id) {
    if (id === null || id === undefined) return;
    id = this.taken(id);
    if (this.next().has(id)) {
      this.selected.push(id);
      const exact = this.exact();
      if (exact.length === 1 && this.candidates().length === 1) {
        this.selected = [];
        this.onPlay(exact[0]);
        return;
      }
    } else if (this.selected.includes(id)) {
      this.selected.splice(this.selected.lastIndexOf(id), 1);
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

// A number with a sign, for values and regrets.
function signed(value) {
  const text = Math.abs(value).toFixed(2);
  return (value < 0 ? "−" : "+") + text;
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

// A name that may be broken after each of its parts.
function breakable(action) {
  return action.split(/(?<=[+_:])/).flatMap((part) => [part, make("wbr")]);
}

// A graph of values -1 .. 1 over the plies as SVG: a line for each of `series`, lists of points
// {ply, value}; `marks` are dots. A click calls `onGo` with the ply.
function valueGraph(series, { width = 600, height = 200, current = null, marks = [], onGo = null } = {}) {
  const space = "http://www.w3.org/2000/svg";
  const draw = (tag, attributes) => {
    const element = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const last = Math.max(1, current || 0, ...series.flat().map((point) => point.ply));
  const x = (ply) => 8 + ((width - 16) * ply) / last;
  const y = (value) => height / 2 - value * (height / 2 - 8);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "graph", role: "img" });
  svg.setAttribute("aria-label", "The expected result, move by move");
  svg.append(draw("line", { x1: 0, x2: width, y1: height / 2, y2: height / 2, class: "axis" }));
  series.forEach((points, index) => {
    const path = points.map((point) => `${x(point.ply)},${y(point.value)}`).join(" ");
    svg.append(draw("polyline", { points: path, class: `curve series-${index % 6}` }));
    if (points.length === 1) { // no line to see
      svg.append(draw("circle", { cx: x(points[0].ply), cy: y(points[0].value), r: 4, class: `point series-${index % 6}` }));
    }
  });
  for (const mark of marks) {
    svg.append(draw("circle", { cx: x(mark.ply), cy: y(mark.value), r: 5, class: "mark" }));
  }
  if (current !== null) {
    svg.append(draw("line", { x1: x(current), x2: x(current), y1: 0, y2: height, class: "now" }));
  }
  if (onGo) {
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      onGo(Math.round(((((event.clientX - box.x) / box.width) * width - 8) / (width - 16)) * last));
    });
  }
  return svg;
}

// Bars of the values of the best moves and of the one that was played, which is marked, with half the
// width of their 95 % intervals. With `are_choices` the values are how often a player chooses each move.
function valueBars({ values, reaches = {}, unsearched = [], are_choices: areChoices = false }, played = null) {
  const sorted = Object.entries(values).sort((a, b) => b[1] - a[1]);
  const best = sorted.length ? sorted[0][1] : 0;
  const shown = sorted.filter(([action], rank) => rank < MAX_BARS || action === played);
  const shownReach = (action) => (action in reaches ? ` ± ${reaches[action].toFixed(2)}` : "");
  const others = unsearched.length === 1 ? "1 move" : `${unsearched.length} moves`;
  const missing = unsearched.includes(played) ? `${played} \u25c2 played` : others;
  const unknown = unsearched.length ? [make("li", { class: "long" }, make("span", { class: "name" }, `unknown, not searched: ${missing}`))] : [];
  return shown.map(([action, value]) => {
    const bar = make("i");
    bar.style.width = `${Math.max(0, Math.min(100, areChoices ? 100 * value : 50 + 50 * value))}%`;
    const isLong = action.length > MAX_BESIDE;
    return make("li", { class: `${best - value < 1e-9 ? "best" : ""} ${isLong ? "long" : ""}` },
      make("span", { class: "name" }, ...breakable(action), action === played ? make("span", { class: "played" }, " \u25c2 played") : null),
      make("span", { class: "bar" }, bar),
      make("span", { class: "value" }, areChoices ? percent(value) : signed(value) + shownReach(action)));
  }).concat(unknown);
}
