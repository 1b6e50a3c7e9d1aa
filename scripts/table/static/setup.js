"use strict";
// Choosing: the game, its settings, who takes each seat; and the tables that can be continued.

const MAX_NAME = 40; // letters
const SOON_MS = 2000; // a wait that is longer is explained
const OWN_NAME = "You"; // of the person who opens a table, unless another is given
const setup = { name: null, changed: null, facts: null, seats: [] };

function problem(text) {
  $("problem").textContent = text;
  if (text) $("problem").scrollIntoView({ block: "nearest" }); // the button may be far below
}

async function openSetup() {
  $("table").hidden = $("tools").hidden = $("lost").hidden = $("shared").hidden = $("editor").hidden = true;
  $("setup").hidden = false;
  $("where").textContent = "";
  document.title = "Parlour";
  problem("");
  try {
    const games = await ask("/api/games");
    $("games").replaceChildren(...games.map(tile), $("kept"));
    const wanted = fragment().get("game");
    if (wanted && games.some((game) => game.name === wanted)) await chooseGame(wanted);
    showTables(await ask("/api/tables"));
    $("tournament").hidden = !games.some((game) => game.has_results);
    for (const game of games) if (!$("setup").hidden) await paint(game.name); // one after the other: others may wait
  } catch (error) {
    if (owner.key) problem(error.message);
    else lost("Games are opened by the person who started Parlour. Use the address that parlour play printed, or the link to a seat that you were sent.");
  }
}

// A sentence on what is wrong, and a way on: the first page, or another link.
function lost(text) {
  $("setup").hidden = $("table").hidden = true;
  $("lost").hidden = false;
  $("lost-text").textContent = text;
  $("lost-home").hidden = !owner.key;
}

// A game to choose: its picture and facts follow with `paint`.
function tile(game) {
  return make("article", { class: "tile", "data-tile": game.name },
    make("button", { type: "button", class: "face", "data-game": game.name, "aria-pressed": "false",
      on: { click: () => chooseGame(game.name) } }, make("span", { class: "picture" }), make("b", {}, game.title), make("span", { class: "facts" }, " ")),
    make("button", { type: "button", class: "primary", "data-quick": game.name, on: { click: (event) => playNow(game.name, event.target) } }, "Play now"),
    make("small", { class: "rival dim" }, " "));
}

async function paint(name) {
  const place = document.querySelector(`[data-tile="${name}"]`);
  const found = await ask(`/api/tiles/${encodeURIComponent(name)}`).catch(() => null);
  if (!found || !place) return;
  place.querySelector(".picture").replaceChildren(drawing(found.svg, ""));
  place.querySelector(".facts").textContent = found.facts;
  place.querySelector(".rival").textContent = `against ${[found.rival, found.level].filter(Boolean).join(", ")}`;
  place.querySelector(".rival").title = found.code;
}

const drawing = (svg, alt) => make("img", { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt });

// A game in one click, against the opponent for newcomers.
async function playNow(name, button) {
  await dealing(button, () => playAgainstRivals({ game: name, settings: null }));
}

// Open a table for the person and opponents for newcomers.
async function playAgainstRivals(made) {
  const { num_seats: size, rival, changed } = await ask(`/api/games/${encodeURIComponent(made.game)}`, { settings: made.settings, shared: made.shared || false });
  const rivals = Array.from({ length: size - 1 }, () => ({ kind: "player", name: rival, player: rival }));
  const seats = [{ kind: "here", name: OWN_NAME, player: "" }, ...rivals];
  goTo((await ask("/api/tables", { ...made, settings: changed, seats })).tokens[0]);
}

// Show a game that somebody has shared, by a link or in a file; it opens when the person wants it.
async function openShared(text) {
  await openSetup();
  try {
    const { game, settings, deal, seed, actions = [] } = JSON.parse(text);
    const made = { game: String(game), settings, deal, seed, actions, shared: true };
    $("shared-about").textContent = `${made.game}, ${movesPlayed(actions.length)}, settings ${JSON.stringify(settings)}`;
    $("shared").hidden = false;
    $("shared-open").onclick = (event) => dealing(event.target, () => playAgainstRivals(made).catch((error) => { throw new Error(`This is no game that can be opened: ${error.message}`); }));
    $("shared-refuse").onclick = () => { $("shared").hidden = true; };
    $("shared").focus(); // and not a button: a stray Enter opens nothing
  } catch (error) { problem(`This is no game that can be opened: ${error.message}`); }
}
const movesPlayed = (number) => number === 0 ? "nothing played yet" : number === 1 ? "1 move played" : `${number} moves played`;
const opening = (event) => { if (event.target.files[0]) event.target.files[0].text().then(openShared); };
addEventListener("load", () => $("file").addEventListener("change", opening));

// How to play a game, asked for when somebody wants to read it.
function rulesPanel(name) {
  const text = make("div", { class: "rules", tabindex: "0", role: "group", "aria-label": "How to play" });
  const panel = make("details", { class: "panel", "data-rules": name, on: { toggle: async () => {
    if (!panel.open || text.hasChildNodes()) return;
    try {
      const { facts, lines, svg } = await ask(`/api/rules/${encodeURIComponent(name)}`);
      text.replaceChildren(make("p", { class: "dim" }, facts), drawing(svg, "The table at the start of a game"), ...lines.map((line) => make("p", {}, ...worded(line))));
    } catch (error) { text.replaceChildren(make("p", {}, error.message)); }
  } } }, make("summary", {}, "How to play"), text);
  return panel;
}

// Put the rules of a game into a place, unless they are there.
function showRules(place, name) {
  if (!place.querySelector(`[data-rules="${name}"]`)) place.replaceChildren(rulesPanel(name));
}

async function chooseGame(name) {
  for (const button of document.querySelectorAll("[data-game]")) {
    button.setAttribute("aria-pressed", String(button.dataset.game === name));
  }
  setup.name = name;
  setup.changed = null;
  setup.seats = [];
  await loadGame();
  $("chosen-rules").scrollIntoView({ block: "start" }); // on a phone it lies far below the pictures
}

async function loadGame() {
  problem("");
  if (!setup.facts) $("choices").replaceChildren(make("p", { class: "dim", role: "status" }, "Getting the cards …"));
  try {
    const asked = setup.name;
    const facts = await ask(`/api/games/${encodeURIComponent(asked)}`, { settings: setup.changed });
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
    const wrong = (setup.facts?.settings || []).find((setting) => error.message.startsWith(`${setting.name} `));
    if (wrong) wrongSetting(wrong, error.message.replace(wrong.name, wrong.label));
    else problem(error.message);
    if (!setup.facts) $("choices").replaceChildren();
    if (setup.facts && setup.facts.name === setup.name) setup.changed = { ...setup.facts.changed };
  }
}

function showChoices() {
  const facts = setup.facts;
  const seats = make("section", { class: "panel" }, make("h2", {}, "Seats"),
    ...setup.seats.map((seat, number) => seatLine(seat, number)),
    make("label", { class: "row check" },
      make("input", { type: "checkbox", id: "forced", checked: true }),
      make("span", {}, "Make moves without a choice for me")),
    make("label", { class: "row check" },
      make("input", { type: "checkbox", id: "no-help" }),
      make("span", {}, "No help: hints and judgements for nobody until the end")),
    make("label", { class: "row check" }, make("span", {}, "Time for a move"),
      make("input", { id: "limit", type: "number", min: "5", max: "3600", step: "1", placeholder: "no limit" }),
      make("span", { class: "dim" }, "seconds, or you lose")),
    make("label", { class: "row check" }, make("span", {}, "Number of the deal"),
      make("input", { id: "seed", type: "number", min: "0", step: "1", placeholder: "a new deal" })),
    make("div", { class: "row deal" },
      make("button", { class: "primary", id: "start", type: "button", on: { click: () => start() } }, "Deal"),
      facts.can_arrange ? make("button", { id: "arrange", type: "button", on: { click: () => openEditor({ game: setup.name, settings: setup.changed, piles: {} }, start) } }, "Lay out a position") : null));
  const settings = make("section", { class: "panel" }, make("h2", {}, "Settings"),
    ...facts.settings.map(settingLine));
  $("choices").replaceChildren(make("div", { class: "chosen-game" }, seats, settings));
}

function seatLine(seat, number) {
  const facts = setup.facts;
  const kinds = [["here", "You"], ["free", "A free chair, for guests with the table's link"], ["remote", "Somebody, or a program, with a link of their own"]];
  const select = make("select", { "aria-label": `Seat ${number + 1}`, "data-seat": String(number) });
  select.append(make("optgroup", { label: "People and programs" },
    ...kinds.map(([value, text]) => make("option", { value }, text))));
  select.append(make("optgroup", { label: "Players" }, ...facts.players.map((player) =>
    make("option", { value: `player:${player.name}`, title: player.name }, [player.label, player.level].filter(Boolean).join(" · ")))));
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
      setup.seats[number] = { kind, name: { here: OWN_NAME, remote: "Guest", free: "Free chair" }[kind] };
    }
    showChoices();
    document.querySelector(`[data-seat="${number}"]`).focus();
  });
  const line = make("div", { class: "seat-line" }, make("span", {}, `Seat ${number + 1}`), select);
  const player = facts.players.find((each) => each.name === seat.player);
  if (seat.kind === "free") line.append(make("span"));
  else if (seat.kind !== "player") {
    line.append(textField(`Name at seat ${number + 1}`, seat.name, (value) => { seat.name = value; }, { maxlength: String(MAX_NAME) }));
  } else if (seat.isOther || !player) {
    line.append(textField(`Player at seat ${number + 1}`, seat.player, (value) => { seat.player = value; },
      { placeholder: "runs/mine.pt" }));
    seat.isOther = true;
  } else if (player.is_timed) {
    line.append(make("input", {
      type: "number", min: "0.01", step: "any", value: seat.seconds, placeholder: "s a move",
      "aria-label": `Seconds a move for seat ${number + 1}`,
      on: { input: (event) => { seat.seconds = event.target.value; } },
    }));
  } else line.append(make("span"));
  const isFirst = setup.seats.findIndex((other) => other.player === seat.player) === number;
  if (player && !seat.isOther && isFirst) line.append(make("span", { class: "about dim", title: player.name }, ...worded(player.summary)));
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
  const [low, high] = setting.limits || [];
  let field;
  if (setting.type === "bool") {
    field = make("input", { id, type: "checkbox", checked: setting.value });
  } else if (setting.choices.length) {
    field = make("select", { id }, ...setting.choices.map(([value, label]) => make("option", { value: String(value) }, label)));
    field.value = String(setting.value);
  } else if (setting.type === "int") {
    field = make("input", { id, type: "number", step: "1", value: String(setting.value), "aria-describedby": `about-${id}` });
    if (setting.limits) { field.min = String(low); field.max = String(high); }
  } else field = make("input", { id, type: "text", value: String(setting.value), "aria-describedby": `about-${id}` });
  field.addEventListener("change", () => {
    if (!field.checkValidity()) { wrongSetting(setting, `${low.toLocaleString("en")} to ${high.toLocaleString("en")}, whole numbers`); return; }
    const number = Number(field.value);
    const value = setting.type === "bool" ? field.checked : field.value !== "" && Number.isInteger(number) ? number : field.value;
    setup.changed = { ...setup.changed, [setting.name]: value };
    loadGame().then(() => { const again = $(id); if (again) again.focus(); });
  });
  const limits = setting.limits && !setting.choices.length ? `${low.toLocaleString("en")} to ${high.toLocaleString("en")}` : "";
  return make("div", { class: "setting" },
    make("label", { for: id }, setting.label), make("span", { class: "row value" }, field, make("span", { class: "dim" }, setting.unit)),
    make("small", { id: `about-${id}` }, limits));
}

// Say beside a field what is wrong with it; the game stays as it was.
function wrongSetting(setting, text) {
  $(`set-${setting.name}`).setAttribute("aria-invalid", "true");
  $(`about-set-${setting.name}`).replaceChildren(make("span", { class: "wrong", role: "alert" }, text));
}

function seatData(seat) {
  if (seat.kind !== "player") return { kind: seat.kind, name: seat.name.trim() || "?", player: "" };
  let player = seat.player;
  const facts = setup.facts.players.find((each) => each.name === player);
  if (facts && facts.is_timed && seat.seconds) {
    player = `${player}:milliseconds=${1000 * seat.seconds}`;
  }
  return { kind: "player", name: player.slice(0, MAX_NAME), player };
}

// Deal with `open`, while the button says so.
async function dealing(button, open, tell = problem) {
  const text = button.textContent;
  button.textContent = "Dealing …";
  const late = setTimeout(() => { button.textContent = "Dealing: the first time, rules are compiled …"; }, SOON_MS);
  await busy(button, open, tell);
  clearTimeout(late);
  button.textContent = text;
}

// A number as the server takes it: as text where JavaScript would round it.
const exactly = (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text);

// Open the table of the choices, from a position where one is given.
function start(deal) {
  return dealing($("start"), async () => {
    const blank = setup.seats.findIndex((seat) => seat.kind === "player" && !seat.player.trim());
    if (blank >= 0) throw new Error(`Name the player of seat ${blank + 1}.`);
    const seats = setup.seats.map(seatData);
    const open = seats.every((seat) => seat.kind === "player"); // nobody's hand is a secret
    const request = { game: setup.name, settings: setup.changed, seats, forced: $("forced").checked, help: !$("no-help").checked, open, pace: open ? 0.2 : 0 };
    if ($("limit").value !== "") request.move_seconds = Number($("limit").value);
    if ($("seed").value !== "") request.seed = exactly($("seed").value);
    if (deal) request.deal = deal;
    const made = await ask("/api/tables", request);
    const mine = seats.findIndex((seat) => seat.kind === "here");
    goTo(made.tokens[mine < 0 ? seats.length : mine]);
  });
}

function showTables(tables) {
  for (const [id, isOver] of [["running", false], ["finished", true]]) {
    const found = tables.filter((table) => table.is_over === isOver);
    $(id).hidden = found.length === 0;
    $(`${id}-tables`).replaceChildren(...found.map(tableLine));
  }
}

function tableLine(table) {
  const what = table.is_over ? "Look back" : table.is_mine ? "Continue" : "Watch";
  return make("div", { class: "row" },
    make("span", {}, make("b", {}, table.title), ` ${table.names.join(", ")}`, make("span", { class: "dim" }, ` · ${movesPlayed(table.num_plies)}, ${ago(table.age)}`)),
    make("span", { class: "row" },
      make("a", { class: "button", href: "#table", on: { click: (event) => { event.preventDefault(); goTo(table.token); } } }, what),
      table.is_over ? replayButton(table.id) : null));
}

// "5 minutes ago"
function ago(seconds) {
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  const [unit, size] = units.find(([, each]) => seconds >= each) || ["", 0];
  return size ? new Intl.RelativeTimeFormat("en").format(-Math.floor(seconds / size), unit) : "just now";
}

// Opens the replay of a finished game, with everything that was hidden in it.
function replayButton(id) {
  const open = async () => { location.href = (await ask("/api/replays", { table: id })).address; };
  return make("button", { type: "button", class: "quiet", on: { click: (event) => busy(event.target, open, problem) } }, "Replay");
}
