// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the page: one HTML file with its script and its style inside, which
// fetches nothing. scripts/build-page.sh calls it.
//
//   node web/build.mjs --packages=FOLDER/node_modules --literal=Page.inc
//   node web/build.mjs --packages=FOLDER/node_modules --tests=FOLDER
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const web = path.dirname(fileURLToPath(import.meta.url));
const options = Object.fromEntries(
  process.argv.slice(2).map((argument) => argument.replace(/^--/, "").split("=")));
const packages = path.resolve(options.packages ?? path.join(web, "node_modules"));
const esbuild = createRequire(path.join(packages, "x.js"))("esbuild");

/** Bundles one entry, and says which files went into it. */
async function bundle(entry, more = {}) {
  const result = await esbuild.build({
    entryPoints: [path.join(web, entry)],
    bundle: true,
    write: false,
    metafile: true,
    target: "es2021",
    charset: "utf8",
    legalComments: "none",
    nodePaths: [packages],
    logLevel: "warning",
    ...more,
  });
  return { text: result.outputFiles[0].text, inputs: Object.keys(result.metafile.inputs) };
}

/** The name, version and licence text of every package that was bundled. */
function licencesOf(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input.replaceAll("\\", "/"));
    if (found) names.add(found[1]);
  }
  return [...names].sort().map((name) => {
    const folder = path.join(packages, name);
    const about = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (!file) throw new Error(`${name}: expected a file with its licence, found none`);
    return { name, version: about.version, licence: about.license,
             text: readFileSync(path.join(folder, file), "utf8").trim() };
  });
}

const hashOf = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
// What stands in a script may not end it.
const inScript = (text) => text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

async function page() {
  const script = await bundle("src/main.ts", { minify: true, format: "iife" });
  const style = (await bundle("src/page.css", { minify: true })).text.trim();
  const licences = licencesOf(script.inputs);
  const code = inScript(script.text.trim());
  const policy = ["default-src 'none'", `script-src ${hashOf(code)}`, `style-src ${hashOf(style)}`,
                  "base-uri 'none'", "form-action 'none'"].join("; ");
  const about = inScript(JSON.stringify(licences).replaceAll("<", "\\u003c"));
  return readFileSync(path.join(web, "src/page.html"), "utf8")
    .replace("%POLICY%", () => policy)
    .replace("%STYLE%", () => style)
    .replace("%LICENCES%", () => about)
    .replace("%SCRIPT%", () => code);
}

if (options.literal) {
  const html = await page();
  // Compilers take literals of any length, one after the other, and raw ones as
  // they are.
  const parts = html.match(/[\s\S]{1,8000}/gu) ?? [];
  for (const part of parts)
    if (part.includes(")PAGE\"")) throw new Error("the page holds the end of its own literal");
  writeFileSync(options.literal, parts.map((part) => `R"PAGE(${part})PAGE"`).join("\n") + "\n");
}
if (options.tests) {
  mkdirSync(options.tests, { recursive: true });
  for (const file of readdirSync(path.join(web, "test")).filter((each) => each.endsWith(".test.ts"))) {
    const test = await bundle(`test/${file}`, { platform: "node", format: "esm" });
    writeFileSync(path.join(options.tests, file.replace(/\.ts$/, ".mjs")), test.text);
  }
}
