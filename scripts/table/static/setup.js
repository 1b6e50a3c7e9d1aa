"use strict";
// Choosing: the game, its settings, who takes each seat; and the tables that can be continued.

const MAX_NAME = 40; // letters
const SOON_MS = 2000; // a wait that is longer is explained
const OWN_NAME = "You"; // of the person who opens a table, unless another is given
const $ = (id) => document.getElementById(id);
const fragment = () => new URLSearchParams(location.hash.slice(1));

const owner = {
  get key() { return sessionStorage.getItem("parlour.owner") || ""; },
  set key(value) { sessionStorage.setItem("parlour.owner", value); },
};
const setup = { name: null, changed: null, facts: null, seats: [] };

async function ask(path, body) {
  const request = { headers: { Authorization: `Bearer ${owner.key}` } };
  if (body !== undefined) {
    request.method = "POST";
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  const answer = await fetch(path, request).catch(() => {
    throw new Error("The server does not answer: is `parlour play` still running?");
  });
  const data = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw new Error(data.error || `the server answered ${answer.status}`);
  return data;
}

function problem(text) {
  $("problem").textContent = text;
  if (text) $("problem").scrollIntoView({ block: "nearest" }); // the button may be far below
}

async function openSetup() {
  $("table").hidden = $("tools").hidden = true;
  $("setup").hidden = false;
  $("where").textContent = "";
  document.title = "Parlour";
  problem("");
  try {
    const games = await ask("/api/games");
    $("games").replaceChildren(...games.map((game) => make("button", {
      type: "button", "data-game": game.name, "aria-pressed": "false",
      on: { click: () => chooseGame(game.name) },
    }, game.title)));
    const wanted = fragment().get("game");
    if (wanted && games.some((game) => game.name === wanted)) await chooseGame(wanted);
    showTables(await ask("/api/tables"));
  } catch (error) { problem(error.message); }
}

// The rules of a game, which are asked for when somebody wants to read them.
function rulesPanel(name) {
  const text = make("div", { class: "rules", tabindex: "0", role: "group", "aria-label": "The rules" });
  const panel = make("details", { class: "panel", "data-rules": name, on: { toggle: async () => {
    if (!panel.open || text.hasChildNodes()) return;
    try {
      text.replaceChildren(...(await ask(`/api/rules/${name}`)).map((each) => make("p", {}, ...prose(each))));
    } catch (error) { text.replaceChildren(make("p", {}, error.message)); }
  } } }, make("summary", {}, "The rules"), text);
  return panel;
}

// Put the rules of a game into a place, unless they are there.
function showRules(place, name) {
  if (!place.querySelector(`[data-rules="${name}"]`)) place.replaceChildren(rulesPanel(name));
}

// Text with `code` and **bold** as elements.
function prose(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`")) return make("code", {}, part.slice(1, -1));
    return part.startsWith("**") ? make("b", {}, part.slice(2, -2)) : part;
  });
}

async function chooseGame(name) {
  for (const button of $("games").children) {
    button.setAttribute("aria-pressed", String(button.dataset.game === name));
  }
  setup.name = name;
  setup.changed = null;
  setup.seats = [];
  await loadGame();
}

async function loadGame() {
  problem("");
  if (!setup.facts) $("choices").replaceChildren(make("p", { class: "dim", role: "status" }, "Getting the cards …"));
  try {
    const asked = setup.name;
    const facts = await ask(`/api/games/${asked}`, { settings: setup.changed });
    if (asked !== setup.name) return; // another game was chosen meanwhile
    setup.facts = facts;
    setup.changed = facts.changed;
    showRules($("chosen-rules"), facts.name);
    const others = setup.seats.slice(1);
    setup.seats = Array.from({ length: facts.num_seats }, (_, seat) => seat === 0
      ? setup.seats[0] || { kind: "here", name: OWN_NAME }
      : others[seat - 1] || { kind: "player", player: facts.rival, seconds: "" });
    showChoices();
  } catch (error) {
    problem(error.message);
    if (!setup.facts) $("choices").replaceChildren();
    if (setup.facts && setup.facts.name === setup.name) setup.changed = { ...setup.facts.changed };
  }
}

function showChoices() {
  const facts = setup.facts;
  const seats = make("section", { class: "panel" }, make("h2", {}, "Seats"),
    ...setup.seats.map((seat, number) => seatLine(seat, number)),
    make("label", { class: "row", style: "margin-top:.8rem" },
      make("input", { type: "checkbox", id: "forced", checked: true }),
      make("span", {}, "Make moves without a choice for me")),
    make("label", { class: "row", style: "margin-top:.4rem" },
      make("input", { type: "checkbox", id: "no-help" }),
      make("span", {}, "No help: hints and judgements for nobody until the end")),
    make("div", { class: "row deal", style: "margin-top:1rem" },
      make("button", { class: "primary", id: "start", type: "button", on: { click: start } }, "Deal")));
  const settings = make("section", { class: "panel" }, make("h2", {}, "Settings"),
    ...facts.settings.map(settingLine));
  $("choices").replaceChildren(make("div", { class: "chosen-game" }, seats, settings));
}

function seatLine(seat, number) {
  const facts = setup.facts;
  const kinds = [["here", "You"], ["remote", "Somebody with a link: person, program or agent"]];
  const select = make("select", { "aria-label": `Seat ${number}`, "data-seat": String(number) });
  select.append(make("optgroup", { label: "People, programs and agents" },
    ...kinds.map(([value, text]) => make("option", { value }, text))));
  select.append(make("optgroup", { label: "Players, later ones are stronger" },
    ...facts.players.map((player) => make("option", { value: `player:${player.name}` }, player.name))));
  select.append(make("option", { value: "other" }, "Another player: file or settings …"));
  const known = facts.players.some((player) => player.name === seat.player);
  select.value = seat.kind !== "player" ? seat.kind : known ? `player:${seat.player}` : "other";
  select.addEventListener("change", () => {
    const [kind, player] = select.value.split(":");
    if (kind === "player") setup.seats[number] = { kind, player, seconds: "" };
    else if (kind === "other") setup.seats[number] = { kind: "player", player: "", isOther: true };
    else {
      if (kind === "here") {
        const me = setup.seats.findIndex((other) => other.kind === "here");
        if (me >= 0 && me !== number) setup.seats[me] = { kind: "player", player: facts.rival, seconds: "" };
      }
      setup.seats[number] = { kind, name: kind === "here" ? OWN_NAME : "Guest" };
    }
    showChoices();
    document.querySelector(`[data-seat="${number}"]`).focus();
  });
  const line = make("div", { class: "seat-line" }, make("span", {}, `Seat ${number}`), select);
  const player = facts.players.find((each) => each.name === seat.player);
  if (seat.kind !== "player") {
    line.append(textField(`Name at seat ${number}`, seat.name, (value) => { seat.name = value; }, { maxlength: String(MAX_NAME) }));
  } else if (seat.isOther || !player) {
    line.append(textField(`Player at seat ${number}`, seat.player, (value) => { seat.player = value; },
      { placeholder: "runs/mine.pt" }));
    seat.isOther = true;
  } else if (player.time) {
    line.append(make("input", {
      type: "number", min: "0.01", step: "any", value: seat.seconds, placeholder: "seconds a move",
      "aria-label": `Seconds a move for seat ${number}`,
      on: { input: (event) => { seat.seconds = event.target.value; } },
    }));
  } else line.append(make("span"));
  const isFirst = setup.seats.findIndex((other) => other.player === seat.player) === number;
  if (player && !seat.isOther && isFirst) line.append(make("span", { class: "about dim" }, ...prose(player.summary)));
  return line;
}

function textField(label, value, change, more) {
  return make("input", {
    type: "text", value, "aria-label": label, ...more,
    on: { input: (event) => change(event.target.value) },
  });
}

function settingLine(setting) {
  const id = `set-${setting.name}`;
  let field;
  if (setting.type === "bool") {
    field = make("input", { id, type: "checkbox", checked: setting.value });
  } else if (setting.type === "int") {
    field = make("input", { id, type: "number", step: "1", value: String(setting.value) });
  } else if (setting.words.length > 1 && setting.words.includes(setting.value)) {
    field = make("select", { id }, ...setting.words.map((word) => make("option", { value: word }, word)));
    field.value = setting.value;
  } else field = make("input", { id, type: "text", value: String(setting.value) });
  field.addEventListener("change", () => {
    let value = field.value;
    if (setting.type === "bool") value = field.checked;
    else if (setting.type === "int" && /^-?\d+$/.test(value)) value = Number(value);
    else if (/^\d+$/.test(value)) value = Number(value);
    setup.changed = { ...setup.changed, [setting.name]: value };
    loadGame().then(() => { const again = $(id); if (again) again.focus(); });
  });
  return make("div", { class: "setting" },
    make("label", { for: id }, inWords(setting.name)), field,
    make("small", {}, ...prose(setting.help)));
}

// "num_players" as "Number of players".
function inWords(name) {
  const text = name.replace(/^num_/, "number of ").replaceAll("_", " ");
  return text[0].toUpperCase() + text.slice(1);
}

function seatData(seat) {
  if (seat.kind !== "player") return { kind: seat.kind, name: seat.name.trim() || "?", player: "" };
  let player = seat.player;
  const facts = setup.facts.players.find((each) => each.name === player);
  if (facts && facts.time && seat.seconds) {
    const amount = facts.time === "milliseconds" ? 1000 * seat.seconds : Number(seat.seconds);
    player = `${player}:${facts.time}=${amount}`;
  }
  return { kind: "player", name: player.slice(0, MAX_NAME), player };
}

async function start() {
  const button = $("start");
  button.disabled = true;
  button.textContent = "Dealing …";
  const explain = () => { button.textContent = "Dealing: the first time, rules are compiled …"; };
  const late = setTimeout(explain, SOON_MS);
  problem("");
  try {
    const blank = setup.seats.findIndex((seat) => seat.kind === "player" && !seat.player.trim());
    if (blank >= 0) throw new Error(`Name the player of seat ${blank}.`);
    const seats = setup.seats.map(seatData);
    const forced = $("forced").checked;
    const help = !$("no-help").checked;
    const open = seats.every((seat) => seat.kind === "player"); // nobody's hand is a secret
    const made = await ask("/api/tables", { game: setup.name, settings: setup.changed, seats, forced, help, open, pace: open ? 0.2 : 0 });
    const mine = seats.findIndex((seat) => seat.kind === "here");
    goTo(made.tokens[mine < 0 ? seats.length : mine]);
  } catch (error) {
    problem(error.message);
  } finally {
    clearTimeout(late);
    button.disabled = false;
    button.textContent = "Deal";
  }
}

function showTables(tables) {
  $("recent").hidden = tables.length === 0;
  $("tables").replaceChildren(...tables.map((table) => {
    const mine = table.seats.findIndex((seat, number) => seat.kind === "here" && table.tokens[number]);
    const token = mine >= 0 ? table.tokens[mine] : table.tokens.find((each) => each) || table.watch;
    const text = `${table.title} — ${table.seats.map((seat) => seat.name).join(", ")}`;
    const state = table.is_over ? "finished" : table.num_plies === 1 ? "1 move" : `${table.num_plies} moves`;
    return make("div", { class: "row" }, make("span", {}, text, make("span", { class: "dim" }, ` · ${state}`)),
      make("span", { class: "row" }, make("a", { href: "#table", on: { click: (event) => { event.preventDefault(); goTo(token); } } }, table.is_over ? "Look back" : "Continue"),
        table.is_over ? replayButton(table.id) : null));
  }));
}

// Opens the replay of a finished game, with everything that was hidden in it.
function replayButton(id) {
  const button = make("button", { type: "button", class: "quiet", on: { click: async () => {
    problem("");
    button.disabled = true;
    try { location.href = (await ask("/api/replays", { table: id })).address; } catch (error) { problem(error.message); }
    button.disabled = false;
  } } }, "Replay");
  return button;
}
