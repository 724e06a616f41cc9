// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A browser without a window, for tests and pictures of the page.
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** Starts Debian's Chromium with the packages in a folder. */
export async function startBrowser(packages) {
  const { chromium } = createRequire(path.resolve(packages, "x.js"))("playwright-core");
  return chromium.launch({
    executablePath: process.env.NPU_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb", "--font-render-hinting=none"],
  });
}

/** Opens a page's file, and collects what it complains about or asks for. */
export async function openPage(browser, file, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 }, colorScheme: "light", reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  const url = pathToFileURL(file).href;
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) complaints.push(`asks for ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector("header h1");
  return { page, context, complaints };
}
