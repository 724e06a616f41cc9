#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often an audit names a fault, and whether it ever names one that is not
there.

    audit_faults.py DIR_OF_TOOLS [--faults=N] [--faultless=N] [--element=f32]
                    [--seed=S] [--jobs=J]

Puts N random faults, one at a time, into one layer of a small decoder and into a
small convolution net, half of them each, and audits the faulty function against
the one without. Named means that the verdict is STRUCTURAL and its operation is
at the place where the fault is. Then audits the functions without a fault on N
other inputs, which must never be STRUCTURAL. Prints what was missed and the
counts; exits with 1 where fewer than 38 of 40 faults are named, or one that is
not there is.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = {
    "decoder": ["--model=qwen2-7b", "--layers=1", "--part=layers"],
    "convolutions": ["--model=mobilenet", "--layers=2"],
}
REMARK = re.compile(r"^(.*?:\d+:\d+): remark: ([\w-]+ in .*)$", re.MULTILINE)


def run(*command):
    """Exit code and both outputs."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=600)
    return done.returncode, done.stdout, done.stderr


def must(*command):
    code, _, messages = run(*command)
    if code != 0:
        raise SystemExit(f"error: {' '.join(map(str, command))}\n{messages}")


class Campaign:
    def __init__(self, options, folder):
        self.opt = pathlib.Path(options.tools) / "npu-opt"
        self.run = pathlib.Path(options.tools) / "npu-run"
        self.options, self.folder = options, folder
        self.files = {}
        for name, arguments in MODELS.items():
            model, made = folder / f"{name}.mlir", folder / f"{name}.input.mlir"
            must(sys.executable, ROOT / "scripts/generate-model.py", *arguments, "--scale=small",
                 "--form=linalg", "--weights=random", f"--element={options.element}",
                 f"--output={model}")
            must(self.opt, model, "--npu-compile=compile-to=input", "--mlir-print-debuginfo",
                 "-o", made)
            self.files[name] = made

    def audit(self, file, original, seed):
        """Class and verdict of an audit."""
        code, report, messages = run(self.run, file, f"--reference={original}", "--audit",
                                     "--inputs=normal", f"--seed={seed}", "--format=json")
        try:
            read = json.loads(report)
        except json.JSONDecodeError:
            return "NONE", f"exit code {code}: {messages[-300:]}"
        return read["class"], read["verdict"]

    def fault(self, number):
        """Whether fault `number` is named, and a line about it."""
        name = list(MODELS)[number % len(MODELS)]
        seed = self.options.seed + number
        spoilt = self.folder / f"{number}.mlir"
        code, _, messages = run(self.opt, self.files[name], "--mlir-print-debuginfo",
                                f"--npu-inject-fault=fault=random:{seed}", "-o", spoilt)
        remark = REMARK.search(messages)
        if code != 0 or not remark:
            return False, f"{name}, random:{seed}: no fault: {messages[:300]}"
        place, what = remark.groups()
        found, verdict = self.audit(spoilt, self.files[name], 0)
        spoilt.unlink()
        # The operation that the verdict names, not those that it stands for.
        named = found == "STRUCTURAL" and f"({place})" in verdict.partition("): ")[0] + ")"
        return named, f"{name}, random:{seed}, {what} at {place}: {verdict}"

    def faultless(self, number):
        """Whether the function without a fault is not STRUCTURAL."""
        name = list(MODELS)[number % len(MODELS)]
        file = self.files[name]
        found, verdict = self.audit(file, file, self.options.seed + number)
        return found not in ("STRUCTURAL", "NONE"), f"{name}, inputs {number}: {verdict}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools")
    parser.add_argument("--faults", type=int, default=40)
    parser.add_argument("--faultless", type=int, default=40)
    parser.add_argument("--element", default="f32")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(options, pathlib.Path(folder))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            faults = list(pool.map(campaign.fault, range(options.faults)))
            clean = list(pool.map(campaign.faultless, range(options.faultless)))
    for fine, line in faults:
        if not fine:
            print("not named:", line)
    for fine, line in clean:
        if not fine:
            print("not there:", line)
    named = sum(fine for fine, _ in faults)
    wrong = sum(not fine for fine, _ in clean)
    print(f"{named} of {len(faults)} faults named at their operation")
    print(f"{wrong} of {len(clean)} functions without a fault called STRUCTURAL")
    return 0 if wrong == 0 and named * 40 >= 38 * len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
