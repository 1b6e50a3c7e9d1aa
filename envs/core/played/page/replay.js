"use strict";
// A replay: a slider over the pictures of a game, its values and its largest mistakes.

const at = (id) => document.getElementById(id);
const packed = Uint8Array.from(atob(at("data").textContent), (letter) => letter.charCodeAt(0));
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
const data = await new Response(unpacked).json();
const board = new Board(at("board"));
const RUN_MS = 900;
// Players with the same name are told apart by their seats.
data.names = data.names.map((name, seat) => (data.names.filter((other) => other === name).length > 1 ? `${name} ${seat}` : name));
let current = -1;
let timer = null;

const view = () => data.views[at("view").value] || data;
const frames = () => (narrow.matches && view().narrow_frames) || view().frames;
const picture = (number) => frames()[number].map((line) => data.lines[line]).join("\n");
const lastFrame = data.frames.length - 1;
Object.assign(words, { icons: data.icons, scale: data.scale });

const judged = (data.judged || []).flatMap((row, ply) => (row ? [{ ...row, ply, seat: data.plies[ply].seat }] : []));
const judgedAt = (ply) => judged.find((row) => row.ply === ply);

function go(number) {
  const frame = Math.max(0, Math.min(lastFrame, number));
  if (frame === current) return;
  const isStep = Math.abs(frame - current) === 1;
  current = frame;
  const made = isStep && frame > 0 ? data.plies[frame - 1] : null;
  board.show(picture(frame), {}, { animate: isStep, mover: made && made.seat });
  at("slider").value = String(frame);
  at("count").textContent = `${frame} of ${lastFrame}`;
  at("caption").textContent = caption(frame);
  for (const [index, line] of [...at("moves").children].entries()) {
    line.classList.toggle("now", index === frame - 1);
    if (index === frame - 1) line.parentNode.scrollTop = line.offsetTop - line.parentNode.offsetTop - 100;
  }
  showValues();
}

function caption(frame) {
  if (frame === lastFrame && data.returns) {
    return `The end: ${data.returns.map((value, seat) => `${data.names[seat]} ${data.scores[seat] || value.toFixed(2)}`).join(", ")}`;
  }
  if (frame === 0) return data.first;
  const ply = data.plies[frame - 1];
  return `${data.names[ply.seat]}: ${said(ply)}`;
}

function showValues() {
  if (!data.judged) return;
  const onPoint = (ply) => { at("pointed").textContent = caption(ply + 1); };
  const { graph, legend, mistakes } = study(judged, data.names, { width: at("graph").clientWidth, current, onGo: go, onPoint });
  at("graph").replaceChildren(graph);
  at("legend").replaceChildren(...legend);
  at("mistakes").replaceChildren(...mistakes);
  at("mistakes").parentNode.hidden = !mistakes.length;
  const row = judgedAt(current);
  if (row) board.compare(row);
  at("marked").replaceChildren(...(row ? markedMoves(row) : []));
  at("values").replaceChildren(...(row ? valueBars(row, row.action) : []));
  at("chooser").replaceChildren(...(row ? worded(`${moveText(row, data.names)} ${row.text}`) : ["There was no choice here."]));
}

function start() {
  at("heading").textContent = data.seat === null ? data.title : `${data.title} · seen by ${data.names[data.seat]}`;
  at("slider").max = String(lastFrame);
  at("view").append(make("option", { value: "" }, data.seat === null ? "above" : data.names[data.seat]), ...Object.keys(data.views).map((seat) => make("option", { value: seat }, data.names[seat])));
  at("view").parentNode.hidden = at("view").length === 1;
  at("moves").replaceChildren(...data.plies.map((ply, number) => {
    const regret = judgedAt(number)?.regret;
    const loss = regret > 0 ? make("span", { class: "lost" }, ` ${SHAPES.better} −${withoutUnit(lossOf(regret))}`) : null;
    return moveLine(number + 1, data.names[ply.seat], [...worded(said(ply)), loss], () => go(number + 1));
  }));
  at("values").parentNode.hidden = at("mistakes").parentNode.hidden = !data.judged;
  go(Number(new URLSearchParams(location.hash.slice(1)).get("ply")) || data.start);
}

function run(isRunning) {
  clearInterval(timer);
  timer = null;
  at("run").textContent = isRunning ? "Pause" : "Play";
  if (!isRunning) return;
  if (current === lastFrame) go(0);
  timer = setInterval(() => (current < lastFrame ? go(current + 1) : run(false)), RUN_MS);
}

at("slider").addEventListener("input", () => { run(false); go(Number(at("slider").value)); });
at("first").addEventListener("click", () => { run(false); go(0); });
at("back").addEventListener("click", () => { run(false); go(current - 1); });
at("forth").addEventListener("click", () => { run(false); go(current + 1); });
at("last").addEventListener("click", () => { run(false); go(lastFrame); });
if (data.open) { // a page of the table's server
  at("play-on").hidden = false;
  at("play-on").addEventListener("click", () => {
    location.href = `/#open=${encodeURIComponent(JSON.stringify({ ...data.open, actions: data.open.actions.slice(0, current) }))}`;
  });
}
at("run").addEventListener("click", () => run(timer === null));
addEventListener("keydown", (event) => {
  if (event.target.tagName === "INPUT") return;
  const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -lastFrame, End: lastFrame };
  if (event.key in steps) { run(false); go(current + steps[event.key]); event.preventDefault(); }
});
start();
for (const changing of [narrow, at("view")]) changing.addEventListener("change", () => {
  board.show(picture(current), {}, { animate: false });
  showValues();
});
