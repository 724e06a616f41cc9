// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pictures of docs/page.md. scripts/take-pictures.py makes the pages and calls
// this.
//
//   node web/test/pictures.mjs FOLDER/node_modules FOLDER-WITH-PAGES docs/pictures
import path from "node:path";
import { openPage, startBrowser } from "./browser.mjs";

const [packages, folder, pictures] = process.argv.slice(2);
const browser = await startBrowser(packages);

/** Walks to what a picture shows, and takes it. */
async function take(picture, name, steps, options = {}) {
  const { page, context, complaints } = await openPage(browser, path.join(folder, `${name}.html`), options);
  await steps(page);
  await page.waitForTimeout(200);
  await page.screenshot({ path: path.join(pictures, `${picture}.png`) });
  if (complaints.length > 0) throw new Error(`${picture}: ${complaints.join("; ")}`);
  await context.close();
}

const high = (height) => ({ viewport: { width: 1280, height } });

async function search(page, words, place = 0) {
  await page.fill("#search", words);
  await page.waitForSelector("#results li");
  for (let step = 0; step < place; ++step) await page.press("#search", "ArrowDown");
  await page.press("#search", "Enter");
  await page.waitForSelector("#results", { state: "hidden" });
}

/** What is below the answer, in full. */
const toColumns = (page) => page.evaluate(() => document.querySelector(".columns").scrollIntoView({ block: "start" }));

await take("field-failure", "field-log", async () => {}, high(770));
await take("field-failure-without-colours", "field-log", async (page) => {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setEmulatedVisionDeficiency", { type: "achromatopsia" });
}, high(500));
await take("before-and-after", "field-log", async (page) => {
  await page.click("text=Before and after");
  await toColumns(page);
}, high(560));
await take("dump-edges", "field-edges", async (page) => {
  await search(page, "VPU.NCE.MaxPool");
  await toColumns(page);
}, high(660));
await take("halo", "convolutions", async (page) => {
  await page.click(".choices >> text=Distributed");
  await search(page, "OVERLAPPED");
  await toColumns(page);
}, high(820));
await take("traffic", "residual", async (page) => {
  await page.click(".choices >> text=Distributed");
  await search(page, "redistribute", 2);
  await toColumns(page);
}, high(960));
await take("timeline", "decoder-layer", async (page) => {
  await page.click(".choices >> text=Schedule");
  await page.focus("canvas.time");
  for (let step = 0; step < 60; ++step) await page.keyboard.press("ArrowRight");
  await toColumns(page);
}, high(880));
await take("decisions", "residual", async (page) => {
  await page.click(".choices >> text=Distributed");
  await page.click(".choices >> text=Decisions");
  await toColumns(page);
}, high(520));
await browser.close();
