// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks through pages in a browser as a reader would. test/page.py makes the
// pages and calls this.
//
//   node web/test/page.mjs FOLDER/node_modules FOLDER-WITH-PAGES
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { openPage, startBrowser } from "./browser.mjs";

const [packages, folder] = process.argv.slice(2);
const axe = readFileSync(path.join(packages, "axe-core/axe.min.js"), "utf8");
const started = performance.now();
const browser = await startBrowser(packages);
const file = (name) => path.join(folder, `${name}.html`);

/** Nothing that is seen leaves the page at the side. */
async function checkWidth(page, where) {
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(wide <= room, `${where}: the page is ${wide} wide, and the window ${room}`);
}

/** No box of a graph covers another, and no text leaves its box at the side. */
async function checkBoxes(page, where) {
  const found = await page.evaluate(() => {
    const bad = [];
    for (const canvas of document.querySelectorAll(".canvas")) {
      const boxes = [...canvas.querySelectorAll(".node")].map((node) => [node.offsetLeft, node.offsetTop, node.offsetWidth, node.offsetHeight, node.getAttribute("aria-label")]);
      boxes.sort((a, b) => a[1] - b[1]);
      for (let a = 0; a < boxes.length; ++a)
        for (let b = a + 1; b < boxes.length && boxes[b][1] < boxes[a][1] + boxes[a][3]; ++b)
          if (boxes[a][0] < boxes[b][0] + boxes[b][2] && boxes[b][0] < boxes[a][0] + boxes[a][2]) bad.push(`${boxes[a][4]} and ${boxes[b][4]}`);
      for (const node of canvas.querySelectorAll(".node")) {
        const room = node.getBoundingClientRect();
        for (const text of node.querySelectorAll("span, strong, svg")) {
          const box = text.getBoundingClientRect();
          if (box.width > 0 && (box.left < room.left - 1 || box.right > room.right + 1 || box.bottom > room.bottom + 1 || box.top < room.top - 1)) bad.push(`text of ${node.getAttribute("aria-label")}`);
        }
        const parts = [...node.querySelectorAll(".line > *")].map((each) => each.getBoundingClientRect());
        for (let a = 0; a < parts.length; ++a)
          for (let b = a + 1; b < parts.length; ++b)
            if (parts[a].left < parts[b].right - 1 && parts[b].left < parts[a].right - 1 && parts[a].top < parts[b].bottom - 1 && parts[b].top < parts[a].bottom - 1) bad.push(`texts within ${node.getAttribute("aria-label")}`);
      }
    }
    return bad.slice(0, 5);
  });
  assert.deepEqual(found, [], `${where}: overlaps`);
}

/** No text of the page lies on another one: what is scrolled or clipped away counts
 *  as far as it is seen. */
async function checkTexts(page, where) {
  const found = await page.evaluate(() => {
    const everything = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity }, rooms = new Map();
    /** What of an element's inside is seen. */
    const roomOf = (element) => {
      if (!element) return everything;
      if (!rooms.has(element)) {
        const around = roomOf(element.parentElement);
        let room = around;
        if (getComputedStyle(element).overflowX !== "visible") {
          const box = element.getBoundingClientRect();
          room = { left: Math.max(box.left, around.left), right: Math.min(box.right, around.right), top: Math.max(box.top, around.top), bottom: Math.min(box.bottom, around.bottom) };
        }
        rooms.set(element, room);
      }
      return rooms.get(element);
    };
    const seen = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      if (text.data.trim() === "" || !text.parentElement.checkVisibility() || text.parentElement.closest("script, style")) continue;
      const room = roomOf(text.parentElement);
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const box of range.getClientRects()) {
        const left = Math.max(box.left, room.left), right = Math.min(box.right, room.right), top = Math.max(box.top, room.top), bottom = Math.min(box.bottom, room.bottom);
        if (right - left > 1 && bottom - top > 1) seen.push({ left, top, right, bottom, text });
      }
    }
    seen.sort((a, b) => a.top - b.top);
    const bad = [];
    for (let a = 0; a < seen.length; ++a)
      for (let b = a + 1; b < seen.length && seen[b].top < seen[a].bottom - 3; ++b) {
        const [one, other] = [seen[a], seen[b]];
        // The heads of tables stay where rows scroll under them.
        if (one.text === other.text || [one, other].some(({ text }) => text.parentElement.closest("thead, .details"))) continue;
        if (one.left < other.right - 2 && other.left < one.right - 2) bad.push(`"${one.text.data.slice(0, 40)}" and "${other.text.data.slice(0, 40)}"`);
      }
    return bad.slice(0, 5);
  });
  assert.deepEqual(found, [], `${where}: texts overlap`);
}

/** axe-core's findings that keep somebody from using the page. */
async function checkAccess(page, where) {
  // The page's policy lets no other script in: this one comes from the tool that
  // drives the browser.
  const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] }).then((all) => all.violations
    .filter((each) => each.impact === "serious" || each.impact === "critical")
    .map((each) => each.id + ": " + each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + " " + node.any.map((one) => one.message).join(" ")).join(" | ")))`);
  assert.deepEqual(found, [], `${where}: axe-core`);
}

const zoomed = { viewport: { width: 320, height: 256 } };

/** Opens a page at the usual size, walks, and does it again at 400 % of zoom, which
 *  is a window of 320 by 256 points, unless there is nothing new in that, and in the
 *  dark where `inTheDark`. */
async function walk(name, steps, inTheDark = false, isZoomed = true) {
  for (const [how, options] of [["at 1280 px", {}], ["at 400 %", zoomed], ["in the dark", { colorScheme: "dark" }]]) {
    if ((how === "in the dark" && !inTheDark) || (options === zoomed && !isZoomed)) continue;
    const { page, context, complaints } = await openPage(browser, file(name), options);
    const where = `${name} ${how}`;
    await checkWidth(page, where);
    await checkBoxes(page, where);
    await checkTexts(page, where);
    await steps(page, where);
    await checkWidth(page, `${where}, at the end`);
    await checkTexts(page, `${where}, at the end`);
    if (options !== zoomed || inTheDark) await checkAccess(page, `${where}, at the end`);
    assert.deepEqual(complaints, [], `${where}: the console`);
    await context.close();
  }
  console.log(`${name}: walked at ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

const text = (page, selector) => page.locator(selector).first().textContent();

async function search(page, words, wanted) {
  await page.fill("#search", words);
  await page.waitForSelector("#results li");
  assert.match(await text(page, "#results li"), wanted);
  await page.press("#search", "Enter");
}

/** Shows a stage beside the one before it. */
async function switchBeforeAndAfter(page, where, before, after) {
  await page.click("text=Before and after");
  assert.equal(await page.locator(".both .graph").count(), 2);
  assert.match(await text(page, ".both section:nth-child(1)"), before);
  assert.match(await text(page, ".both section:nth-child(2)"), after);
  await checkBoxes(page, `${where}, before and after`);
  await checkTexts(page, `${where}, before and after`);
  await checkWidth(page, `${where}, before and after`);
}

/** Steps from the first row of a schedule to its last one. */
async function stepThroughSchedule(page, where) {
  await page.click(".choices >> text=Schedule");
  await checkTexts(page, `${where}, the schedule`);
  assert.match(await text(page, ".readout"), /Row 1 of/);
  await page.click("[aria-label='next row']");
  await page.focus("canvas.time");
  for (let step = 0; step < 4; ++step) await page.keyboard.press("ArrowRight");
  assert.match(await text(page, ".readout"), /Row 6 of/);
  await page.keyboard.press("End");
  await page.keyboard.press("+");
  const [row, rows] = /Row ([\d,]+) of ([\d,]+)/.exec(await text(page, ".readout")).slice(1);
  assert.equal(row, rows);
  assert.match(await text(page, ".timeline"), /an engine waits/);
  assert.ok(await page.evaluate(() => {
    const canvas = document.querySelector("canvas.time"), { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4) colours.add(`${data[at]},${data[at + 1]},${data[at + 2]},${data[at + 3]}`);
    return colours.size > 4;
  }), `${where}: the timeline is drawn`);
  // The row is told beside it.
  assert.notEqual((await text(page, ".details h2")).trim(), "");
  // The last stage has none after it: it stands beside the one before.
  await page.click("text=Before and after");
  assert.match(await text(page, ".both section:nth-child(2) h3"), /After: Schedule/);
}

// The failure that the project starts from: why, where, and what repairs it.
await walk("field-log", async (page, where) => {
  const answer = await text(page, ".answer");
  assert.match(await text(page, ".words pre"), /every tile holds the same/);
  assert.match(answer, /Why PermuteCast Add_1106 failed/);
  assert.match(answer, /SEGMENTED[\s\S]*OVERLAPPED/);
  assert.match(answer, /0 bytes differ/);
  assert.match(answer, /Repair:[\s\S]*0 bytes more move/);
  await checkAccess(page, `${where}, at the beginning`);
  await search(page, "permute_cast", /npu\.permute_cast/);
  assert.match(await text(page, ".details"), /The sides differ in name only: 0 bytes differ/);
  assert.match(await text(page, ".node.bad"), /0 bytes differ/);
  await switchBeforeAndAfter(page, where, /permute_cast[\s\S]*OVERLAPPED/, /distribution_cast/);
  // The repair moves nothing.
  await page.click(".choices >> text=Schedule");
  assert.match(await text(page, ".timeline"), /Nothing runs: no engine has work, and no byte moves/);
  await page.click(".choices >> text=Repaired");
  assert.equal(await page.locator(".node.bad").count(), 0);
  await search(page, "%0", /%0/);
  assert.match(await text(page, ".details"), /NHWC/);
  assert.match(await text(page, ".details table"), /\[0:1, 0:128, 0:7, 0:336\]/);
  // With the keyboard alone: from the value to who reads it.
  await page.focus(".node[aria-pressed=true]");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.match(await text(page, ".details h2"), /distribution_cast/);
}, true);

await walk("field-dump", async (page, where) => {
  assert.match(await text(page, ".answer"), /Why PermuteCast[\s\S]*let the cast declare SEGMENTED[\s\S]*0 bytes more move/);
  await search(page, "permute_cast", /npu\.permute_cast/);
  assert.match(await text(page, ".details"), /The sides differ in name only: 0 bytes differ/);
  assert.doesNotMatch(await text(page, ".details"), /Wrong as the dump has it/);
  await search(page, "redistribute", /npu\.redistribute/);
  assert.match(await text(page, ".details"), /bytes move/);
  assert.match(await text(page, ".matrix"), /tile 3[\s\S]*DDR602 kB/);
  await switchBeforeAndAfter(page, where, /0 bytes differ/, /both sides agree/);
  await stepThroughSchedule(page, where);
});

// What only the explanation of a dump knows to be wrong: which operand, and why.
await walk("field-edges", async (page, where) => {
  assert.match(await text(page, ".answer"), /6 more operations fail/);
  assert.match(await text(page, ".problems"), /VPU\.NCE\.MaxPool: tile 0 holds \[0:1, 0:48, 0:16, 0:62\], and reads[\s\S]*let %1 have the type/);
  const wrong = () => page.locator(".edge.wrong").count();
  assert.equal(await wrong(), 7);
  await search(page, "VPU.NCE.MaxPool", /func\.call/);
  assert.match(await text(page, ".details"), /Refused: VPU\.NCE\.MaxPool: tile 0 holds/);
  assert.match(await text(page, ".node[aria-pressed=true]"), /✕VPU\.NCE\.MaxPool[\s\S]*276 kB lacking/);
  // Passes repair what they know; the others stay wrong, and the page says so.
  await page.click(".choices >> text=Repaired");
  assert.match(await text(page, ".notice"), /4 edges into operations that are known by name only are as wrong as before/);
  assert.equal(await wrong(), 4);
  await search(page, "VPU.NCE.MaxPool", /func\.call/);
  assert.match(await text(page, ".details"), /Wrong as the dump has it, reading %\d+: tile 0 holds/);
}, false, false);

// Compiled models: layouts, decisions, and the schedule step by step.
for (const name of ["decoder-layer", "convolutions"])
  await walk(name, async (page, where) => {
    await page.click(".choices >> text=Distributed");
    await checkBoxes(page, `${where}, distributed`);
    await search(page, name === "convolutions" ? "OVERLAPPED" : "matmul", name === "convolutions" ? /./ : /matmul/);
    if (name === "convolutions") assert.match(await text(page, ".details"), /halo/);
    await page.click(".choices >> text=Decisions");
    assert.match(await text(page, ".decisions"), /the next best/);
    await page.click(".choices >> text=Graph");
    await search(page, "distribution_cast", /npu\.distribution_cast/);
    assert.match(await text(page, ".details"), /A new name for the same data: 0 bytes move/);
    await page.click(".choices >> nth=0 >> button >> nth=0");
    await switchBeforeAndAfter(page, where, /DDR/, /DUPLICATED|SEGMENTED|OVERLAPPED/);
    await stepThroughSchedule(page, where);
  });

await walk("artefact", async (page) => {
  assert.match(await text(page, ".notice"), /no stage with tensors over tiles[\s\S]*--npu-page-compile/);
  assert.match(await text(page, "header"), /artefact/);
  await search(page, "transfer", /npu\.transfer/);
  assert.match(await text(page, ".details"), /DDR to tile \d, tile \d, [\d]+ bytes/);
  await page.click(".choices >> text=Schedule");
  assert.match(await text(page, ".readout"), /tile|dma/);
});

// A program without locations is shown all the same.
await walk("nowhere", async (page) => {
  assert.match(await text(page, ".answer"), /no location/);
  await search(page, "permute_cast", /permute_cast/);
  assert.match(await text(page, ".details"), /Tiles lack 32 bytes[\s\S]*the file says none/);
}, false, false);

// What a file holds is text, whatever it says.
await walk("script", async (page) => {
  const state = await page.evaluate(() => [window.broken ?? "whole", document.querySelectorAll("body img, body iframe").length, document.querySelectorAll("script").length]);
  assert.deepEqual(state, ["whole", 0, 3]);
  await search(page, "window.broken = 1", /<script>window\.broken = 1<\/script>/);
  assert.match(await text(page, ".details"), /<script>window\.broken = 1<\/script>, <\/script><img src=x onerror='window\.broken = 2'>/);
});

// The policy stops what would still try: neither inline scripts nor the network.
const { page, context } = await openPage(browser, file("field-log"));
const stopped = await page.evaluate(async () => {
  const script = document.createElement("script");
  script.textContent = "window.broken = 1";
  document.body.append(script);
  const fetched = await fetch("data:text/plain,x").then(() => true, () => false);
  return [window.broken ?? "whole", fetched];
});
assert.deepEqual(stopped, ["whole", false]);
// Licences of what is bundled are in the page.
assert.match(await page.locator("footer").textContent(), /@dagrejs\/dagre[\s\S]*MIT[\s\S]*Permission is hereby granted/);
await context.close();
await browser.close();
