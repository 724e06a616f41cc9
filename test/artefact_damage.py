#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artefacts and caches under bad conditions: the right result or an error.

Compiles one model with a cache while entries are cut off at every kilobyte or
damaged at random bytes, while files may not grow, with several processes at
once, and with processes that are killed at random moments. Whatever stands
under the name of an entry or of an output has to be the artefact, byte for byte,
or not be there. Damaged artefacts have to be refused by npu-run and npu-inspect
with the file's name. Every field of a header is changed, taken away and doubled
with all hashes made right again: a run has to refuse that, or to give the same
results. Prints `N passed, N failed`.

    test/artefact_damage.py build/bin [--kills=200]
"""

import argparse
import copy
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Artefact" / "Inputs"))
import artefact_files

MODEL = """func.func @main(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {{
  %w = arith.constant dense<"0x{data}"> : tensor<512x512xf32>
  %empty = tensor.empty() : tensor<64x512xf32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x512xf32>) -> tensor<64x512xf32>
  %y = linalg.matmul ins(%x, %w : tensor<64x512xf32>, tensor<512x512xf32>) outs(%init : tensor<64x512xf32>) -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}}
"""

# A header with something in every list: a prompt, a cache with an offset,
# weights, and a scratchpad for each of several tiles.
PROMPT_MODEL = """func.func @main(%x: tensor<?x32xf32>, %k: tensor<64x32xf32> {{npu.cache_dim = 0 : i64}},
                %o: index {{npu.cache_offset}}) -> (tensor<?x32xf32>, tensor<64x32xf32>) {{
  %w = arith.constant dense<"0x{data}"> : tensor<32x32xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x32xf32>
  %empty = tensor.empty(%n) : tensor<?x32xf32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x32xf32>, tensor<32x32xf32>) outs(%init : tensor<?x32xf32>) -> tensor<?x32xf32>
  %ko = tensor.insert_slice %x into %k[%o, 0] [%n, 32] [1, 1] : tensor<?x32xf32> into tensor<64x32xf32>
  return %y, %ko : tensor<?x32xf32>, tensor<64x32xf32>
}}
"""

ENTRY = re.compile(r"llvmcache-npu-[0-9a-f]{64}$")


class Checks:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, good, what):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print("failed:", what)


class Bench:
    """A folder with the model, its artefact, and a cache."""

    def __init__(self, binaries, folder):
        self.binaries = pathlib.Path(binaries).resolve()
        self.folder = folder
        self.model = folder / "model.mlir"
        self.cache = folder / "cache"
        self.random = random.Random(7)
        data = bytes(self.random.randrange(1, 60) for _ in range(512 * 512 * 4))
        self.model.write_text(MODEL.format(data=data.hex()))
        first = self.compile("golden.npub")
        assert first.returncode == 0 and "cache miss" in first.stderr, first.stderr
        self.golden = (folder / "golden.npub").read_bytes()

    def command(self, output, *options):
        return [
            self.binaries / "npu-compile",
            self.model,
            "--target=npu4000",
            "-O0",
            f"--cache-dir={self.cache}",
            "-o",
            self.folder / output,
            *options,
        ]

    def compile(self, output, *options, **how):
        return subprocess.run(
            self.command(output, *options), capture_output=True, text=True, check=False, **how
        )

    def entries(self):
        return [path for path in self.cache.iterdir() if ENTRY.match(path.name)]

    def entry(self):
        (entry,) = self.entries()
        return entry

    def forget(self):
        shutil.rmtree(self.cache, ignore_errors=True)

    def is_golden(self, output):
        path = self.folder / output
        return path.exists() and path.read_bytes() == self.golden


def damaged(bench, kind, count):
    """Copies of the artefact, cut off or with one changed byte."""
    size = len(bench.golden)
    for i in range(count):
        if kind == "cut":
            at = size * i // count
            yield at, bench.golden[:at]
        else:
            at = bench.random.randrange(size)
            changed = bytearray(bench.golden)
            changed[at] ^= 1 << bench.random.randrange(8)
            yield at, bytes(changed)


def check_damaged_entries(bench, checks):
    for kind in ("cut", "flip"):
        for at, data in damaged(bench, kind, 12):
            bench.entry().write_bytes(data)
            run = bench.compile("out.npub")
            good = run.returncode == 0 and bench.is_golden("out.npub")
            good = good and "cache entry rejected" in run.stderr and "cache miss" in run.stderr
            checks.check(good and bench.entry().read_bytes() == bench.golden, f"entry {kind} {at}")
    run = bench.compile("out.npub", "--cache-verify")
    checks.check(run.returncode == 0 and "every byte is the same" in run.stderr, "verified")


def check_damaged_artefacts(bench, checks):
    path = bench.folder / "damaged.npub"
    for kind in ("cut", "flip"):
        for at, data in damaged(bench, kind, 12):
            path.write_bytes(data)
            for tool in ("npu-run", "npu-inspect"):
                run = subprocess.run(
                    [bench.binaries / tool, path], capture_output=True, text=True, check=False
                )
                checks.check(
                    run.returncode == 1 and str(path) in run.stderr, f"{tool} {kind} {at}"
                )


def edits_of(value):
    """Other values for a field of a header."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        numbers = (0, 1, value - 1, value + 1, 8 * value + 8, 2**40, 2**62, -1)
        return [n for n in numbers if n != value]
    if isinstance(value, str):
        return [text for text in ("", "other", value + "x") if text != value]
    if isinstance(value, list):
        lists = ([], value[1:], value[:-1], value + value[-1:], value[::-1])
        return [other for other in lists if other != value]
    if isinstance(value, dict):
        return [{}]
    return [0, 2]


def places_in(value, path=()):
    """The paths of all fields below a value. Of the figures of a target, which
    are many and alike, those of costs are left out but for one."""
    items = []
    if isinstance(value, dict):
        items = [item for item in value.items() if path != ("target", "figures")]
        if not items:
            kept = ("tiles", "max_tiles", "scratchpad_bytes", "dma_ports", "grid")
            items = [(name, value[name]) for name in kept if name in value]
    elif isinstance(value, list):
        items = list(enumerate(value))[:3]
    for name, inner in items:
        yield (*path, name)
        yield from places_in(inner, (*path, name))


def edited_headers(header):
    """Copies of a header with one field changed, taken away, or emptied."""
    for *folders, name in places_in(header):
        value = header
        for folder in folders:
            value = value[folder]
        for other in [*edits_of(value[name]), None, "taken away"]:
            changed = copy.deepcopy(header)
            place = changed
            for folder in folders:
                place = place[folder]
            if other == "taken away":
                del place[name]
            else:
                place[name] = other
            yield f"{'.'.join(map(str, (*folders, name)))} = {other!r}", changed


def check_edited_headers(bench, checks):
    """The header has other fields than the code was compiled for, and the
    hashes of the file are right."""
    data = bytes(bench.random.randrange(1, 60) for _ in range(32 * 32 * 4))
    model = bench.folder / "prompt.mlir"
    model.write_text(PROMPT_MODEL.format(data=data.hex()))
    subprocess.run(
        [
            bench.binaries / "npu-compile",
            model,
            "--target=npu4000",
            "-O0",
            "--max-prompt-len=8",
            "--weights=apart",
        ],
        check=True,
        capture_output=True,
    )
    results = [bench.folder / f"y.{i}.npy" for i in range(2)]

    def run(path):
        for result in results:
            result.unlink(missing_ok=True)
        ran = subprocess.run(
            [
                bench.binaries / "npu-run",
                path,
                "--inputs=positive",
                "--length=5",
                f"--output={bench.folder / 'y.npy'}",
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return ran, [r.read_bytes() if r.exists() else None for r in results]

    ran, golden = run(bench.folder / "prompt.npub")
    checks.check(ran.returncode == 0 and None not in golden, f"unchanged: {ran.stderr}")
    table, parts = artefact_files.read(bench.folder / "prompt.npub")
    path = bench.folder / "edited.npub"
    count, refused = 0, 0
    for what, header in edited_headers(table["description"]):
        edited = {**table, "description": header}
        artefact_files.write(path, edited, parts)
        ran, found = run(path)
        is_refused = ran.returncode == 1 and "error:" in ran.stderr and found == [None, None]
        is_same = ran.returncode == 0 and found == golden
        checks.check(is_refused or is_same, f"{what}: exit {ran.returncode}, {ran.stderr}")
        count += 1
        refused += is_refused
    checks.check(refused > count // 2, f"only {refused} of {count} headers were refused")
    print(f"{refused} of {count} edited headers were refused")


def check_no_room(bench, checks):
    """Files may not grow beyond a limit, as on a full disk."""
    for limit in (0, 1000, len(bench.golden) // 2, len(bench.golden) - 1):
        bench.forget()
        (bench.folder / "out.npub").unlink(missing_ok=True)

        def limited(limit=limit):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        run = bench.compile("out.npub", preexec_fn=limited, restore_signals=False)
        good = run.returncode == 1 and "error:" in run.stderr and "out.npub" in run.stderr
        good = good and not (bench.folder / "out.npub").exists() and not bench.entries()
        checks.check(good, f"limit {limit}: {run.stderr}")
    # Standard output has room where the cache has none.
    bench.forget()
    run = subprocess.run(
        bench.command("-")[:-1] + ["/dev/null"], preexec_fn=limited, capture_output=True, check=False
    )
    checks.check(run.returncode == 0 and b"cache: not stored" in run.stderr, "no room in the cache")


def check_several(bench, checks):
    for _ in range(5):
        bench.forget()
        runs = [
            subprocess.Popen(bench.command(f"out{i}.npub"), stderr=subprocess.PIPE, text=True)
            for i in range(4)
        ]
        texts = [run.communicate()[1] for run in runs]
        good = all(run.returncode == 0 for run in runs)
        good = good and all(bench.is_golden(f"out{i}.npub") for i in range(4))
        misses = sum("cache miss" in text for text in texts)
        hits = sum("cache hit" in text for text in texts)
        checks.check(good and misses == 1 and hits == 3, f"four processes: {texts}")


def check_killed(bench, checks, kills):
    """Kills compilations at random moments."""
    bench.forget()
    start = time.monotonic()
    bench.compile("out.npub")
    whole = time.monotonic() - start
    interrupted = 0
    for i in range(kills):
        # Every other time, what the killed ones have left stays there.
        if i % 2:
            bench.forget()
        for entry in bench.entries() if bench.cache.exists() else []:
            entry.unlink()
        (bench.folder / "out.npub").unlink(missing_ok=True)
        run = subprocess.Popen(bench.command("out.npub"), stderr=subprocess.DEVNULL)
        time.sleep(bench.random.uniform(0, 1.1 * whole))
        run.send_signal(signal.SIGKILL)
        interrupted += run.wait() == -signal.SIGKILL
        good = not (bench.folder / "out.npub").exists() or bench.is_golden("out.npub")
        if bench.cache.exists():
            good = good and all(path.read_bytes() == bench.golden for path in bench.entries())
        checks.check(good, f"kill {i}")
    run = bench.compile("out.npub")
    checks.check(run.returncode == 0 and bench.is_golden("out.npub"), "after all kills")
    checks.check(interrupted > kills // 4, f"only {interrupted} of {kills} were interrupted")
    print(f"{interrupted} of {kills} compilations were interrupted")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binaries")
    parser.add_argument("--kills", type=int, default=200)
    arguments = parser.parse_args()
    os.environ.pop("NPU_CACHE_DIR", None)
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.binaries, pathlib.Path(folder))
        checks.check(bench.compile("out.npub").returncode == 0, "hit")
        check_damaged_entries(bench, checks)
        check_damaged_artefacts(bench, checks)
        check_edited_headers(bench, checks)
        check_no_room(bench, checks)
        check_several(bench, checks)
        check_killed(bench, checks, arguments.kills)
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


main()
