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
 *  is a window of 320 by 256 points, and in the dark where `inTheDark`. */
async function walk(name, steps, inTheDark = false) {
  for (const [how, options] of [["at 1280 px", {}], ["at 400 %", zoomed], ["in the dark", { colorScheme: "dark" }]]) {
    if (how === "in the dark" && !inTheDark) continue;
    const { page, context, complaints } = await openPage(browser, file(name), options);
    const where = `${name} ${how}`;
    await checkWidth(page, where);
    await checkBoxes(page, where);
    await steps(page, where);
    await checkWidth(page, `${where}, at the end`);
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
  await page.click("text=Before and after");
  assert.equal(await page.locator(".both .graph").count(), 2);
  assert.match(await text(page, ".both section:nth-child(1)"), /permute_cast[\s\S]*OVERLAPPED/);
  assert.match(await text(page, ".both section:nth-child(2)"), /distribution_cast/);
  await checkBoxes(page, `${where}, before and after`);
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

await walk("field-dump", async (page) => {
  assert.match(await text(page, ".answer"), /Why PermuteCast[\s\S]*0 bytes more move/);
  await search(page, "redistribute", /npu\.redistribute/);
  assert.match(await text(page, ".details"), /bytes move/);
  assert.match(await text(page, ".matrix"), /tile 3[\s\S]*DDR602 kB/);
});

// Compiled models: layouts, decisions, and the schedule step by step.
for (const name of ["decoder-layer", "convolutions"])
  await walk(name, async (page, where) => {
    await page.click(".choices >> text=Distributed");
    await checkBoxes(page, `${where}, distributed`);
    await search(page, name === "convolutions" ? "OVERLAPPED" : "matmul", name === "convolutions" ? /./ : /matmul/);
    if (name === "convolutions") assert.match(await text(page, ".details"), /halo/);
    await page.click(".choices >> text=Decisions");
    assert.match(await text(page, ".decisions"), /the next best/);
    await page.click(".choices >> text=Schedule");
    const first = await text(page, ".readout");
    assert.match(first, /Row 1 of/);
    await page.focus("canvas.time");
    for (let step = 0; step < 5; ++step) await page.keyboard.press("ArrowRight");
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
  });

await walk("artefact", async (page) => {
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
});

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
