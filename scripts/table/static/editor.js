"use strict";
// Laying out a position: pieces move between piles, by dragging, by clicks and by keys. The server
// says which piles there are, draws them, and says what is missing; this page knows no game.

const editor = { made: null, onPlay: null, shown: null, piece: null, open: new Map() };
const editBoard = new Board($("edit-board"), { onPlay: editBy, onDrop: dropPiece });

// Lay out the position of `made`, what a game is made of; `onPlay(deal)` plays on from the new one.
function openEditor(made, onPlay) {
  closeTable();
  $("setup").hidden = $("table").hidden = $("tools").hidden = $("lost").hidden = true;
  $("editor").hidden = false;
  problem("");
  Object.assign(editor, { made: { ...made }, onPlay, shown: null, piece: null, open: new Map() });
  editBoard.show("", {});
  return layOut();
}

async function layOut(more = {}) {
  const asked = { ...editor.made, ...more, is_narrow: narrow.matches };
  try {
    editor.shown = await ask("/api/positions", asked);
    const { seed, seat, piles, icons } = editor.shown;
    words.icons = icons;
    const lying = Object.fromEntries(Object.entries(piles).map(([name, pile]) => [name, pile.pieces]));
    Object.assign(editor.made, { seed, seat, piles: lying });
    $("lacking").textContent = editor.shown.problem ? `Not yet: ${editor.shown.problem}.` : "This can be played.";
  } catch (error) { $("lacking").textContent = `That does not go: ${error.message}.`; }
  pick(null);
}

// Move a piece, given as [pile, name], to another pile.
function move([source, piece], target) {
  const piles = Object.fromEntries(Object.entries(editor.made.piles).map(([name, pieces]) => [name, [...pieces]]));
  piles[source].splice(piles[source].indexOf(piece), 1);
  piles[target].push(piece);
  return layOut({ piles });
}

const pilesFor = ([source]) => Object.entries(editor.shown.piles).filter(([name, pile]) => name !== source && pile.kind === editor.shown.piles[source].kind);
const placesOf = (pile) => [...new Set([...pile.parts, ...pile.faces])];

// Choose a piece, or none, and show where it may go; without one, what may be chosen.
function pick(piece) {
  editor.piece = piece;
  if (!editor.shown) return;
  const clicks = {};
  if (piece) for (const [name, pile] of pilesFor(piece)) for (const part of placesOf(pile)) clicks[`put|${name}|${part}`] = [part];
  else {
    for (const [name, pile] of Object.entries(editor.shown.piles)) pile.faces.forEach((part, index) => { clicks[`pick|${name}|${index}`] = [part]; });
    for (let seat = 0; seat < editor.shown.num_seats; seat += 1) clicks[`turn|${seat}`] = [`seat:${seat}`];
  }
  editBoard.show(editor.shown.svg, clicks, { animate: false });
  $("editing").textContent = piece ? `${piece[1]}: where to?` : "Choose a piece, or the name of the seat to act";
  $("edit-leave").hidden = !piece;
  showPiles();
  $("edit-play").disabled = Boolean(editor.shown.problem);
}

function editBy(action) {
  const [kind, first, second] = action.split("|");
  if (kind === "pick") pick([first, editor.shown.piles[first].pieces[Number(second)]]);
  else if (kind === "put") move(editor.piece, first);
  else layOut({ seat: Number(first) });
}

// A piece was dropped on something: move it where that stands for one of its piles.
function dropPiece(id, elements) {
  const from = Object.entries(editor.shown.piles).find(([, pile]) => pile.faces.includes(id));
  const target = from && targetAt([from[0]], elements);
  if (target) move([from[0], from[1].pieces[from[1].faces.indexOf(id)]], target);
  return Boolean(target);
}

function targetAt(piece, elements) {
  for (const element of elements) {
    const [part, pile] = [element.closest("[data-part]"), element.closest("[data-pile]")];
    const found = pilesFor(piece).find(([name, each]) => (part ? placesOf(each).includes(part.dataset.part) : pile && name === pile.dataset.pile));
    if (found) return found[0];
  }
  return null;
}

// What lies where: pieces that the picture does not show are buttons, those of a stock are counted.
// Piles where the chosen piece may go have a button for it.
function showPiles() {
  const focused = document.activeElement?.dataset.key;
  const hidden = (pile) => pile.pieces.slice(pile.faces.length);
  const targets = editor.piece ? pilesFor(editor.piece).map(([name]) => name) : [];
  const first = Object.entries(editor.shown.piles).find(([, pile]) => hidden(pile).length && !pile.stock);
  $("piles").replaceChildren(...Object.entries(editor.shown.piles).map(([name, pile]) => {
    const isOpen = editor.open.get(name) ?? (first && first[0] === name);
    const pieces = pile.stock ? [...new Set([...editor.shown.piles[pile.stock].pieces, ...pile.pieces])].map((piece) => stepper(name, pile, piece)) : [...new Set(hidden(pile))].map((piece) => chip(name, piece, hidden(pile)));
    const details = make("details", { "data-pile": name, open: Boolean(isOpen), on: { toggle: (event) => editor.open.set(name, event.target.open) } },
      make("summary", { "data-key": name }, `${pile.label}: ${pile.pieces.length}`), make("div", { class: pile.stock ? "" : "row" }, ...pieces));
    return make("div", { class: "pile" }, details, targets.includes(name) ? make("button", { type: "button", "aria-label": `Put it here: ${pile.label}`, on: { click: () => move(editor.piece, name) } }, "Here") : null);
  }));
  if (focused) ($("piles").querySelector(`[data-key="${CSS.escape(focused)}"]:not(:disabled)`) || $("piles").querySelector(`[data-key="${CSS.escape(focused.split("|")[0])}"]`))?.focus();
}

function chip(name, piece, pieces) {
  const number = pieces.filter((each) => each === piece).length;
  const isChosen = editor.piece && editor.piece[0] === name && editor.piece[1] === piece;
  return make("button", { type: "button", draggable: true, "data-key": `${name}|${piece}`, "aria-pressed": String(Boolean(isChosen)),
    on: { click: () => pick([name, piece]), dragstart: (event) => { editor.piece = [name, piece]; event.dataTransfer.setData("text/plain", piece); } } },
  ...worded(piece), number > 1 ? ` (×${number})` : null);
}

function stepper(name, pile, piece) {
  const [number, left] = [pile, editor.shown.piles[pile.stock]].map((each) => each.pieces.filter((other) => other === piece).length);
  const step = (sign, isPossible, from, to) => make("button", { type: "button", disabled: !isPossible, "data-key": `${name}|${piece}|${sign}`, "aria-label": `${sign === "+" ? "One more" : "One less"}: ${piece}, ${pile.label}`, on: { click: () => move([from, piece], to) } }, sign);
  return make("div", { class: "step" }, make("span", {}, ...worded(piece)), step("−", number > 0, name, pile.stock), make("span", {}, `${number}`), step("+", left > 0, pile.stock, name));
}

addEventListener("dragover", (event) => { if (!$("editor").hidden) event.preventDefault(); });
addEventListener("drop", (event) => {
  if ($("editor").hidden || !editor.piece) return;
  event.preventDefault();
  const target = targetAt(editor.piece, [event.target]);
  if (target) move(editor.piece, target); else pick(null);
});
addEventListener("keydown", (event) => { if (event.key === "Escape" && !$("editor").hidden && editor.piece) pick(null); });
$("edit-leave").addEventListener("click", () => pick(null));
$("edit-play").addEventListener("click", () => dealing($("edit-play"), () => editor.onPlay(editor.shown.deal)));
$("edit-empty").addEventListener("click", () => layOut({ piles: {} }));
$("edit-back").addEventListener("click", () => route());
