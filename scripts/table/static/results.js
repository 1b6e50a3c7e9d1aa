"use strict";
// The results of a tournament while it runs: asked for again and again, and drawn where they changed.

const POLL_MS = 2000;
const PATIENCE_MS = 60_000; // after which results are asked for again
const RUNNING_SECONDS = 20; // without a new result, the tournament is taken to have stopped
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]; // Elo between two lines of the graph

if (fragment().has("owner")) {
  owner.key = fragment().get("owner");
  history.replaceState(null, "", location.pathname);
}
let newestText = ""; // what is drawn, to see whether anything has changed
let newest = null;
const choosers = new Map(); // by table

async function poll() {
  try {
    const data = await ask("/api/results", undefined, AbortSignal.timeout(PATIENCE_MS));
    $("problem").textContent = "";
    const isRunning = data.idle < RUNNING_SECONDS;
    $("state").classList.toggle("live", isRunning);
    const total = data.tables.reduce((sum, table) => sum + table.num_games, 0);
    $("state").textContent = `${data.name}: ${total.toLocaleString("en")} games${isRunning ? ", running" : ""}`;
    const { idle, ...rest } = data;
    newest = data;
    if (JSON.stringify(rest) !== newestText) show(data);
    newestText = JSON.stringify(rest);
  } catch (error) {
    $("state").classList.remove("live");
    $("problem").textContent = error.message;
  }
  setTimeout(poll, POLL_MS);
}

function show(data) {
  const focused = document.activeElement;
  if (data.tables.some((table) => table.ladder)) $("kind").textContent = "ladder";
  const games = data.tables.map((table, index) => gameSection(table, index, data.meetings.filter((each) => each.table === index)));
  $("games").replaceChildren(...(games.length ? games : [make("p", { class: "dim" }, "No results yet: they come batch by batch.")]));
  if (focused.isConnected) focused.focus();
}

function gameSection(table, index, meetings) {
  if (table.ladder) return ladder(table);
  const colours = new Map([...table.rows].map((row) => row.player).sort().map((name, index) => [name, `series-${index % 6}`]));
  const settings = Object.entries(table.settings).map(([name, value]) => `${name.replace(/^num_/, "").replaceAll("_", " ")} ${String(value).replaceAll("_", " ")}`).join(", ");
  return make("section", { class: "game" },
    make("h2", {}, table.title, make("small", {}, `${table.num_games.toLocaleString("en")} games · ${settings}`)),
    make("div", { class: "panel" }, make("h2", {}, "Ratings"), scrolled(`Ratings at ${table.title}`, ratings(table, colours))),
    make("div", { class: "panel" }, make("h2", {}, "As they move"), curve(table, colours)),
    make("div", { class: "panel" }, make("h2", {}, "Who beats whom"), scrolled(`Scores of the pairs at ${table.title}`, cross(table))),
    make("div", { class: "panel" }, make("h2", {}, "Games to look at"), chooser(index, meetings).row, make("ul", { class: "meetings" }, ...meetings.map((each) => meeting(each, chooser(index, meetings))))));
}

// A league's players, the strongest first.
function ladder(table) {
  const [low, high] = bounds(table.ladder);
  const lines = table.ladder.map((rung, index) => make("tr", { class: `series-${index % 6}` },
    make("td", { class: "name" }, rung.player), ...eloCells(rung.elo, low, high),
    make("td", { class: "wide" }, rung.games.toLocaleString("en")), make("td", { class: "wide" }, rung.time),
    make("td", { class: "wide" }, rung.exploiter ? `${rung.exploiter}, ${percent(rung.against_it[0])}` : "–")));
  const heads = ["Player", "Elo", "95 % interval", "Games", "Time a move", "Does best against it"];
  return make("section", { class: "game" },
    make("h2", {}, table.title, make("small", {}, `${table.num_games.toLocaleString("en")} games`)),
    make("div", { class: "panel whole" }, scrolled(`Ladder of ${table.title}`, tableOf(heads, heads.slice(3), lines))));
}

// A table that is scrolled where it is too wide; the columns of `wide` heads are not on a phone.
const scrolled = (label, table) => make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
const tableOf = (heads, wide, lines) => make("table", {},
  make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col", class: wide.includes(head) ? "wide" : "" }, head)))),
  make("tbody", {}, ...lines));

function bounds(rows) {
  const finite = rows.flatMap((row) => row.elo).filter((value) => value !== null);
  const low = Math.min(0, ...finite);
  const high = Math.max(1, ...finite);
  return [low - 0.05 * (high - low), high + 0.05 * (high - low)];
}

function ratings(table, colours) {
  const [low, high] = bounds(table.rows);
  const lines = table.rows.map((row) => make("tr", { class: colours.get(row.player) },
    make("td", { class: "name" }, row.player), ...eloCells(row.elo, low, high),
    make("td", { class: "wide" }, row.won.toLocaleString("en")),
    make("td", { class: "wide" }, row.drawn.toLocaleString("en")),
    make("td", { class: "wide" }, row.lost.toLocaleString("en")),
    make("td", {}, (row.mean_return[0] < 0 ? "" : "+") + row.mean_return[0].toFixed(2).replace("-", "−"))));
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const heads = ["Player", "Elo", "95 % interval", ...[table.words.won, table.words.drawn, table.words.lost].map(capital), "Mean return"];
  return tableOf(heads, heads.slice(3, 6), lines);
}

// A rating, and its interval as a bar between the ends of the scale.
function eloCells([mean, from, to], low, high) {
  const place = (value, open) => `${(100 * ((value === null ? open : value) - low)) / (high - low)}%`;
  const [range, dot] = [make("i"), make("b")];
  range.style.left = place(from, low);
  range.style.right = `calc(100% - ${place(to, high)})`;
  dot.style.left = place(mean, high);
  return [make("td", {}, mean === null ? "–" : whole(mean)),
    make("td", { class: "elo" }, make("div", { class: "range", role: "img", title: interval(from, to), "aria-label": interval(from, to) }, range, dot))];
}

function interval(from, to) {
  const text = (value) => (value === null ? "open" : whole(value));
  return `from ${text(from)} to ${text(to)}`;
}

// A rounded number; its sign is a minus, not a hyphen.
function whole(value) {
  return Math.round(value).toString().replace("-", "−");
}

function curve(table, colours) {
  const [width, height] = narrow.matches ? [340, 200] : [600, 240]; // letters keep their size
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img", "aria-label": "Elo of each player over the games" });
  const values = table.curve.flatMap((point) => Object.values(point.elo)).filter((value) => value !== null);
  if (!values.length) return svg;
  const [low, high] = [Math.min(...values) - 10, Math.max(...values) + 10];
  const most = Math.max(...table.curve.map((point) => point.games));
  const x = (games) => 44 + ((width - 54) * games) / most;
  const y = (elo) => 10 + ((height - 34) * (high - elo)) / (high - low);
  const step = STEPS.find((each) => (high - low) / each <= 5) || (high - low) / 4;
  for (let elo = Math.ceil(low / step) * step; elo <= high; elo += step) {
    svg.append(drawn("line", { x1: 44, x2: width - 10, y1: y(elo), y2: y(elo) }));
    svg.append(drawn("text", { x: 38, y: y(elo) + 4, "text-anchor": "end" }, whole(elo)));
  }
  svg.append(drawn("text", { x: width - 10, y: height - 6, "text-anchor": "end" }, `${most.toLocaleString("en")} games`));
  for (const [player, style] of colours) {
    const known = table.curve.filter((point) => typeof point.elo[player] === "number");
    if (!known.length) continue;
    const first = known.length === 1 ? [{ ...known[0], games: 0 }] : [];
    const points = [...first, ...known].map((point) => `${x(point.games)},${y(point.elo[player])}`).join(" ");
    svg.append(drawn("polyline", { points, class: style }));
  }
  return svg;
}

function cross(table) {
  const names = table.rows.map((row) => row.player);
  return make("table", { class: "cross" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Score against"), ...names.map((name, i) => make("th", { scope: "col", "aria-label": name }, make("span", { class: "wide" }, name), make("span", { class: "short" }, `${i + 1}`))))),
    make("tbody", {}, ...names.map((name, i) => make("tr", {}, make("th", { scope: "row" }, make("span", { class: "short", "aria-hidden": "true" }, `${i + 1} `), name),
      ...names.map((_, j) => scoreCell(table.cross[i][j]))))));
}

function scoreCell(score) {
  const cell = make("td", {}, score === null ? "·" : percent(score[0]));
  if (score !== null) {
    const strength = Math.min(0.4, Math.abs(score[0] - 0.5));
    cell.style.background = score[0] > 0.5 ? `rgb(127 216 164 / ${strength})` : `rgb(255 157 138 / ${strength})`;
  }
  return cell;
}

// The deal, and which of its games, to replay at a table: fields that stay when figures change.
function chooser(index, meetings) {
  if (!choosers.has(index)) {
    const deal = make("input", { type: "number", min: "0", step: "1", placeholder: "the newest" });
    const sitting = make("input", { type: "number", min: "1", step: "1", value: "1" });
    const row = make("div", { class: "row which" }, make("label", {}, "Deal ", deal), make("label", {}, "Game of this deal ", sitting), make("span", { class: "dim" }));
    choosers.set(index, { row, deal, sitting });
  }
  const held = choosers.get(index);
  const most = Math.max(1, ...meetings.map((each) => each.sittings));
  held.sitting.max = String(most);
  const [first, last] = [Math.min(...meetings.map((each) => each.first)), Math.max(...meetings.map((each) => each.newest))];
  held.row.lastChild.textContent = `Deals ${first} to ${last}, ${most} ${most === 1 ? "game" : "games, with the players in other seats"}. Games are played in batches, and can be looked at as soon as their batch is stored.`;
  return held;
}

function meeting(each, { deal, sitting }) {
  const open = async () => {
    const request = { match: each.number, sitting: Number(sitting.value) - 1, deal: deal.value === "" ? each.newest : Number(deal.value) };
    location.href = (await ask("/api/replays", request)).address;
  };
  const tell = (text) => { $("problem").textContent = text; };
  const button = make("button", { type: "button", on: { click: () => busy(button, open, tell) } }, make("span", {}, each.players.join(" – ")), make("span", { class: "dim" }, `${each.deals.toLocaleString("en")} deals, the newest ${each.newest} · replay`));
  return make("li", {}, button);
}

narrow.addEventListener("change", () => { if (newest) show(newest); });
poll();
