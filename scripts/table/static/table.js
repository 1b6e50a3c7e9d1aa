"use strict";
// Playing: one WebSocket for one seat. Everything shown comes from the messages for that seat.

const PACE_MS = 620; // between the moves of others, so that each can be followed
const TAKEN_MS = 1500; // after a move with which somebody takes the cards on the table
const MAX_WAITING = 12; // positions; with more, the page catches up at once
const MAX_SEEN = 600; // positions that one can look back at
const NO_SEAT = "no seat has this token"; // so a refusal begins
const NO_SEAT_TEXT = "No seat has this link: the table was deleted, or a part of the link is missing. Ask for it again.";
const TURN_ICON = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="8" fill="#f2c14e"/><path d="M5 8h6M8 5l3 3-3 3" stroke="#2b1d05" stroke-width="2" fill="none"/></svg>')}`;
const TURNS_EXPLAINED = 2; // in which a newcomer is told what to click

const game = {
  socket: null, token: null, table: null, position: null, moves: [], waiting: [], timer: null,
  hintsOn: false, wantedAdviser: null, judgeOn: true, hints: null, review: [], isOver: false,
  lookingBack: null, isReviewing: false, sentAt: null, saidUntil: 0, unjudged: null, retry: 0, seen: new Map(), isPaused: false, owesMove: false, pace: 1, ownTurns: 0, judged: null,
};
const board = new Board($("board"), { onPlay: play, onSelect: showActions });

function openTable(token) {
  closeTable();
  $("setup").hidden = $("tools").hidden = $("about").hidden = $("lost").hidden = $("editor").hidden = true; // the last two until one is seated
  $("table").hidden = false;
  $("message").textContent = $("unkept").textContent = "";
  problem("");
  Object.assign(game, { token, table: null, position: null, moves: [], waiting: [], hints: null, review: [], isOver: false, lookingBack: null, isReviewing: false, seen: new Map(), isPaused: false, owesMove: false, judged: null, unjudged: null, sentAt: null });
  closeWhy();
  showJudged();
  $("lobby").hidden = true;
  board.show("", {});
  $("result").hidden = $("review").hidden = true;
  $("moves").replaceChildren();
  $("view").replaceChildren();
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
  socket.onopen = () => { send({ type: "sit", token: game.token, is_narrow: narrow.matches }); if ($("view").value) changeWidth(); };
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
    case "presence": game.presence = message; showAgreed(); if (message.left !== null) game.turnSince = Date.now() - 1000 * (game.table.move_seconds - message.left); showSeats(); if (game.table.is_waiting) showLobby(); else if (game.position && !game.isOver && game.lookingBack === null) showTurn(game.position); break;
    case "hints": showHints(message); break;
    case "judged": game.judged = message; showJudged(); break;
    case "explained": showWhy(message); break;
    case "store": $("unkept").textContent = message.problem === null ? "" : `Games are not kept now, and no move counts: ${message.problem}.`; break;
    case "shared": showShared(message); break;
    case "review": receiveReview(message); break;
    case "reviewed": if (message.of === 0) $("review").hidden = true; break;
    case "moved": goTo(message.token); break;
    case "notice": news(message.text); say(message.text); break;
    case "error": showRefusal(message.text); break;
    case "closed": game.refused = true; if (game.table) status(message.text); else lost(message.text.startsWith(NO_SEAT) ? NO_SEAT_TEXT : `${message.text[0].toUpperCase()}${message.text.slice(1)}.`); break;
  }
}

// Positions are shown one after the other, so that moves can be followed.
function queue(message) {
  game.retry = 0;
  game.refused = false;
  const newest = game.waiting.at(-1) || game.position;
  if (message.ply !== newest?.ply) game.turnSince = Date.now();
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
  if (game.lookingBack !== null) return;
  board.show(message.svg, message.clicks, { animate: false });
  if (game.hints) board.advise(game.hints);
}

// All other pictures were drawn for the former width or view: the one that is shown is asked for again.
function changeWidth() {
  for (const message of game.waiting) message.isStale = true;
  game.seen.clear();
  const seat = $("view").value;
  send({ type: "look", is_narrow: narrow.matches, ...(seat ? { seat: Number(seat) } : {}) });
  const shown = game.lookingBack !== null ? game.lookingBack : game.waiting.length ? game.position.ply : null;
  if (shown !== null && !game.isReviewing) send({ type: "look_back", ply: shown });
  if (game.review.length) askReview();
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
  const won = board.won();
  showPosition(message, true);
  if (isMove || message.legal.length) knock();
  if (isStep && !isMove) { next(true); return; }
  const wasOwn = message.last && message.last.seat === message.seat;
  const wait = board.won() !== won ? TAKEN_MS : wasOwn ? PACE_MS / 3 : PACE_MS;
  game.timer = setTimeout(next, game.pace * wait);
}

const name = (seat) => game.table.seats[seat].name;

function showTable(message) {
  game.table = message;
  Object.assign(words, { icons: message.icons, scale: message.scale });
  game.moves = message.history.map((move, index) => ({ ...move, ply: message.first_ply + index + 1 }));
  game.position = null;
  game.waiting = [];
  $("where").textContent = ` · ${message.title}`;
  document.title = `${message.title} · Parlour`;
  $("moves").replaceChildren(...game.moves.map(listed));
  $("no-moves").hidden = game.moves.length > 0;
  $("moves").scrollTop = $("moves").scrollHeight;
  const isWatched = message.seat === null && message.is_open;
  $("watching").hidden = !isWatched;
  message.advised = Object.fromEntries(message.advisers.map((each, rank) => [each, message.adviser_labels[rank]]));
  $("adviser").replaceChildren(...Object.entries(message.advised).map(([value, label]) => make("option", { value }, label)));
  $("second").replaceChildren(make("option", { value: "" }, "nobody else"), ...Object.entries(message.advised).map(([value, label]) => make("option", { value }, label)));
  $("adviser").value = game.wantedAdviser in message.advised ? game.wantedAdviser : message.advisers[0];
  $("tools").hidden = $("about").hidden = false;
  const view = $("view").value;
  $("view").replaceChildren(make("option", { value: "" }, message.seat === null ? "above" : "your seat"), ...message.seats.map((who, seat) => make("option", { value: String(seat) }, who.name)));
  $("view").value = view;
  showRules($("rules"), message.game);
  if (game.wantsSound === undefined) setSound(message.seats.some((who) => who.kind === "remote" || who.kind === "free"));
  showSeats();
  showLinks();
  showLobby();
}

// Before the start: who has which chair; guests take the free ones, and the owner's page starts.
function showLobby() {
  const { seats, seat, is_waiting: isWaiting } = game.table;
  const free = seats.filter((who) => who.kind === "free").length;
  const canTake = seat === null && free > 0;
  $("lobby").hidden = !isWaiting;
  $("board").parentNode.hidden = isWaiting;
  if (!isWaiting) return;
  $("tools").hidden = $("about").hidden = true;
  $("guest").hidden = !canTake;
  $("chairs").replaceChildren(...seats.map((who, number) => make("li", {}, make("span", { class: `dot ${who.kind === "free" ? "" : "on"}` }), make("span", { class: "who" }, who.name),
    canTake && who.kind === "free" ? make("button", { type: "button", "aria-label": `Sit down on chair ${number + 1}`, on: { click: () => send({ type: "take", seat: number, name: $("guest-name").value }) } }, "Sit down") : null)));
  $("begin").hidden = !owner.key;
  $("begin").textContent = free ? `Start, with players on ${free} free chair${free === 1 ? "" : "s"}` : "Start";
  const soon = owner.key ? "Start when everybody has a chair" : seat === null ? "The game has not started" : "You have a chair: the game starts soon";
  status(canTake ? "Type your name and take a chair, or watch" : soon);
}

function setSound(isOn) {
  game.wantsSound = isOn;
  $("sound").setAttribute("aria-pressed", String(isOn));
}

// A short sound for a move, and a rising one for one's turn, if the person wants sounds.
function knock() {
  if (!game.wantsSound) return;
  game.audio ||= new AudioContext();
  const start = game.audio.currentTime;
  (game.position.legal.length ? [520, 780] : [330]).forEach((frequency, index) => {
    const [tone, gain, at] = [game.audio.createOscillator(), game.audio.createGain(), start + 0.14 * index];
    tone.frequency.value = frequency;
    gain.gain.setValueAtTime(0.12, at);
    gain.gain.exponentialRampToValueAtTime(0.001, at + 0.12);
    tone.connect(gain).connect(game.audio.destination);
    tone.start(at);
    tone.stop(at + 0.12);
  });
}

// Return whether the move was not yet listed.
function noteMove(message) {
  if (!message.last || !game.table) return false;
  const last = game.moves.at(-1);
  if (last && last.ply >= message.ply) return false;
  const move = { ...message.last, ply: message.ply };
  game.moves.push(move);
  $("moves").append(listed(move));
  $("moves").scrollTop = $("moves").scrollHeight;
  if (move.seat !== game.table.seat) news(`${name(move.seat)}: ${said(move)}`);
  $("no-moves").hidden = true;
  return true;
}

// A move in the list: it shows the position after the move and, of a player, why it was chosen.
const listed = (move) => moveLine(move.ply, name(move.seat), worded(said(move)), () => lookAt(move));

function lookAt(move, isAsked = true) {
  if (game.position && game.position.svg !== null) {
    const known = game.seen.get(move.ply);
    game.lookingBack = move.ply;
    game.isReviewing = false;
    if (known) board.show(known.svg, {}, { animate: true, mover: move.seat });
    else send({ type: "look_back", ply: move.ply }); // from before the page was opened
    backButtons(backToGame, move.ply);
    $("board").parentNode.classList.remove("yours");
    status(`After move ${move.ply}, ${name(move.seat)}: ${said(move)}`);
    markMove(move.ply);
  }
  if (isAsked && isExplained(move)) askWhy(move);
}

// Buttons while one looks back: to the game, and to play on from here.
function backButtons(back, ply) {
  standBeside(null);
  $("result").hidden = true; // until then
  const buttons = [make("button", { type: "button", class: "primary", on: { click: back } }, game.isOver ? "Back to the end" : "Back to the game")];
  if (mayStudy()) buttons.push(make("button", { type: "button", on: { click: () => send({ type: "again", deal: "same", ply }) } }, "Play on from here"));
  $("actions").replaceChildren(...buttons);
}

// Whether the person may know the deal: after the end, or alone with players.
function mayStudy() {
  const { seats, seat } = game.table;
  return seat !== null && seats[seat].kind === "here" && (game.isOver || seats.every((who, other) => other === seat || who.kind === "player"));
}

// The arrow keys go through the moves.
addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || $("table").hidden || !game.position || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
  const ply = (game.lookingBack ?? game.position.ply) + step;
  const move = game.moves.find((each) => each.ply === ply);
  if (ply >= game.position.ply) { if (game.lookingBack !== null) backToGame(); } else if (move) lookAt(move, false);
  else return;
  event.preventDefault();
});

// A link to the game and a file of it; both hold the deal and all moves.
function showShared({ type, ...made }) {
  const address = `${location.origin}/#open=${encodeURIComponent(JSON.stringify(made))}`;
  navigator.clipboard.writeText(address).catch(() => prompt("Copy this link", address));
  const file = `data:application/json,${encodeURIComponent(JSON.stringify(made))}`;
  $("share").replaceChildren(make("span", { class: "dim" }, "The link is copied. "), make("a", { class: "button", href: file, download: `${made.game}-${made.seed}.json` }, "Save as a file"), make("span", { class: "dim" }, ` Deal ${made.seed}`));
  const { token, table: { seat, can_arrange: canArrange } } = game;
  const play = async (deal) => goTo((await ask("/api/tables", { token, deal })).tokens[seat]);
  if (canArrange) $("share").append(make("button", { type: "button", id: "arrange-this", on: { click: () => openEditor(made, play) } }, "Change the position"));
  news("The link is copied.");
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
  $("reason").replaceChildren(`${name(move.seat)}: ${said(move)} …`);
  $("reason-values").replaceChildren();
  send({ type: "explain", ply: move.ply - 1 });
}

function showWhy(message) {
  if ($("why").hidden) return;
  const about = message.about ? [make("p", { class: "dim" }, `${name(message.seat)}: `, ...worded(message.about))] : [];
  if (message.source === null) {
    $("reason").replaceChildren(make("p", {}, "Nothing can be said about this move: it was hidden, or too many hands are possible."), ...about);
    return;
  }
  const who = { search: "a search", exact: "the exact solution" }[message.source] || name(message.seat);
  const deals = message.num_positions === 1 ? "" : `, on average over ${message.num_positions} deals that fit what you see`;
  const value = message.values[message.action];
  $("reason").replaceChildren(
    make("p", {}, make("b", {}, ...worded(called(message.action, message.labels))), `: about ${shown(value)}${reachOf(message.action, message.reaches)}, says ${who}${deals}.`),
    make("p", {}, message.num_moves < 1.05 || Object.keys(message.values).length < 2 ? "There was no other move to compare it with." : `By these values it ${message.text}.`),
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
  if (found && game.judgeOn && !game.isOver && game.moves.length > found.ply)
    parts.push(make("details", { class: "judgement" }, make("summary", { class: found.regret > 0 ? "lost" : "best" }, found.regret > 0 ? `${SHAPES.better} Your last move: −${lossOf(found.regret)}` : `${SHAPES.played} Your last move: no mistake found`),
      make("p", { class: "panel" }, make("b", {}, ...worded(called(found.action, found.labels))), " ", ...worded(found.text))));
  if (last && !game.isOver) parts.push(make("button", { type: "button", class: "quiet", on: { click: () => askWhy(last) } }, `${name(last.seat)}: ${said(last)}. Why?`));
  $("judged").hidden = game.isOver;
  $("judged").replaceChildren(...parts);
}

function showPosition(message, animate) {
  if (message !== game.position) game.sentAt = null;
  game.position = message;
  if (game.table.is_waiting) return;
  game.lookingBack = null;
  game.isReviewing = false;
  game.hints = null;
  if (message.svg !== null && message.isStale) send({ type: "look_back", ply: message.ply });
  else if (message.svg !== null) game.seen.set(message.ply, message);
  for (const ply of [...game.seen.keys()].filter((each) => each > message.ply).concat(game.seen.size > MAX_SEEN ? [Math.min(...game.seen.keys())] : [])) game.seen.delete(ply);
  if (game.judged && game.judged.ply >= message.ply) game.judged = null;
  markMove(null);
  if (message.ply > game.saidUntil) say("");
  if (message.svg === null) {
    board.show("", {});
    $("board").replaceChildren(make("div", { class: "no-board" },
      "Hands are secret in this game: those who watch see the moves that everybody sees, in the list of moves."));
  } else {
    const mover = message.last && message.last.seat;
    const isOther = animate && message.last && mover !== message.seat;
    board.show(message.svg, message.clicks, { animate, mover, said: isOther ? said(message.last) : null });
  }
  $("words").textContent = message.words || "";
  $("words").parentNode.hidden = !message.words;
  $("undo").disabled = !message.can_undo;
  $("redo").disabled = !message.can_redo;
  const isPlayer = message.seat !== null;
  const isHere = isPlayer && game.table.seats[message.seat].kind === "here";
  $("undo").hidden = $("redo").hidden = !isHere;
  game.isOver = message.returns !== null;
  $("hint").hidden = $("judge").hidden = game.isOver || !isPlayer || !game.table.has_help;
  $("again").hidden = $("turned").hidden = game.isOver || !isHere; // they then stand at the result
  $("resign").hidden = game.isOver || !isPlayer;
  $("view").parentNode.hidden = !(game.table.is_open || !game.table.has_hidden || (game.isOver && isPlayer));
  showActions([], 0);
  showSeats();
  $("share-game").hidden = !mayStudy();
  $("share").replaceChildren();
  $("result").hidden = !game.isOver;
  const isTurn = isYours(message);
  $("board").parentNode.classList.toggle("yours", isTurn);
  document.title = `${isTurn ? "● Your turn · " : ""}${game.table.title} · Parlour`;
  document.querySelector("link[rel=icon]").href = isTurn ? TURN_ICON : "/icon.svg";
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
  else if (!isForced) status(`${name(message.to_act)} ${doing(message.to_act)}`);
}

// What somebody to act is doing.
function doing(seat) {
  if (game.table.seats[seat].kind !== "player") return isHere(seat) ? "is to move" : "is away: the game goes on when the link is opened again";
  return $("watching").hidden ? "is thinking …" : "is to move";
}
const isHere = (seat) => Boolean(game.presence && game.presence.connected[seat]);

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
  return `Your move: ${[canClick ? "click what is outlined" : "", canPress ? "press a button" : ""].filter(Boolean).join(", or ")}`;
}

// Buttons: moves that cannot be clicked in the picture, and what the selection stands for.
function showActions(exact, numSelected) {
  const message = game.position;
  if (!message || game.lookingBack !== null) return;
  const focused = document.activeElement && document.activeElement.dataset.action;
  const plain = message.legal.filter((action) => !(message.clicks[action] || []).length);
  const chosen = exact.map((action, rank) => actionButton(action, rank ? "" : "primary"));
  const missing = numSelected ? board.missing() : 0;
  const clear = numSelected ? [
    make("span", { class: "dim", role: "status" }, missing ? `${numSelected} chosen, ${missing} more` : ""),
    make("button", { class: "quiet", type: "button", on: { click: () => board.clear() } }, "Clear")] : [];
  $("actions").replaceChildren(...chosen, ...clear, ...plain.map((action) => actionButton(action, "")));
  standBeside(chosen.length ? board.spot() : null);
  if (focused) {
    const again = [...$("actions").children].find((each) => each.dataset.action === focused);
    if (again) again.focus();
  }
}

// Let the buttons stand at a chosen card, or above the board.
function standBeside(spot) {
  const [bar, column] = [$("actions"), $("actions").closest("#table > div").getBoundingClientRect()];
  bar.classList.toggle("at-card", Boolean(spot));
  const left = spot ? Math.max(0, Math.min(column.width - bar.offsetWidth, spot.x + spot.width / 2 - column.x - bar.offsetWidth / 2)) : 0;
  bar.style.left = `${left}px`;
  bar.style.top = spot ? `${spot.bottom - column.y + 8}px` : "";
}

function actionButton(action, style) {
  const label = called(action, game.position.labels);
  const value = game.hints && shownValue(game.hints, action);
  return make("button", { class: style, type: "button", "data-action": action, on: { click: () => play(action) } },
    make("b", {}, ...worded(label[0].toUpperCase() + label.slice(1))),
    value ? make("span", { class: "value" }, value) : null);
}

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
  const isOwner = game.table.seat !== null && game.table.seats[game.table.seat].kind === "here";
  $("players").replaceChildren(...game.table.seats.map((who, seat) => {
    const isPlayer = who.kind === "player";
    const isOn = isPlayer || connected[seat];
    const [level, code] = game.table.levels[seat];
    const line = make("li", { class: seat === acts ? "acts" : "" },
      make("span", { class: `dot ${isOn ? "on" : ""}` }),
      make("span", { class: "who", title: code }, name(seat)),
      make("span", { class: "tag" }, [level, isPlayer || seat === game.table.seat ? "" : isOn ? "here" : "away", game.position ? game.position.scores[seat] : ""].filter(Boolean).join(" · ")));
    if (isOwner && !isPlayer && !isOn && seat !== game.table.seat) line.append(replacements(seat));
    return line;
  }));
}

// The players that can take the seat of somebody who has left.
function replacements(seat) {
  const players = Object.entries(game.table.advised).filter(([each]) => !["search", "exact"].includes(each));
  const choice = make("select", { "aria-label": `A player for the seat of ${name(seat)}`, on: { change: () => {
    send({ type: "take_over", seat, player: choice.value });
    choice.value = "";
  } } }, make("option", { value: "" }, "Replace by …"),
  ...players.map(([value, label]) => make("option", { value }, label)));
  return choice;
}

// The links for others, which the server gives to the person who started it: the table's own, also
// as a code to scan, is for guests who take a chair and for those who watch.
async function showLinks() {
  const token = game.token;
  const links = owner.key ? await ask("/api/links", { token }).catch(() => null) : null;
  if (token !== game.token) return;
  $("links").replaceChildren(...(links ? [...links.seats, [game.table.is_waiting ? "All guests" : "To watch", links.link]].map(linkButton) : []));
  $("code").replaceChildren(...(links ? [make("img", { src: links.code, alt: "The link of this table as a code to scan" }), make("p", {}, links.link), linkButton(["All guests", links.link])] : []));
}

function linkButton([who, address]) {
  const button = make("button", { type: "button", class: "quiet", on: { click: async () => {
    await navigator.clipboard.writeText(address).catch(() => prompt("Copy this link", address));
    button.textContent = `${who}: copied`;
  } } }, `${who}: copy link`);
  return button;
}

// Hints

function askHints() {
  const second = $("second").value;
  send({ type: "hint", player: $("adviser").value, ...(second ? { second } : {}) });
  showValues("Hints", "Thinking …", []);
  $("second-source").textContent = second ? "Thinking …" : "";
}

// Lines of values beside the board: of hints, whose advisers are chosen there, or of one move.
function showValues(title, source, lines, isOneMove = false) {
  $("hints").hidden = false;
  $("hints-title").textContent = title;
  $("adviser-row").hidden = $("second-row").hidden = isOneMove;
  $("hint-source").textContent = source;
  $("values").replaceChildren(...lines);
  $("second-source").textContent = "";
  $("second-values").replaceChildren();
}

const renewHints = () => { if (game.position && game.position.legal.length) askHints(); };

function sourceOf(message) {
  const who = game.table.advised[message.source] || message.source;
  if (message.are_choices) return `What ${who} would play, asked ${message.simulations} times`;
  const source = { exact: "Exact values", search: `Searched ${message.simulations.toLocaleString("en")} continuations` };
  if (!source[message.source] && message.simulations) return `Estimated by ${who}, on average over ${message.simulations} searches`;
  return source[message.source] || `Estimated by ${who}`;
}

function showHints(message) {
  if (!game.position || message.ply !== game.position.ply || !game.hintsOn || game.lookingBack !== null) return;
  if (message.rank === 1) {
    $("second-source").textContent = sourceOf(message);
    $("second-values").replaceChildren(...valueBars(message));
    return;
  }
  game.hints = message;
  $("hint-source").textContent = sourceOf(message);
  $("values").replaceChildren(...valueBars(message));
  board.advise(message);
  for (const button of $("actions").querySelectorAll("[data-action]")) {
    const value = message.values[button.dataset.action];
    let shown = button.querySelector(".value");
    if (value === undefined) continue;
    if (!shown) { shown = make("span", { class: "value" }); button.append(shown); }
    shown.textContent = shownValue(message, button.dataset.action);
    button.classList.toggle("advised", button.dataset.action === bestFirst(message)[0]);
  }
}

// The end

function finish(message) {
  $("hints").hidden = true;
  $("status").classList.remove("yours");
  const { headline, places } = message.result;
  const isHere = message.seat !== null && game.table.seats[message.seat].kind === "here";
  const again = message.seat === null ? [] : [make("div", { class: "row" },
    make("button", { type: "button", class: "primary", id: "play-again", on: { click: () => send({ type: "again", deal: "new" }) } }, "Play again"),
    isHere ? make("button", { type: "button", on: { click: () => send({ type: "again", deal: "same", turned: true }) } }, "Same deal, next seat") : null)];
  $("result").replaceChildren(make("b", {}, headline), make("div", { class: "scores" },
    places.map(([place, who, score]) => `${place}. ${who}: ${score}`).join(" · ")), make("div", { id: "decisive" }), ...again, make("div", { class: "dim", id: "agreed", role: "status" }));
  showAgreed();
  $("result").scrollIntoView({ block: "nearest" }); // on a phone the last move may have been far below it
  $("watching").hidden = true;
  status(`The game is over: ${headline}`, true);
  if (game.review.length) showReview(game.review.at(-1)); // the graph marks no move
  else if (message.seat !== null) {
    askReview();
    $("review").hidden = false;
    $("graph").replaceChildren("Looking back …");
    $("mistakes").replaceChildren();
  }
}

function askReview() { send({ type: "review", all: true }); }

function receiveReview(row) {
  game.review = [...game.review.filter((each) => each.ply !== row.ply), row];
  if (game.isReviewing && game.lookingBack === row.ply) lookBack(row); // drawn anew
  else showReview(row);
}

// Who wants to play again: all, or the person who opened the table, make the next deal.
function showAgreed() {
  const names = game.table.seats.flatMap((_, seat) => (game.presence?.agreed[seat] ? [name(seat)] : []));
  if ($("agreed")) $("agreed").textContent = names.length ? `To play again: ${names.join(", ")}` : "";
}

function showReview(message) {
  const nearest = (ply) => game.review.reduce((best, row) => (Math.abs(row.ply - ply) < Math.abs(best.ply - ply) ? row : best));
  const onGo = (ply) => lookBack(nearest(ply));
  const names = game.table.seats.map((who) => who.name);
  const onPoint = (ply) => { $("pointed").textContent = moveText(nearest(ply), names); };
  const { graph, legend, worst, mistakes } = study(game.review, names, { width: $("review").clientWidth, current: game.lookingBack, onGo, onPoint });
  $("graph").replaceChildren(graph, ...legend);
  $("mistakes").replaceChildren(...mistakes);
  if (message.count < message.of) return;
  if (!worst.length) $("mistakes").replaceChildren(make("li", { class: "dim" }, "No move is known to have lost anything."));
  else if ($("decisive")) $("decisive").replaceChildren(make("button", { type: "button", class: "quiet", on: { click: () => lookBack(worst[0]) } }, ...worded(`What decided it: ${moveText(worst[0], names)}, −${lossOf(worst[0].regret)}`)));
}

function lookBack(row) {
  game.lookingBack = row.ply;
  game.isReviewing = true;
  board.show(row.svg, {}, { animate: false });
  board.compare(row);
  showValues(`Move ${row.ply + 1}`, sourceOf(row), valueBars(row, row.action), true);
  backButtons(() => showPosition(game.position, true), row.ply);
  $("actions").append(...markedMoves(row));
  status(`Before move ${row.ply + 1}, ${name(row.seat)}`);
  $("status").scrollIntoView({ block: "nearest" }); // on a phone the list of moves lies far below it
  showReview(game.review.at(-1));
}

// Tools

// How long the person to act may think, where that is limited.
function tick() {
  const acts = game.position && !game.isOver && game.table.move_seconds ? game.position.to_act : null;
  const isOn = acts !== null && game.table.seats[acts].kind !== "player" && isHere(acts);
  const seconds = isOn ? Math.max(0, Math.ceil(game.table.move_seconds - (Date.now() - game.turnSince) / 1000)) : 0;
  $("time").textContent = isOn ? `${name(acts)}: ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left` : "";
}
setInterval(tick, 1000);

// Whether the game that is running may be left for a new deal.
const isLeaving = () => !game.moves.some((move) => move.seat === game.table.seat) || confirm("Leave this game, and deal anew?");

$("undo").addEventListener("click", () => send({ type: "undo" }));
$("redo").addEventListener("click", () => send({ type: "redo" }));
$("hint").addEventListener("click", () => {
  game.hintsOn = !game.hintsOn;
  $("hint").setAttribute("aria-pressed", String(game.hintsOn));
  if (!game.hintsOn) { send({ type: "no_hint" }); $("hints").hidden = true; game.hints = null; board.advise(null); board.clear(); }
  else renewHints();
});
$("adviser").addEventListener("change", () => { game.wantedAdviser = $("adviser").value; renewHints(); });
$("second").addEventListener("change", renewHints);
$("sound").addEventListener("click", () => setSound(!game.wantsSound));
$("begin").addEventListener("click", () => ask("/api/start", { token: game.token }).catch((error) => say(error.message)));
$("resign").addEventListener("click", () => confirm("Give this game up?") && send({ type: "resign" }));
$("view").addEventListener("change", changeWidth);
$("share-game").addEventListener("click", () => send({ type: "share" }));
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
$("again").addEventListener("click", () => isLeaving() && send({ type: "again", deal: "new" }));
$("turned").addEventListener("click", () => isLeaving() && send({ type: "again", deal: "same", turned: true }));
$("lost-home").addEventListener("click", () => { location.hash = ""; route(); });
$("lost-form").addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = $("lost-link").value.replace(/^[^#]*#/, "");
});
$("home").addEventListener("click", (event) => { event.preventDefault(); location.hash = ""; });
narrow.addEventListener("change", () => ($("editor").hidden ? changeWidth() : layOut()));

// Tokens and keys do not stay in the address, where they would be seen, kept and sent on: the token
// of a table is in the state of its entry in the history, which a reload keeps.
function route() {
  const given = fragment();
  const [key, seat] = [given.get("owner"), given.get("seat")];
  given.delete("owner");
  if (key) owner.key = key;
  if (seat) history.replaceState({ seat }, "", "#table");
  else if (given.has("open")) history.replaceState(null, "", "#");
  else if (key) history.replaceState(null, "", `#${given}`);
  const token = history.state?.seat;
  if (given.has("open")) openShared(given.get("open"));
  else if (token) openTable(token);
  else { closeTable(); openSetup(); }
}

function goTo(token) {
  history.pushState({ seat: token }, "", "#table");
  route();
}
addEventListener("popstate", route);
route();
