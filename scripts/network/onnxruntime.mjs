// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a model with ONNX Runtime: inputs and results are .npy files. Prints one
// line of JSON: milliseconds to load the model and to run it. With --repeat=N,
// `run` is the least time of N runs after a first one; --threads=T runs on T
// threads. With --lines=1, every line of the standard input is the arguments of
// a run, with tabs between them, and a run that fails prints its error.
//
//   node onnxruntime.mjs [--repeat=N] [--threads=T] MODEL.onnx RESULT-FOLDER NAME=INPUT.npy ...

import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { createRequire } from 'node:module';

const require = createRequire(path.join(process.env.NPU_NODE_MODULES, 'package.json'));
const ort = require('onnxruntime-node');

const TYPES = {
  '<f4': ['float32', Float32Array],
  '<f8': ['float64', Float64Array],
  '<i2': ['int16', Int16Array],
  '<u2': ['uint16', Uint16Array],
  '<i4': ['int32', Int32Array],
  '<i8': ['int64', BigInt64Array],
  '|i1': ['int8', Int8Array],
  '|u1': ['uint8', Uint8Array],
  '|b1': ['bool', Uint8Array],
};

function readNpy(file) {
  const data = fs.readFileSync(file);
  const length = data.readUInt16LE(8);
  const header = data.subarray(10, 10 + length).toString('latin1');
  const descr = header.match(/'descr': '([^']*)'/)[1];
  const shape = header.match(/'shape': \(([^)]*)\)/)[1].split(',').filter((n) => n.trim()).map(Number);
  if (!(descr in TYPES)) throw new Error(`${file}: elements ${descr} are not passed on`);
  const [type, Numbers] = TYPES[descr];
  const bytes = new Uint8Array(data.subarray(10 + length));
  return new ort.Tensor(type, new Numbers(bytes.buffer), shape);
}

function writeNpy(file, tensor) {
  const descr = Object.keys(TYPES).find((key) => TYPES[key][0] === tensor.type);
  if (!descr) throw new Error(`result elements ${tensor.type} are not written`);
  const shape = tensor.dims.join(', ') + (tensor.dims.length === 1 ? ',' : '');
  let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;
  header += ' '.repeat((64 - ((10 + header.length + 1) % 64)) % 64) + '\n';
  const start = Buffer.alloc(10);
  start.write('\x93NUMPY\x01\x00', 'latin1');
  start.writeUInt16LE(header.length, 8);
  const data = tensor.data;
  fs.writeFileSync(file, Buffer.concat([start, Buffer.from(header, 'latin1'),
    Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}

/** Runs one model and prints a line of JSON. */
async function runModel(options, [model, folder, ...inputs]) {
  const begin = performance.now();
  const session = await ort.InferenceSession.create(model, {
    ...(options.threads ? { intraOpNumThreads: options.threads, interOpNumThreads: options.threads } : {}),
    ...(options.quiet ? { logSeverityLevel: 4 } : {}),
  });
  const loaded = performance.now();
  const feeds = {};
  for (const input of inputs) {
    const at = input.lastIndexOf('=');
    feeds[input.slice(0, at)] = readNpy(input.slice(at + 1));
  }
  let results, run = Infinity;
  for (let time = 0; time <= options.repeat; ++time) {
    const start = performance.now();
    results = await session.run(feeds);
    if (time > 0 || options.repeat === 0) run = Math.min(run, performance.now() - start);
  }
  session.outputNames.forEach((name, number) => {
    writeNpy(path.join(folder, `onnxruntime.${number}.npy`), results[name]);
  });
  await session.release();
  console.log(JSON.stringify({ load: loaded - begin, run }));
}

const words = process.argv.slice(2);
const options = { repeat: 0, threads: 0, lines: 0 };
while (words[0]?.startsWith('--')) {
  const [name, number] = words.shift().slice(2).split('=');
  if (!(name in options)) throw new Error(`expected --repeat=N, --threads=T or --lines=1, got --${name}`);
  options[name] = Number(number);
}
if (options.lines) {
  options.quiet = true;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    try {
      await runModel(options, line.split('\t'));
    } catch (error) {
      console.log(JSON.stringify({ error: error.message }));
    }
  }
} else {
  await runModel(options, words);
}
