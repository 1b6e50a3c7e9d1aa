"use strict";
// What all pages need: to find an element, the owner's key, and to ask the server.

const $ = (id) => document.getElementById(id);
const fragment = () => new URLSearchParams(location.hash.slice(1));

const owner = {
  get key() { return sessionStorage.getItem("parlour.owner") || ""; },
  set key(value) { sessionStorage.setItem("parlour.owner", value); },
};

// Do what a button asks for, which can be pressed again afterwards; `tell` says what went wrong.
async function busy(button, act, tell) {
  tell("");
  button.disabled = true;
  try { await act(); } catch (error) { tell(error.message); }
  button.disabled = false;
}

async function ask(path, body, signal) {
  const request = { signal, headers: { Authorization: `Bearer ${owner.key}` } };
  if (body !== undefined) {
    request.method = "POST";
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  const answer = await fetch(path, request).catch(() => {
    throw new Error("The server does not answer: is `parlour` still running?");
  });
  const data = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw new Error(data.error || `the server answered ${answer.status}`);
  return data;
}
