// Keeps the page alive: panels come rendered from the service and are swapped where they changed.
"use strict";
(() => {
  const EVERY = 3000, EVERY_SERIES = 10000;
  const $ = id => document.getElementById(id);
  const panels = $("panels");
  let key = null, paused = false, seriesAt = 0, busy = false;
  try { key = sessionStorage.getItem("memstream-key"); } catch { /* storage may be closed to us */ }

  class Refused extends Error { constructor(status, text) { super(text); this.status = status; } }
  async function ask(path, body) {
    const headers = {};
    if (key) headers.Authorization = `Bearer ${key}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const answer = await fetch(path, { method: body === undefined ? "GET" : "POST", headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store" });
    if (!answer.ok) {
      let text = `the service answered ${answer.status}`;
      try { const p = await answer.json(); text = p.detail || p.title || text; } catch { /* not a problem document */ }
      throw new Refused(answer.status, text);
    }
    return answer;
  }
  const say = text => { $("said").textContent = text; };

  // -- live panels
  function swap(html) {
    const fresh = new DOMParser().parseFromString(`<div>${html}</div>`, "text/html");
    if (!panels.firstElementChild) panels.replaceChildren(...fresh.body.firstElementChild.childNodes);
    fresh.querySelectorAll("[data-letter]").forEach(retell);
    for (const panel of fresh.querySelectorAll("[data-panel]")) {
      const old = $(panel.id);
      if (!old || old.outerHTML === panel.outerHTML) continue;
      if (inUse(old)) { retally(old, panel); continue; }
      old.querySelectorAll("details[open][data-keep]").forEach(d => panel.querySelector(`details[data-keep="${d.dataset.keep}"]`)?.setAttribute("open", ""));
      old.replaceWith(panel);
    }
  }
  // Figures of a panel that somebody stands in: its rows wait, or the focus would be lost with them.
  function retally(old, panel) {
    for (const part of old.querySelectorAll("[data-live]")) {
      const now = panel.querySelector(`[data-live="${part.dataset.live}"]`);
      if (part.outerHTML === now?.outerHTML || (!getSelection().isCollapsed && part.contains(getSelection().anchorNode))) continue;
      if (now) part.replaceWith(now); else part.remove();
    }
  }
  const inUse = panel => panel.contains(document.activeElement) || panel.querySelector(".preview:not([hidden]), [data-busy]") !== null
    || (!getSelection().isCollapsed && panel.contains(getSelection().anchorNode));

  async function look() {
    if (busy || paused || document.hidden || !$("sign-in").hidden) return;
    busy = true;
    try {
      swap(await (await ask("ops/panels")).text());
      if (Date.now() - seriesAt > EVERY_SERIES) {
        Charts.show(await (await ask("ops/series")).json());
        seriesAt = Date.now();
      }
      offline("");
    } catch (e) {
      if (e.status === 401 || e.status === 403) signIn(e.message); else offline(e.message);
    } finally { busy = false; }
  }
  function offline(why) {
    const note = $("offline"), text = why && `No answer from the service (${why}). What you see is from before; trying again.`;
    if (note.textContent !== text) note.textContent = text;
    note.hidden = !why;
  }

  // -- keys
  function signIn(why) {
    $("sign-in").hidden = false; $("memory").hidden = true; panels.replaceChildren();
    $("sign-in-says").textContent = key ? why : "";
  }
  $("sign-in").addEventListener("submit", async event => {
    event.preventDefault();
    key = $("key").value.trim();
    try {
      await ask("ops/panels");
    } catch (e) { $("sign-in-says").textContent = e.message; return; }
    try { sessionStorage.setItem("memstream-key", key); } catch { /* stays for this page */ }
    $("key").value = "";
    $("sign-in").hidden = true; $("memory").hidden = false; seriesAt = 0;
    look();
  });

  // -- dead letters
  const DONE = {
    replayed: "replayed", dropped: "dropped", already: "already",
    replayed_before: "was replayed before, and is not dropped", dropped_before: "was dropped before, and is not replayed",
  };
  const LEFT = {
    failed: "The brokers did not take it: it stands as it was. Doing it again is safe.",
    unreplayable: "It cannot be replayed: the reader that failed reads no such topic. It stays until it is dropped.",
    gone: "Retention has taken it: there is nothing to put back.",
  };
  const told = new Map();  // letter -> what became of the last try, also when its panel comes anew
  function tell(row, text) {
    told.set(row.dataset.letter, text); retell(row); say(`Dead letter ${row.dataset.letter}: ${text}`);
  }
  function retell(row) {
    const text = told.get(row.dataset.letter);
    if (!text) return;
    const note = row.querySelector(".told") ?? row.querySelector(".what").appendChild(Object.assign(document.createElement("p"), { className: "told bad-text" }));
    note.textContent = text;
  }
  function refused(row, e) {
    if (e.status === 401) signIn(e.message);
    else if (e instanceof Refused) tell(row, e.message);
    else { tell(row, "The service did not answer. Doing it again is safe."); offline(e.message); }
  }
  panels.addEventListener("click", event => {
    const button = event.target.closest("button[data-do]");
    if (button) ({ show: preview, replay: decide, drop: decide })[button.dataset.do](button, button.closest("[data-letter]"));
  });
  async function preview(button, row) {
    const box = row.querySelector(".preview");
    if (!box.hidden) { box.hidden = true; button.setAttribute("aria-expanded", "false"); return; }
    try {
      const found = await (await ask(`v1/dead-letters/${encodeURIComponent(row.dataset.letter)}`)).json();
      const { form, bytes, value } = found.preview;
      box.textContent = `${form}, ${bytes} bytes, values masked\n\n${form === "text" ? value : JSON.stringify(value, null, 2)}`;
      box.hidden = false; button.setAttribute("aria-expanded", "true");
    } catch (e) { refused(row, e); }
  }
  async function decide(button, row) {
    const what = button.dataset.do, id = row.dataset.letter;
    if (what === "drop" && !await sure("Drop this dead letter?", "It is offered no more. Its bytes leave the log with the topic’s retention.", "Drop")) return;
    row.dataset.busy = ""; button.disabled = true;
    const stays = () => { delete row.dataset.busy; button.disabled = false; button.focus(); };
    try {
      const answer = await (await ask(`v1/dead-letters/${what}`, { ids: [id] })).json();
      const outcome = answer.results[0]?.outcome ?? "gone";
      if (!(outcome in DONE)) { stays(); tell(row, LEFT[outcome] ?? outcome); return; }
      told.delete(id);
      say(`Dead letter ${id}: ${DONE[outcome]}`);
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      (next?.querySelector("button") ?? $("main")).focus();
    } catch (e) { stays(); refused(row, e); }
  }
  function sure(title, text, yes) {
    const dialog = $("sure");
    $("sure-h").textContent = title; $("sure-says").textContent = text; $("sure-yes").textContent = yes;
    dialog.returnValue = "no";
    dialog.showModal();
    return new Promise(done => dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true }));
  }

  // -- a user's memory
  async function timeline(cursor) {
    const box = $("timeline"), user = $("user").value.trim();
    if (!user) return;
    try {
      const html = await (await ask("ops/timeline", { user_id: user, ...(cursor ? { cursor } : {}) })).text();
      const fresh = new DOMParser().parseFromString(html, "text/html").body;
      if (cursor) { $("older").closest("p").remove(); box.append(...fresh.childNodes); } else box.replaceChildren(...fresh.childNodes);
    } catch (e) { box.replaceChildren(Object.assign(document.createElement("p"), { className: "empty bad-text", textContent: e.message })); }
  }
  $("ask-user").addEventListener("submit", event => { event.preventDefault(); timeline(null); });
  $("timeline").addEventListener("click", event => { if (event.target.id === "older") timeline(event.target.dataset.cursor); });

  // -- the page's own tools
  $("pause").addEventListener("click", () => {
    paused = !paused;
    $("pause").setAttribute("aria-pressed", String(paused));
    $("pause").firstElementChild.textContent = paused ? "▶" : "❚❚";
    $("pause").lastElementChild.textContent = paused ? "Go on" : "Pause";
    $("pause").setAttribute("aria-label", paused ? "Go on updating" : "Pause updating");
    if (!paused) look();
  });
  $("pause").setAttribute("aria-label", "Pause updating");
  const root = document.documentElement;
  const named = () => { const now = root.dataset.theme ?? "auto"; $("theme-now").textContent = now; $("theme").setAttribute("aria-label", `Theme: ${now}`); };
  $("theme").addEventListener("click", () => {
    const next = { auto: "light", light: "dark", dark: "auto" }[root.dataset.theme ?? "auto"];
    if (next === "auto") delete root.dataset.theme; else root.dataset.theme = next;
    try { localStorage.setItem("memstream-theme", next); } catch { /* stays for this page */ }
    named(); Charts.again();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", Charts.again);
  named();

  if (key && !$("sign-in").hidden) { $("sign-in").hidden = true; $("memory").hidden = false; }
  look();
  setInterval(look, EVERY);
  document.addEventListener("visibilitychange", look);
})();
