"use strict";
// Playing: one WebSocket for one seat. Everything shown comes from the messages for that seat.

const PACE_MS = 620; // between the moves of others, so that each can be followed
const MAX_WAITING = 12; // positions; with more, the page catches up at once
const MAX_SEEN = 600; // positions that one can look back at
const OTHER = "*"; // in a list of players: one that is named by hand
const TURNS_EXPLAINED = 2; // in which a newcomer is told what to click

const game = {
  socket: null, token: null, table: null, position: null, moves: [], waiting: [], timer: null,
  hintsOn: false, adviser: null, wantedAdviser: null, judgeOn: true, values: null, areChoices: false, review: [], isOver: false,
  lookingBack: null, sentAt: null, saidUntil: 0, unjudged: null, retry: 0, seen: new Map(), isPaused: false, owesMove: false, pace: 1, ownTurns: 0, judged: null,
};
const board = new Board($("board"), { onPlay: play, onSelect: showActions });
const narrow = matchMedia("(max-width: 640px)");

function openTable(token) {
  closeTable();
  $("setup").hidden = $("tools").hidden = $("about").hidden = true; // the last two until one is seated
  $("table").hidden = false;
  $("message").textContent = "";
  problem("");
  Object.assign(game, { token, table: null, position: null, moves: [], waiting: [], values: null, review: [], isOver: false, lookingBack: null, seen: new Map(), isPaused: false, owesMove: false, judged: null, unjudged: null, sentAt: null });
  closeWhy();
  showJudged();
  board.show("", {});
  $("result").hidden = $("review").hidden = true;
  $("moves").replaceChildren();
  status("Taking your seat …");
  connect();
}

function closeTable() {
  clearTimeout(game.timer);
  clearTimeout(game.reconnecting);
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
    game.retry = Math.min(game.retry + 1, 3);
    game.reconnecting = setTimeout(connect, 250 * 2 ** game.retry);
  };
}

function send(message) {
  if (game.socket && game.socket.readyState === WebSocket.OPEN) game.socket.send(JSON.stringify(message));
}

function receive(message) {
  switch (message.type) {
    case "table": showTable(message); break;
    case "position": queue(message); break;
    case "picture": showPicture(message); break;
    case "presence": game.presence = message; showSeats(); break;
    case "hints": showHints(message); break;
    case "judged": game.judged = message; showJudged(); break;
    case "explained": showWhy(message); break;
    case "match": status(`Game ${message.game} of ${message.of}`); break;
    case "review": game.review.push(message); showReview(message); break;
    case "reviewed": if (message.of === 0) $("review").hidden = true; break;
    case "moved": goTo(message.token); break;
    case "notice": news(message.text); say(message.text); break;
    case "error": showRefusal(message.text); break;
    case "closed": game.refused = true; status(message.text); break;
  }
}

// Positions are shown one after the other, so that moves can be followed.
function queue(message) {
  game.retry = 0;
  game.refused = false;
  const newest = game.waiting.at(-1) || game.position;
  if (newest && message.ply === newest.ply) { redraw(message); return; }
  if (newest && message.ply < newest.ply) game.waiting = [];
  game.waiting.push(message);
  if (game.waiting.length > MAX_WAITING && !isStill() && $("watching").hidden) {
    for (const skipped of game.waiting.splice(0, game.waiting.length - 1)) noteMove(skipped);
  }
  if (game.unjudged === message.ply - 1) askJudgement();
  if (game.timer === null) next(game.owesMove);
}

// The newest position again, drawn for another width: only the picture changes.
function redraw(message) {
  if (game.waiting.length) { game.waiting[game.waiting.length - 1] = message; return; }
  game.position = message;
  if (message.svg === null) return;
  game.seen.set(message.ply, message);
  if (game.lookingBack === null) board.show(message.svg, message.clicks, { animate: false });
}

// All other pictures were drawn for the former width: the one that is shown is asked for again.
function changeWidth() {
  for (const message of game.waiting) message.isStale = true;
  game.seen.clear();
  send({ type: "look", is_narrow: narrow.matches });
  const shown = game.lookingBack !== null ? game.lookingBack : game.waiting.length ? game.position.ply : null;
  if (shown !== null) send({ type: "look_back", ply: shown });
}

// The picture of one ply, which was asked for.
function showPicture(message) {
  if (message.svg === null || !game.position) return;
  game.seen.set(message.ply, message);
  if (game.lookingBack === message.ply) board.show(message.svg, {}, { animate: true });
  else if (game.lookingBack === null && game.position.ply === message.ply) {
    board.show(message.svg, game.position.clicks, { animate: false });
  }
}

// Whether the page waits, because the person has paused or looks back.
const isStill = () => game.isPaused || game.lookingBack !== null;

function next(isStep = false) {
  clearTimeout(game.timer);
  game.timer = null;
  if (isStill() && !isStep) return;
  const message = game.waiting.shift();
  game.owesMove = isStep && !message; // it is shown when it arrives
  if (!message) return;
  const isMove = noteMove(message);
  showPosition(message, true);
  if (isStep && !isMove) { next(true); return; }
  const wasOwn = message.last && message.last.seat === message.seat;
  game.timer = setTimeout(next, game.pace * (wasOwn ? PACE_MS / 3 : PACE_MS));
}

function name(seat) {
  const who = game.table.seats[seat];
  if (seat === game.table.seat) return who.name === OWN_NAME ? who.name : `${who.name} (you)`;
  if (who.name === OWN_NAME) return `player ${seat}`; // to all others
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
  const isWatched = message.seat === null && message.is_open;
  $("watching").hidden = !isWatched;
  $("adviser").replaceChildren(...message.advisers.map((each) => make("option", { value: each },
    each === "search" ? "a search, for as long as you think" : each === "exact" ? "the exact solution" : each)));
  game.adviser = message.advisers.includes(game.wantedAdviser) ? game.wantedAdviser : message.advisers[0];
  $("adviser").value = game.adviser;
  $("tools").hidden = $("about").hidden = false;
  showRules($("rules"), message.game);
  showSeats();
  showLinks();
}

// Return whether the move was not yet listed.
function noteMove(message) {
  if (!message.last || !game.table) return false;
  const last = game.moves.at(-1);
  if (last && last.ply >= message.ply) return false;
  const move = { ...message.last, ply: message.ply };
  game.moves.push(move);
  $("moves").append(moveLine(move));
  $("moves").scrollTop = $("moves").scrollHeight;
  if (move.seat !== game.table.seat) news(`${name(move.seat)}: ${move.action || "a hidden move"}`);
  return true;
}

// A move is a button: it shows the position after the move and, of a player, why it was chosen.
function moveLine(move) {
  const what = move.action === null ? ["hidden"] : breakable(move.action);
  return make("li", { "data-ply": String(move.ply) }, make("button", { type: "button", on: { click: () => lookAt(move) } },
    make("span", { class: "number" }, `${move.ply}`),
    make("span", { class: "who" }, name(move.seat)),
    make("span", { class: "what" }, ...what)));
}

function lookAt(move) {
  if (game.position && game.position.svg !== null) {
    const known = game.seen.get(move.ply);
    game.lookingBack = move.ply;
    if (known) board.show(known.svg, {}, { animate: true, mover: move.seat });
    else send({ type: "look_back", ply: move.ply }); // from before the page was opened
    $("actions").replaceChildren(make("button", { type: "button", class: "primary", on: { click: backToGame } }, "Back to the game"));
    $("board").parentNode.classList.remove("yours");
    status(`After move ${move.ply}: ${name(move.seat)} played ${move.action || "a hidden move"}`);
    markMove(move.ply);
  }
  if (isExplained(move)) askWhy(move);
}

function backToGame() {
  const newest = game.position;
  game.lookingBack = null;
  showPosition(newest, true);
  next();
}

function markMove(ply) {
  for (const line of $("moves").children) line.classList.toggle("now", line.dataset.ply === String(ply));
}

// Why a player chose its move

function isExplained(move) {
  const table = game.table;
  return isHelped() && (table.seat !== null || table.is_open) && move.seat !== table.seat && move.action !== null && table.seats[move.seat].kind === "player";
}

function askWhy(move) {
  $("why").hidden = false;
  $("reason").replaceChildren(`${name(move.seat)}: ${move.action} …`);
  $("reason-values").replaceChildren();
  send({ type: "explain", ply: move.ply - 1 });
}

function showWhy(message) {
  if ($("why").hidden) return;
  const about = message.about ? [make("p", { class: "dim" }, `${name(message.seat)}: `, ...prose(message.about))] : [];
  if (message.source === null) {
    $("reason").replaceChildren(make("p", {}, "Nothing can be said about this move: it was hidden, or too many hands are possible."), ...about);
    return;
  }
  const isOwn = game.table.seats[message.seat].name.split(":")[0] === message.source.split(":")[0];
  const who = { search: "A search", exact: "The exact solution" }[message.source] || (isOwn ? name(message.seat) : message.source);
  const deals = message.num_positions === 1 ? "" : `, on average over ${message.num_positions} deals that fit what you see`;
  const value = message.values[message.action];
  const reach = message.action in message.reaches ? ` ± ${message.reaches[message.action].toFixed(2)}` : "";
  $("reason").replaceChildren(
    make("p", {}, make("b", {}, message.action), ` — ${who} ${isOwn ? "expected" : "gives it"} ${signed(value)}${reach}${deals}.`),
    make("p", {}, message.num_moves < 1.05 ? "There was no other move." : `By these values it ${message.text}.`),
    ...about);
  $("reason-values").replaceChildren(...valueBars(message, message.action));
}

function closeWhy() { $("why").hidden = true; }

// What one's own last move lost, asked for once it has been made

const isHelped = () => game.table.has_help || game.isOver;
const isJudged = () => game.judgeOn && isHelped();

function askJudgement() {
  send({ type: "judge", ply: game.unjudged });
  game.unjudged = null;
}

function showJudged() {
  const found = game.judged;
  const parts = [];
  const last = [...game.moves].reverse().find((move) => game.table && isExplained(move));
  if (found && game.judgeOn && !game.isOver && game.moves.length > found.ply) {
    parts.push(make("span", {}, "Your move ", make("b", {}, found.action), " ", make("span", { class: found.regret > 0 ? "lost" : "best" }, found.text)));
  }
  if (last && !game.isOver) parts.push(make("button", { type: "button", class: "quiet", on: { click: () => askWhy(last) } }, `Why did ${name(last.seat)} play ${last.action}?`));
  $("judged").replaceChildren(...parts);
}

function showPosition(message, animate) {
  if (message !== game.position) game.sentAt = null;
  game.position = message;
  game.lookingBack = null;
  game.values = null;
  if (message.svg !== null && message.isStale) send({ type: "look_back", ply: message.ply });
  else if (message.svg !== null) game.seen.set(message.ply, message);
  for (const ply of [...game.seen.keys()].filter((each) => each > message.ply).concat(game.seen.size > MAX_SEEN ? [Math.min(...game.seen.keys())] : [])) game.seen.delete(ply);
  if (game.judged && game.judged.ply >= message.ply) game.judged = null;
  markMove(null);
  if (message.ply > game.saidUntil) say("");
  if (message.svg === null) {
    board.show("", {});
    $("board").replaceChildren(make("div", { class: "no-board" },
      "Hands are secret in this game: spectators see the moves that everybody sees."));
  } else {
    const mover = message.last && message.last.seat;
    const isOther = animate && message.last && mover !== message.seat;
    board.show(message.svg, message.clicks, { animate, mover, said: isOther ? message.last.action || "hidden" : null });
  }
  $("words").textContent = message.words || "";
  $("undo").disabled = !message.can_undo;
  $("redo").disabled = !message.can_redo;
  const isPlayer = message.seat !== null;
  const isHere = isPlayer && game.table.seats[message.seat].kind === "here";
  $("undo").hidden = $("redo").hidden = !isHere;
  $("hint").hidden = $("judge").hidden = !isPlayer || !game.table.has_help;
  $("again").hidden = $("turned").hidden = !isHere;
  showActions([], 0);
  showSeats();
  game.isOver = message.returns !== null;
  $("result").hidden = !game.isOver;
  const isTurn = isYours(message);
  $("board").parentNode.classList.toggle("yours", isTurn);
  document.title = `${isTurn ? "● " : ""}${game.table.title} · Parlour`;
  showJudged();
  if (game.isOver) finish(message);
  else {
    $("review").hidden = true;
    showTurn(message);
    if (isTurn && game.hintsOn && isHelped()) askHints(); else $("hints").hidden = true;
  }
}

const isYours = (message) => message.legal.length > 0;

function showTurn(message) {
  $("status").classList.toggle("yours", isYours(message));
  const isForced = message.to_act === message.seat && message.seat !== null;
  if (isYours(message)) status(yourMove(message));
  else if (!isForced) status(`${name(message.to_act)} ${$("watching").hidden ? "is thinking …" : "is to move"}`);
}

// Say why a request was refused; what the person can do is as it was.
function showRefusal(text) {
  game.sentAt = null;
  if (game.position && !game.isOver && game.lookingBack === null) {
    showTurn(game.position);
    board.clear();
  }
  say(text);
}

// What a person is told in their turn: at first also how to move.
function yourMove(message) {
  if (game.lastTurn !== message.ply) game.ownTurns += 1;
  game.lastTurn = message.ply;
  if (game.ownTurns > TURNS_EXPLAINED) return "Your move";
  const canClick = Object.values(message.clicks).some((parts) => parts.length);
  const canPress = message.legal.some((action) => !(message.clicks[action] || []).length);
  return `Your move: ${[canClick ? "click what glows" : "", canPress ? "press a button below" : ""].filter(Boolean).join(", or ")}`;
}

// Buttons: moves that cannot be clicked in the picture, and what the selection stands for.
function showActions(exact, numSelected) {
  const message = game.position;
  if (!message || game.lookingBack !== null) return;
  const focused = document.activeElement && document.activeElement.dataset.action;
  const plain = message.legal.filter((action) => !(message.clicks[action] || []).length);
  const chosen = exact.map((action) => actionButton(action, "primary", "Play "));
  const missing = numSelected ? board.missing() : 0;
  const clear = numSelected ? [
    make("span", { class: "dim", role: "status" }, `${numSelected} chosen${missing ? `, at least ${missing} more` : ""}`),
    make("button", { class: "quiet", type: "button", on: { click: () => board.clear() } }, "Clear")] : [];
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
    value === undefined || value === null ? null : make("span", { class: "value" }, shownValue(value)));
}

function shownValue(value) { return game.areChoices ? percent(value) : signed(value); }

function play(action) {
  if (!game.position || game.lookingBack !== null || game.sentAt === game.position.ply) return;
  say("");
  send({ type: "act", ply: game.position.ply, action });
  game.sentAt = game.position.ply; // the second half of a double click plays nothing
  game.unjudged = isJudged() && game.position.legal.length > 1 ? game.position.ply : null;
  $("status").classList.remove("yours");
  for (const button of $("actions").querySelectorAll("button")) button.disabled = true;
}

// What goes on; at the end it is only read aloud, because the result stands above it.
function status(text, isRead = false) {
  $("status").classList.toggle("visually-hidden", isRead);
  if ($("status").textContent !== text) $("status").textContent = text;
}
function news(text) { $("news").textContent = text; }

// Say that something went wrong: for a round, so that it can be read, or until the person moves.
function say(text) {
  $("message").textContent = text;
  const newest = game.waiting.at(-1) || game.position;
  game.saidUntil = newest ? newest.ply + game.table.seats.length : 0;
}

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
      line.append(replacements(seat));
    }
    return line;
  }));
}

// The players that can take the seat of somebody who has left.
function replacements(seat) {
  const players = game.table.advisers.filter((each) => !["search", "exact"].includes(each));
  const choice = make("select", { "aria-label": `A player for the seat of ${name(seat)}`, on: { change: () => {
    const other = "Name a player with its settings, such as mcts:milliseconds=200";
    const player = choice.value === OTHER ? prompt(other, "") : choice.value;
    if (player) send({ type: "take_over", seat, player });
    choice.value = "";
  } } }, make("option", { value: "" }, "Replace by …"),
  ...players.map((player) => make("option", { value: player }, player)),
  make("option", { value: OTHER }, "another …"));
  return choice;
}

// The links for others, which the server gives to the person who started it.
async function showLinks() {
  const token = game.token;
  const links = owner.key ? await ask("/api/links", { token }).catch(() => []) : [];
  if (token === game.token) $("links").replaceChildren(...links.map(([who, token]) => {
    const address = `${location.origin}/#seat=${token}`;
    const button = make("button", { type: "button", class: "quiet", on: { click: async () => {
      await navigator.clipboard.writeText(address).catch(() => prompt("Copy this link", address));
      button.textContent = `${who}: copied`;
    } } }, `${who}: copy link`);
    return button;
  }));
}

// Hints

function askHints() {
  send({ type: "hint", player: game.adviser });
  $("hints-title").textContent = "Hints";
  $("adviser-row").hidden = false;
  $("hint-source").textContent = "Thinking …";
  $("hints").hidden = false;
  $("values").replaceChildren();
}

function sourceOf(message) {
  if (message.are_choices) return `What ${message.source} would play, asked ${message.simulations} times`;
  const source = { exact: "Exact values", search: `Searched ${message.simulations.toLocaleString("en")} continuations` };
  if (!source[message.source] && message.simulations) return `${message.simulations} searches by ${message.source}`;
  return source[message.source] || `Estimated by ${message.source}`;
}

function showHints(message) {
  if (!game.position || message.ply !== game.position.ply || !game.hintsOn || game.lookingBack !== null) return;
  game.values = message.values;
  game.areChoices = message.are_choices;
  $("hint-source").textContent = sourceOf(message);
  $("values").replaceChildren(...valueBars(message));
  board.advise(bestOf(message));
  for (const button of $("actions").querySelectorAll("[data-action]")) {
    const value = message.values[button.dataset.action];
    let shown = button.querySelector(".value");
    if (value === undefined) continue;
    if (!shown) { shown = make("span", { class: "value" }); button.append(shown); }
    shown.textContent = shownValue(value);
  }
}

// The end

function finish(message) {
  $("hints").hidden = true;
  $("status").classList.remove("yours");
  const own = message.seat === null ? null : message.returns[message.seat];
  const best = Math.max(...message.returns);
  const winners = message.returns.flatMap((value, seat) => (value === best ? [name(seat)] : []));
  const places = [...message.returns.entries()].sort((a, b) => b[1] - a[1]);
  const isDraw = winners.length === message.returns.length;
  const headline = isDraw ? "A draw" : own === null ? `${winners.join(", ")} won`
    : own === best ? "You won" : own > 0 ? "Well played" : `${winners.join(", ")} won`;
  const isHere = message.seat !== null && game.table.seats[message.seat].kind === "here";
  const again = isHere ? [make("div", { class: "row" },
    make("button", { type: "button", class: "primary", id: "play-again", on: { click: () => send({ type: "again", deal: "new" }) } }, "Play again"),
    make("button", { type: "button", on: { click: () => send({ type: "again", deal: "same", turned: true }) } }, "Same deal, next seat"))] : [];
  $("result").replaceChildren(headline, make("div", { class: "scores" },
    places.map(([seat, value]) => `${name(seat)} ${signed(value)}`).join(" · ")), ...again);
  $("watching").hidden = true;
  status(`The game is over: ${headline}`, true);
  if (message.seat !== null && game.review.length === 0) {
    send({ type: "review" });
    $("review").hidden = false;
    $("graph").replaceChildren("Looking back …");
    $("mistakes").replaceChildren();
  }
}

function showReview(message) {
  const rows = game.review;
  const point = (row) => (row.action in row.values ? [{ ply: row.ply, value: row.values[row.action] }] : []);
  const points = rows.flatMap(point);
  const worst = rows.filter((row) => row.regret > 0).sort((a, b) => b.regret - a.regret).slice(0, 6);
  const marks = worst.flatMap(point);
  $("graph").replaceChildren(valueGraph([points], { marks, current: game.lookingBack }));
  const isDone = message.count === message.of;
  const lines = worst.map((row) => make("li", {}, make("button", { type: "button", on: { click: () => lookBack(row) } },
    make("span", {}, `Move ${row.ply + 1}: ${row.action} ${row.text}`),
    make("span", { class: "lost" }, signed(-row.regret)))));
  $("mistakes").replaceChildren(...lines);
  if (isDone && !worst.length) $("mistakes").replaceChildren(make("li", { class: "dim" }, "No move is known to have lost anything."));
}

function bestOf(row) { // undefined where no move has a value yet
  return Object.entries(row.values).sort((a, b) => b[1] - a[1])[0]?.[0];
}

function lookBack(row) {
  game.lookingBack = row.ply;
  board.show(row.svg, {}, { animate: true });
  $("hints").hidden = false;
  $("adviser-row").hidden = true;
  $("hints-title").textContent = `Move ${row.ply + 1}`;
  $("hint-source").textContent = sourceOf(row);
  $("values").replaceChildren(...valueBars(row, row.action));
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
  if (!game.hintsOn) { send({ type: "no_hint" }); $("hints").hidden = true; board.advise(null); }
  else if (game.position && game.position.legal.length) askHints();
});
$("adviser").addEventListener("change", () => {
  game.adviser = game.wantedAdviser = $("adviser").value;
  if (game.position && game.position.legal.length) askHints();
});
$("judge").addEventListener("click", () => {
  game.judgeOn = !game.judgeOn;
  $("judge").setAttribute("aria-pressed", String(game.judgeOn));
  showJudged();
});
$("why-close").addEventListener("click", closeWhy);
$("pause").addEventListener("click", () => {
  game.isPaused = !game.isPaused;
  $("pause").textContent = game.isPaused ? "Go on" : "Pause";
  next();
});
$("step").addEventListener("click", () => {
  if (!game.isPaused) $("pause").click();
  game.lookingBack = null;
  next(true);
});
$("pace").addEventListener("change", () => { game.pace = Number($("pace").value); });
$("again").addEventListener("click", () => send({ type: "again", deal: "new" }));
$("turned").addEventListener("click", () => send({ type: "again", deal: "same", turned: true }));
$("home").addEventListener("click", (event) => { event.preventDefault(); location.hash = ""; });
narrow.addEventListener("change", changeWidth);

// Tokens and keys do not stay in the address, where they would be seen, kept and sent on: the token
// of a table is in the state of its entry in the history, which a reload keeps.
function route() {
  const given = fragment();
  const [key, seat] = [given.get("owner"), given.get("seat")];
  given.delete("owner");
  if (key) owner.key = key;
  if (seat) history.replaceState({ seat }, "", "#table");
  else if (key) history.replaceState(null, "", `#${given}`);
  const token = history.state?.seat;
  if (token) openTable(token);
  else { closeTable(); openSetup(); }
}

function goTo(token) {
  history.pushState({ seat: token }, "", "#table");
  route();
}
addEventListener("popstate", route);
route();
