// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a page takes to open, and all its layers. scripts/take-pictures.py --time
// makes the page and calls this.
//
//   node web/test/time.mjs FOLDER/node_modules PAGE.html
import { openPage, startBrowser } from "./browser.mjs";

const [packages, file] = process.argv.slice(2);
const browser = await startBrowser(packages);
const { page } = await openPage(browser, file);
const times = await page.evaluate(async () => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  const opened = performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd;
  const groups = document.querySelectorAll(".fold, .segment").length, begin = performance.now();
  const button = [...document.querySelectorAll("button")].find((each) => each.textContent === "Open all");
  button?.click();
  await painted();
  await painted();
  return { opened, layers: button ? performance.now() - begin : undefined, groups,
           segments: document.querySelectorAll(".segment").length, boxes: document.querySelectorAll(".node").length };
});
console.log(`the page: ${times.opened.toFixed(0)} ms`);
if (times.layers !== undefined) console.log(`all ${times.segments} parts opened: ${times.layers.toFixed(0)} ms, ${times.boxes} boxes in or near view`);
await browser.close();
