// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a file with speedscope's own importer and prints the profiles that it
// finds, as JSON: their names, units and total weights.
//
//   node scripts/viewers/speedscope.mjs FOLDER_OF_node_modules FILE
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const [modules, file] = process.argv.slice(2);
const release = path.join(modules, "speedscope/dist/release");
const bundle = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
let code = fs.readFileSync(path.join(release, bundle), "utf8");

// The package is a page of one script. Its importer is a module in there, which
// the page loads when it is needed; here it is made reachable from outside.
const exported = /var (\w+)=\{\};\w+\(\1,\{[^}]*importProfileGroupFromText/.exec(code)[1];
const load = new RegExp(`\\(\\)=>\\((\\w+)\\(\\),${exported}\\)`).exec(code)[1];
code = code.replace("(()=>{", `(()=>{globalThis.importer = () => (${load}(), ${exported});`);

const quiet = { log() {}, warn() {}, error() {} };
const page = vm.createContext({ console: quiet, TextDecoder, TextEncoder, URL, setTimeout });
page.window = page.self = page;
try {
  vm.runInContext(code, page);
} catch {
  // The page itself needs a browser, which comes after the importer.
}
const text = fs.readFileSync(file, "utf8");
let group;
try {
  group = await page.importer().importProfileGroupFromText(path.basename(file), text);
} catch (error) {
  // The trace of the stack would begin with the whole bundle.
  console.error(`${file}: ${error.message}`);
}
if (!group) {
  console.error(`${file}: speedscope cannot open it`);
  process.exit(1);
}
console.log(JSON.stringify(group.profiles.map((profile) => ({
  name: profile.getName(),
  unit: profile.getWeightUnit(),
  weight: profile.getTotalWeight(),
}))));
