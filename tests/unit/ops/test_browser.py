"""The operators' page in headless Chromium, where the machine has one: every state, light and dark, desk and phone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
import uvicorn

from tests.tools import needs
from tests.unit.ops.browser import Tab, browser, tab
from tests.unit.ops.states import service

pytestmark = [needs("chromium"), pytest.mark.slow]
CONTRAST = """(() => {
  const lum = c => { const f = c.map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; };
  const rgb = t => (t.match(/[\\d.]+/g) ?? []).map(Number);
  const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > .99) return c; } return rgb(getComputedStyle(document.body).backgroundColor); };
  const poor = [];
  for (const e of document.querySelectorAll("main *, header *, footer *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !e.checkVisibility() || e.closest(".unseen, .skip, option, svg, meter")) continue;
    const style = getComputedStyle(e), text = rgb(style.color), behind = ground(e);
    if (style.color.startsWith("color(") || behind.length < 3) continue;
    const [a, b] = [lum(text), lum(behind)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) poor.push(`${e.className || e.tagName}: ${ratio.toFixed(2)}`);
  }
  return poor.slice(0, 5);
})()"""  # noqa: E501
NAMELESS = """[...document.querySelectorAll("button, input, a, meter")].filter(e => e.checkVisibility() && !(
  e.textContent.trim() || e.getAttribute("aria-label") || e.labels?.length)).map(e => e.outerHTML).slice(0, 3)"""


WRITES = """(() => {
  const draw = CanvasRenderingContext2D.prototype.fillText, clear = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.fillText = function (t, x, y, ...more) {
    (this.canvas.written ??= []).push([t, this.textAlign]);
    const over = x + this.measureText(t).width / 2 - this.canvas.width;
    if (this.textAlign === "center" && over > 0) (window.cut ??= []).push(`${t}: ${over}`);
    return draw.call(this, t, x, y, ...more);
  };
  CanvasRenderingContext2D.prototype.clearRect = function (...a) {
    this.canvas.written = []; return clear.apply(this, a);
  };
})()"""
"""Keeps what is written on each canvas since it was last wiped (labels of axes are no elements), and what of it does
not fit at the right."""
LABELS = """[...document.querySelectorAll('[data-chart] canvas')].map(c => Object.values(
  Object.groupBy(c.written, w => w[1])).map(axis => axis.map(w => w[0])))"""


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ops-page")


@asynccontextmanager
async def opened(state: str, width: int, theme: Literal["light", "dark"], first: str = "") -> AsyncIterator[Tab]:
    server = uvicorn.Server(uvicorn.Config(service(state), port=0, lifespan="off", log_config=None))
    task = asyncio.create_task(server.serve())
    try:
        async with browser() as endpoint, tab(endpoint) as page:
            port = server.servers[0].sockets[0].getsockname()[1]
            if first:
                await page.call("Page.addScriptToEvaluateOnNewDocument", source=first)
            await page.open(f"http://127.0.0.1:{port}/ops", width, 900, theme)
            yield page
    finally:
        server.should_exit = True
        await task


@pytest.mark.parametrize(
    ("state", "width", "theme"),
    [("empty", 390, "light"), ("busy", 1440, "dark"), ("down", 390, "dark"), ("letters", 1440, "light")],
)
async def test_each_state_fits_reads_well_and_breaks_no_policy(
    state: str, width: int, theme: Literal["light", "dark"], pictures: Path
) -> None:
    async with opened(state, width, theme) as page:
        assert await page.value("document.documentElement.scrollWidth") <= width
        assert await page.value(CONTRAST) == []
        assert await page.value(NAMELESS) == []
        await page.picture(pictures / f"{state}-{width}-{theme}.png")
        assert page.said == []


@pytest.mark.parametrize(("state", "width"), [("young", 1440), ("young", 390), ("down", 1440), ("busy", 390)])
async def test_no_axis_says_the_same_twice(state: str, width: int) -> None:
    """A page that is two minutes old has several labels a minute; a lag of minutes has several a minute, too."""
    async with opened(state, width, "light", WRITES) as page:
        axes = [labels for chart in await page.value(LABELS) for labels in chart]
        assert len(axes) >= 6, axes
        assert sum(len(labels) > 2 for labels in axes) >= 4, axes
        for labels in axes:
            assert len(labels) == len(set(labels)), labels
        assert await page.value("window.cut ?? []") == []


async def test_letters_are_looked_at_and_decided_by_keyboard_and_a_user_is_asked_for() -> None:
    async with opened("letters", 1280, "light") as page:
        await page.value("document.querySelector('[data-do=show]').focus()")
        for kind in ("keyDown", "keyUp"):
            await page.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r",
                            windowsVirtualKeyCode=13)  # fmt: skip
        await page.until("document.querySelector('.preview:not([hidden])')")
        shown = await page.value("document.querySelector('.preview').textContent")
        assert "text, 14 characters" in shown
        assert "text of a user" not in shown
        assert await page.value("document.querySelector('[data-do=show]').getAttribute('aria-expanded')") == "true"
        await page.value("document.querySelector('[data-do=drop]').click()")
        assert await page.value("document.getElementById('sure').open")
        assert await page.value("document.activeElement.value") == "no"
        await page.value("document.querySelector('#sure [value=no]').click()")
        await page.value("document.getElementById('user').value = 'ana'")
        await page.value("document.getElementById('ask-user').requestSubmit()")
        await page.until("document.querySelector('.timeline li')")
        assert "ana" not in await page.value("location.href")
        assert await page.value("document.querySelectorAll('.timeline b').length") == 0
        await page.value("document.getElementById('theme').click()")
        assert await page.value("document.documentElement.dataset.theme") == "light"
        assert page.said == []


ANSWERS = """(() => {
  const real = fetch; window.answers = {};
  window.fetch = async (path, o) => {
    const key = Object.keys(answers).find(k => String(path).includes(k));
    if (!key) return real(path, o);
    if (answers[key] === null) throw new TypeError("Failed to fetch");
    const [status, body] = answers[key];
    return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
  };
})()"""
"""What the service would say to a path, in its place; null: nothing."""
FIRST = "document.querySelector('[data-letter]')"
TEXT = f"{FIRST}.querySelector('.told')"


def outcome(word: str) -> str:
    return f"[202, {{results: [{{id: 'x', outcome: '{word}'}}], outcomes: {{}}, left: 0}}]"


UNDECIDED = (
    ("replay", outcome("failed"), "did not take it"),
    ("replay", outcome("unreplayable"), "cannot be replayed"),
    ("replay", outcome("gone"), "Retention has taken it"),
    ("drop", outcome("failed"), "did not take it"),
    ("replay", "[403, {detail: 'it needs `admin`'}]", "it needs `admin`"),
    ("show", "[422, {detail: 'no such letter'}]", "no such letter"),
    ("replay", "null", "did not answer"),
)


async def test_a_letter_that_was_not_decided_stays_and_says_why() -> None:
    async with opened("letters", 1280, "light", ANSWERS) as page:
        letters = await page.value("document.querySelectorAll('[data-letter]').length")
        for what, answer, text in UNDECIDED:
            await page.value(f"answers['v1/dead-letters/'] = {answer}")
            await page.value(f"{FIRST}.querySelector('[data-do={what}]').click()")
            if what == "drop":
                await page.value("document.querySelector('#sure [value=yes]').click()")
            await page.until(f"{TEXT}?.textContent.includes('{text}')")
            assert await page.value(f"{TEXT}.checkVisibility() && {TEXT}.offsetHeight > 10")
            assert await page.value("document.getElementById('offline').hidden") is (answer != "null")
            assert await page.value("document.querySelectorAll('[data-letter]').length") == letters
        assert await page.value(CONTRAST) == []
        await page.value("document.activeElement.blur()")  # the panel comes anew, and still says it
        await page.value("document.querySelector('.letters').dataset.old = ''")
        await page.until("!('old' in document.querySelector('.letters').dataset)")
        assert "did not answer" in await page.value(f"{TEXT}.textContent")


async def test_the_tallies_go_on_while_the_focus_stands_in_the_panel() -> None:
    async with opened("letters", 1280, "light") as page:
        pill, chip = "document.querySelector('#letters .pill')", "document.querySelector('#letters .chips b')"
        before = await page.value(f"[{pill}.textContent, {chip}.textContent]")
        await page.value(f"{FIRST}.querySelector('[data-do=replay]').focus()")
        await page.value(f"{pill}.textContent = {chip}.textContent = 'of before'")
        await page.until(f"{pill}.textContent !== 'of before' && {chip}.textContent !== 'of before'")
        assert await page.value(f"[{pill}.textContent, {chip}.textContent]") == before
        assert await page.value("document.activeElement.dataset.do") == "replay"


async def test_a_letter_that_was_decided_leaves_the_page() -> None:
    async with opened("letters", 1280, "light", ANSWERS) as page:
        await page.value("answers['ops/panels'] = null")
        for word, text in (("replayed", "replayed"), ("already", "already"), ("dropped_before", "was dropped before")):
            first = await page.value(f"{FIRST}.dataset.letter")
            await page.value(f"answers['v1/dead-letters/'] = {outcome(word)}")
            await page.value(f"{FIRST}.querySelector('[data-do=replay]').click()")
            await page.until(f"{FIRST}.dataset.letter !== '{first}'")
            assert f"{first}: {text}" in await page.value("document.getElementById('said').textContent")
