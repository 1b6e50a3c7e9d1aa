"use strict";
// Playing: one WebSocket for one seat. Everything shown comes from the messages for that seat.

const PACE_MS = prefersStill() ? 60 : 620; // between the moves of others, so that each can be followed
const MAX_WAITING = 12; // positions; with more, the page catches up at once

const game = {
  socket: null, token: null, table: null, position: null, moves: [], waiting: [], timer: null,
  hintsOn: false, values: null, review: [], isOver: false, lookingBack: null, retry: 0,
};
const board = new Board($("board"), { onPlay: play, onSelect: showActions });
const narrow = matchMedia("(max-width: 640px)");

function openTable(token) {
  closeTable();
  $("setup").hidden = true;
  $("table").hidden = $("tools").hidden = false;
  Object.assign(game, { token, table: null, position: null, moves: [], waiting: [], values: null, review: [], isOver: false, lookingBack: null });
  board.show("", {});
  $("result").hidden = $("review").hidden = true;
  $("moves").replaceChildren();
  status("Taking your seat …");
  connect();
}

function closeTable() {
  clearTimeout(game.timer);
  game.timer = null;
  if (game.socket) { game.socket.onclose = null; game.socket.close(); game.socket = null; }
}

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/seat`);
  game.socket = socket;
  socket.onopen = () => send({ type: "sit", token: game.token, is_narrow: narrow.matches });
  socket.onmessage = (event) => receive(JSON.parse(event.data));
  socket.onclose = () => {
    if (game.socket !== socket || game.refused) return;
    status("The connection is lost; trying again …");
    game.retry = Math.min(game.retry + 1, 8);
    game.timer = setTimeout(connect, 250 * 2 ** game.retry);
  };
}

function send(message) {
  if (game.socket && game.socket.readyState === WebSocket.OPEN) game.socket.send(JSON.stringify(message));
}

function receive(message) {
  switch (message.type) {
    case "table": showTable(message); break;
    case "position": queue(message); break;
    case "presence": game.presence = message; showSeats(); break;
    case "hints": showHints(message); break;
    case "review": game.review.push(message); showReview(message); break;
    case "reviewed": if (message.of === 0) $("review").hidden = true; break;
    case "moved": location.hash = `seat=${message.token}`; break;
    case "notice": news(message.text); say(message.text); break;
    case "error": say(message.text); if (game.position) showPosition(game.position, false); break;
    case "closed": game.refused = true; status(message.text); break;
  }
}

// Positions are shown one after the other, so that moves can be followed.
function queue(message) {
  game.retry = 0;
  game.refused = false;
  const newest = game.waiting.at(-1) || game.position;
  if (newest && message.ply < newest.ply) game.waiting = [];
  game.waiting.push(message);
  if (game.waiting.length > MAX_WAITING) {
    for (const skipped of game.waiting.splice(0, game.waiting.length - 1)) noteMove(skipped);
  }
  if (game.timer === null) next();
}

function next() {
  game.timer = null;
  const message = game.waiting.shift();
  if (!message) return;
  noteMove(message);
  showPosition(message, true);
  const wasOwn = message.last && message.last.seat === message.seat;
  game.timer = setTimeout(next, wasOwn ? PACE_MS / 3 : PACE_MS);
}

function name(seat) {
  const who = game.table.seats[seat];
  if (seat === game.table.seat) return who.name === "You" ? "You" : `${who.name} (you)`;
  const isAlone = game.table.seats.filter((other) => other.name === who.name).length === 1;
  return isAlone ? who.name : `${who.name} ${seat}`;
}

function showTable(message) {
  game.table = message;
  game.moves = message.history.map((move, index) => ({ ...move, ply: message.first_ply + index + 1 }));
  game.position = null;
  game.waiting = [];
  $("where").textContent = ` · ${message.title}`;
  document.title = `${message.title} · Parlour`;
  $("moves").replaceChildren(...game.moves.map(moveLine));
  $("moves").scrollTop = $("moves").scrollHeight;
  showSeats();
  showLinks();
}

function noteMove(message) {
  if (!message.last || !game.table) return;
  const last = game.moves.at(-1);
  if (last && last.ply >= message.ply) return;
  const move = { ...message.last, ply: message.ply };
  game.moves.push(move);
  $("moves").append(moveLine(move));
  $("moves").scrollTop = $("moves").scrollHeight;
  if (move.seat !== game.table.seat) news(`${name(move.seat)}: ${move.action || "a hidden move"}`);
}

function moveLine(move) {
  return make("li", {}, make("span", { class: "number" }, `${move.ply}`),
    make("span", { class: "who" }, name(move.seat)),
    make("span", { class: "what" }, ...(move.action === null ? ["hidden"] : breakable(move.action))));
}

// A name that may be broken after each "+".
function breakable(action) {
  return action.split(/(?<=\+)/).flatMap((part) => [part, make("wbr")]);
}

function showPosition(message, animate) {
  game.position = message;
  game.lookingBack = null;
  game.values = null;
  say("");
  if (message.svg === null) {
    board.show("", {});
    $("board").replaceChildren(make("div", { class: "no-board" },
      "Hands are secret in this game: spectators see the moves that everybody sees."));
  } else board.show(message.svg, message.clicks, { animate });
  $("words").textContent = message.words || "";
  $("undo").disabled = !message.can_undo;
  $("redo").disabled = !message.can_redo;
  const isPlayer = message.seat !== null;
  const isHere = isPlayer && game.table.seats[message.seat].kind === "here";
  $("undo").hidden = $("redo").hidden = !isHere;
  $("hint").hidden = !isPlayer;
  $("again").hidden = $("turned").hidden = !isHere;
  showActions([], 0);
  showSeats();
  game.isOver = message.returns !== null;
  $("result").hidden = !game.isOver;
  if (game.isOver) finish(message);
  else {
    $("review").hidden = true;
    const isYours = message.legal.length > 0;
    $("status").classList.toggle("yours", isYours);
    const isForced = message.to_act === message.seat && message.seat !== null;
    if (!isForced || isYours) status(isYours ? "Your move" : `${name(message.to_act)} is thinking …`);
    if (isYours && game.hintsOn) askHints(); else $("hints").hidden = true;
  }
}

// Buttons: moves that cannot be clicked in the picture, and what the selection stands for.
function showActions(exact, numSelected) {
  const message = game.position;
  if (!message || game.lookingBack !== null) return;
  const focused = document.activeElement && document.activeElement.dataset.action;
  const plain = message.legal.filter((action) => !(message.clicks[action] || []).length);
  const chosen = exact.map((action) => actionButton(action, "primary", "Play "));
  const clear = numSelected
    ? [make("button", { class: "quiet", type: "button", on: { click: () => board.clear() } }, "Clear")] : [];
  $("actions").replaceChildren(...chosen, ...clear, ...plain.map((action) => actionButton(action, "", "")));
  if (focused) {
    const again = [...$("actions").children].find((each) => each.dataset.action === focused);
    if (again) again.focus();
  }
}

function actionButton(action, style, before) {
  const value = game.values && game.values[action];
  return make("button", { class: style, type: "button", "data-action": action, on: { click: () => play(action) } },
    make("b", {}, before + action),
    value === undefined || value === null ? null : make("span", { class: "value" }, signed(value)));
}

function play(action) {
  if (!game.position || game.lookingBack !== null) return;
  send({ type: "act", ply: game.position.ply, action });
  $("status").classList.remove("yours");
  for (const button of $("actions").querySelectorAll("button")) button.disabled = true;
}

function status(text) { if ($("status").textContent !== text) $("status").textContent = text; }
function news(text) { $("news").textContent = text; }
function say(text) { $("message").textContent = text; }

// Seats

function showSeats() {
  if (!game.table) return;
  const acts = game.position ? game.position.to_act : null;
  const connected = (game.presence && game.presence.connected) || [];
  const isHere = game.table.seat !== null && game.table.seats[game.table.seat].kind === "here";
  $("players").replaceChildren(...game.table.seats.map((who, seat) => {
    const isPlayer = who.kind === "player";
    const isOn = isPlayer || connected[seat];
    const line = make("li", { class: seat === acts ? "acts" : "" },
      make("span", { class: `dot ${isOn ? "on" : ""}` }),
      make("span", { class: "who" }, name(seat)),
      make("span", { class: "tag" }, `player ${seat}${isPlayer ? "" : isOn ? " · here" : " · away"}`));
    if (isHere && !isPlayer && !isOn && seat !== game.table.seat) {
      line.append(make("button", { type: "button", on: { click: () => takeOver(seat) } }, "Replace"));
    }
    return line;
  }));
}

function takeOver(seat) {
  const player = prompt("Which player takes this seat?", "random");
  if (player) send({ type: "take_over", seat, player });
}

function showLinks() {
  const links = JSON.parse(sessionStorage.getItem(`parlour.links.${game.token}`) || "[]");
  $("links").replaceChildren(...links.map(([who, token]) => {
    const address = `${location.origin}/#seat=${token}`;
    const button = make("button", { type: "button", class: "quiet", on: { click: async () => {
      await navigator.clipboard.writeText(address).catch(() => prompt("Copy this link", address));
      button.textContent = `${who}: copied`;
    } } }, `${who}: copy link`);
    return button;
  }));
}

// Hints

function askHints() { send({ type: "hint", player: "search" }); $("hint-source").textContent = "Thinking …"; $("hints").hidden = false; $("values").replaceChildren(); }

function showHints(message) {
  if (!game.position || message.ply !== game.position.ply || !game.hintsOn) return;
  game.values = message.values;
  const source = { exact: "Exact values", search: `Searched ${message.simulations.toLocaleString("en")} continuations` };
  $("hint-source").textContent = source[message.source] || `Estimated by ${message.source}`;
  $("values").replaceChildren(...valueBars(message.values));
  for (const button of $("actions").querySelectorAll("[data-action]")) {
    const value = message.values[button.dataset.action];
    let shown = button.querySelector(".value");
    if (value === undefined) continue;
    if (!shown) { shown = make("span", { class: "value" }); button.append(shown); }
    shown.textContent = signed(value);
  }
}

// The end

function finish(message) {
  $("hints").hidden = true;
  $("status").classList.remove("yours");
  const own = message.seat === null ? null : message.returns[message.seat];
  const best = Math.max(...message.returns);
  const winners = message.returns.flatMap((value, seat) => (value === best ? [name(seat)] : []));
  const isDraw = winners.length === message.returns.length;
  const headline = isDraw ? "A draw" : own === null ? `${winners.join(", ")} won`
    : own === best ? "You won" : own > 0 ? "Well played" : `${winners.join(", ")} won`;
  $("result").replaceChildren(headline, make("div", { class: "scores" },
    message.returns.map((value, seat) => `${name(seat)} ${signed(value)}`).join(" · ")));
  status(`The game is over: ${headline}`);
  if (message.seat !== null && game.review.length === 0) {
    send({ type: "review" });
    $("review").hidden = false;
    $("graph").replaceChildren("Looking back …");
    $("mistakes").replaceChildren();
  }
}

function showReview(message) {
  const rows = game.review;
  const points = rows.map((row) => ({ ply: row.ply, value: row.values[row.action] }));
  const worst = [...rows].filter((row) => row.regret >= 0.02).sort((a, b) => b.regret - a.regret).slice(0, 6);
  const marks = worst.map((row) => ({ ply: row.ply, value: row.values[row.action] }));
  $("graph").replaceChildren(valueGraph([points], { marks, current: game.lookingBack }));
  const isDone = message.count === message.of;
  const lines = worst.map((row) => make("li", {}, make("button", { type: "button", on: { click: () => lookBack(row) } },
    make("span", {}, `Move ${row.ply + 1}: ${row.action}, better ${bestOf(row)}`),
    make("span", { class: "lost" }, signed(-row.regret)))));
  $("mistakes").replaceChildren(...lines);
  if (isDone && !worst.length) $("mistakes").replaceChildren(make("li", { class: "dim" }, "No move lost anything to speak of."));
}

function bestOf(row) {
  return Object.entries(row.values).sort((a, b) => b[1] - a[1])[0][0];
}

function lookBack(row) {
  game.lookingBack = row.ply;
  board.show(row.svg, {}, { animate: true });
  $("hints").hidden = false;
  $("hint-source").textContent = row.source === "exact" ? "Exact values at this move" : "Searched values at this move";
  $("values").replaceChildren(...valueBars(row.values, row.action));
  $("actions").replaceChildren(make("button", { type: "button", class: "primary", on: { click: () => showPosition(game.position, true) } }, "Back to the end"));
  status(`Before move ${row.ply + 1}: you played ${row.action}`);
  showReview(game.review.at(-1));
}

// Tools

$("undo").addEventListener("click", () => send({ type: "undo" }));
$("redo").addEventListener("click", () => send({ type: "redo" }));
$("hint").addEventListener("click", () => {
  game.hintsOn = !game.hintsOn;
  $("hint").setAttribute("aria-pressed", String(game.hintsOn));
  if (!game.hintsOn) { send({ type: "no_hint" }); $("hints").hidden = true; }
  else if (game.position && game.position.legal.length) askHints();
});
$("again").addEventListener("click", () => send({ type: "again", deal: "new" }));
$("turned").addEventListener("click", () => send({ type: "again", deal: "same", turned: true }));
$("home").addEventListener("click", (event) => { event.preventDefault(); location.hash = ""; });
narrow.addEventListener("change", () => send({ type: "look", is_narrow: narrow.matches }));

function route() {
  const given = fragment();
  if (given.get("owner")) {
    owner.key = given.get("owner");
    given.delete("owner");
    history.replaceState(null, "", `#${given}`);
  }
  if (given.get("seat")) openTable(given.get("seat"));
  else { closeTable(); openSetup(); }
}
addEventListener("hashchange", route);
route();
