#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No option of a tool is ignored where it is given: each is tried with everything that its tool does.

    test/options_are_read.py --build build [--tool npu-run]

A tool does one thing or another (below: modes), and has options. Each option is given to each mode,
with a value that asks for something else than the default. Then the tool does something else (what
it prints, what it writes, how it ends), or it says that this mode does not read the option, with
exit code 1 and the option's name. Anything else is an option that was ignored.

Options that change nothing that can be seen are listed with the reason. An option that is in the
tool's help and not in this file is an error, and so is one that is in this file alone.
"""

import argparse
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = SOURCE / "examples"

FILES = {
    "plain.mlir": """func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.add ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
""",
    "rows.mlir": """#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
func.func @main(%a: tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #rows> {
  %e = tensor.empty() : tensor<8x8xf32, #rows>
  %0 = linalg.exp ins(%a : tensor<8x8xf32, #rows>) outs(%e : tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #rows>
  return %0 : tensor<8x8xf32, #rows>
}
""",
    "model.xml": """<?xml version="1.0"?>
<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/><output><port id="0" precision="FP32" names="x"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="y" type="Exp" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input><output><port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="2" name="r" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>
""",
    "other.mlir": """func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.sub ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
""",
    "cosine.mlir": """func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = math.cos %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
""",
    "nothing.mlir": """func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = arith.constant dense<0x7FC00000> : tensor<8x8xf32>
  %0 = arith.addf %a, %c : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
""",
    "buffers.csv": "id,lower,upper,size\n0,0,2,8\n1,1,3,8\n2,2,4,8\n",
    "interesting.sh": "#!/bin/sh\ngrep -q linalg.add $1 && exit 1\nexit 0\n",
}


def quoted(name):
    return str(EXAMPLES / name)


TRANSLATIONS = {
    "explain-npu-log": [quoted("prompt-336.log")],
    "import-npu-log": [quoted("prompt-336.log")],
    "explain-npu-dump": [quoted("field-dump.mlir")],
    "import-npu-dump": [quoted("field-dump.mlir")],
    "import-onnx": [quoted("gelu.onnx.txt")],
    "import-openvino": ["model.xml"],
    "npu-to-dot": ["rows.mlir"],
    "npu-to-html": ["rows.mlir"],
    "npu-to-model-explorer": ["rows.mlir"],
    "onnx-tensor-to-npy": ["tensor.pb"],
    "openvino-layer-types": ["plain.mlir"],
    "pack-buffers": ["buffers.csv"],
}

# What a tool does: a name, and the command line.
MODES = {
    "npu-translate": {name: [f"--{name}", *files] for name, files in TRANSLATIONS.items()},
    "npu-inspect": {
        "text": ["a.npub"],
        "section": ["a.npub", "--section=placement"],
        "report": ["a.npub", "--report=report"],
    },
    "npu-reduce": {
        "IR": ["plain.mlir", "--test=./interesting.sh"],
    },
    "npu-fuzz": {
        "functions": ["--count=1", "--seed=3"],
        "plans": ["--plans", "--count=1", "--seed=3"],
        "print": ["--print", "--count=1", "--seed=3"],
    },
    "npu-compile": {
        "model": ["plain.mlir", "--target=npu4000", "-O0", "-o", "out.npub"],
        "rows": ["plain.mlir", "--target=npu4000", "-O0", "-o", "out.npub", "--strategy=rows"],
        "print-target": ["--print-target=npu4000"],
    },
    "npu-run": {
        "IR": ["plain.mlir"],
        # Those that compare find differences.
        "reference": ["rows.mlir", "--reference=cosine.mlir"],
        "compare": ["nothing.mlir", "--compare"],
        "files": ["rows.mlir", "--inputs=x.npy"],
        "compile": ["plain.mlir", "--compile=target=npu4000", "--reference=other.mlir"],
        "check-storage": ["plain.mlir", "--check-storage", "--compile=target=npu4000", "--reference=other.mlir"],
        "audit": ["plain.mlir", "--audit"],
        "artefact": ["a.npub"],
        "steps": ["decoder.npub", "--steps=2", "--length=3", "--save-state=out.state"],
    },
    "npu-opt": {
        "passes": ["rows.mlir", "--npu-print-distributions"],
        "print-target": ["--print-target=npu4000"],
    },
    "npu-lsp-server": {
        "messages": [],
        "lit-test": ["--lit-test"],
    },
}

# Options, each with what is given: something that the default is not.
OPTIONS = {
    "npu-translate": {
        "all": ["--all"],
        "capacity": ["--capacity=4"],
        "emit-bytecode": ["--emit-bytecode"],
        "fold": ["--fold=false"],
        "format": ["--format=json"],
        "input-shape": ["--input-shape=x:?x3"],
        "input-value": ["--input-value=x=1,2,3,4,5,6"],
        "npu-dump-device": ["--npu-dump-device=NPU40XX"],
        "npu-log-element-type": ["--npu-log-element-type=f32"],
        "npu-log-in-order": ["--npu-log-in-order=NHWC"],
        "npu-log-in-shape": ["--npu-log-in-shape=1x28x304x128"],
        "npu-log-mem-perm": ["--npu-log-mem-perm=0,1,3,2"],
        "npu-log-out-order": ["--npu-log-out-order=NCHW"],
        "npu-log-prompt-dim": ["--npu-log-prompt-dim=1"],
        "npu-model-explorer-part": ["--npu-model-explorer-part=bytes"],
        "npu-page-compile": ["--npu-page-compile=target=npu4000"],
        "npu-page-with": ["--npu-page-with=plain.mlir"],
        "openvino-weights": ["--openvino-weights=none.bin"],
        "prompt-len": ["--prompt-len=304,511"],
        "o": ["-o", "out.txt"],
    },
    "npu-inspect": {
        "format": ["--format=json"],
        "o": ["-o", "out.txt"],
        "report": ["--report=other"],
        "section": ["--section=tiles"],
    },
    "npu-reduce": {
        "fold": ["--fold=false"],
        "input-shape": ["--input-shape=x:?x3"],
        "input-value": ["--input-value=x=1,2,3,4,5,6"],
        "keep-signatures": ["--keep-signatures"],
        "o": ["-o", "out.mlir"],
        "openvino-weights": ["--openvino-weights=none.bin"],
        "test": None,
        "test-arg": ["--test-arg=none"],
        "timeout": ["--timeout=0"],
        "tries": ["--tries=1"],
    },
    "npu-fuzz": {
        "O": ["-O2"],
        "assign": ["--assign"],
        "break": ["--break=drop-transfer"],
        "case": ["--case=7"],
        "count": ["--count=2"],
        "hetero": ["--hetero"],
        "imported": ["--imported"],
        "jobs": ["--jobs=2"],
        "output-dir": ["--output-dir=made", "--break=drop-transfer"],
        "plans": ["--plans"],
        "prefill": ["--prefill"],
        "print": ["--print"],
        "prompt": ["--prompt"],
        "reports": ["--reports=0", "--break=drop-transfer"],
        "scratchpads": ["--scratchpads"],
        "seed": ["--seed=4"],
        "tile-edits": ["--tile-edits"],
        "timeout": ["--timeout=0"],
        "tosa": ["--tosa"],
    },
    "npu-compile": {
        "O": ["-O3"],
        "byte-price": ["--byte-price=100000"],
        "cache-dir": ["--cache-dir=cache"],
        "cache-limit": ["--cache-limit=1K"],
        "cache-verify": ["--cache-verify"],
        "device": ["--device=CPU"],
        "distances": ["--distances=direct"],
        "entry": ["--entry=other"],
        "fold": ["--fold=false"],
        "in-steps": ["--in-steps=false"],
        "input-shape": ["--input-shape=x:?x3"],
        "input-value": ["--input-value=x=1,2,3,4,5,6"],
        "kernels": ["--kernels=plain.mlir"],
        "max-prompt-len": ["--max-prompt-len=16"],
        "o": ["-o", "other.npub"],
        "openvino-weights": ["--openvino-weights=none.bin"],
        "placement-report": ["--placement-report"],
        "policy": ["--policy=accuracy"],
        "precision-overrides": ["--precision-overrides=none"],
        "print-device": ["--print-device"],
        "print-target": ["--print-target=npu3720"],
        "prompt-len": ["--prompt-len=3"],
        "report": ["--report=report"],
        "side": ["--side=left"],
        "softmax": ["--softmax=subtract-maximum"],
        "split-reductions": ["--split-reductions=false"],
        "states": ["--states=2"],
        "storage": ["--storage=tiled2d"],
        "strategy": ["--strategy=duplicate"],
        "strict-device": ["--strict-device"],
        "target": ["--target=npu3720"],
        "target-file": ["--target-file=chip.json"],
        "tile-count": ["--tile-count=2"],
        "tiles": ["--tiles=parallel"],
        "trust-cache": ["--trust-cache"],
        "weights": ["--weights=apart"],
    },
    "npu-run": {
        "O": ["-O0"],
        "allow-non-finite": ["--allow-non-finite"],
        "audit": ["--audit"],
        "check-storage": ["--check-storage"],
        "compare": ["--compare"],
        "compile": ["--compile=target=npu5000"],
        "device": ["--device=GPU"],
        "emit-reproducer": ["--emit-reproducer=small.mlir"],
        "entry": ["--entry=other"],
        "expected": ["--expected=x.npy"],
        "fold": ["--fold=false"],
        "format": ["--format=json"],
        "inject-fault": ["--inject-fault=random:1"],
        "input-shape": ["--input-shape=x:?x3"],
        "input-value": ["--input-value=x=1,2,3,4,5,6"],
        "inputs": ["--inputs=iota"],
        "length": ["--length=3"],
        "load-state": ["--load-state=none"],
        "memory-report": ["--memory-report"],
        "mpi": ["--mpi"],
        "mpi-fault": ["--mpi-fault=kill:0:0"],
        "mpi-report": ["--mpi-report"],
        "mpi-timeout": ["--mpi-timeout=2"],
        "openvino-weights": ["--openvino-weights=none.bin"],
        "output": ["--output=out.npy"],
        "output-file": ["--output-file=audit.txt"],
        "placement-report": ["--placement-report"],
        "print-device": ["--print-device"],
        "prompt": ["--prompt=1,2"],
        "reference": ["--reference=plain.mlir"],
        "repeat": ["--repeat=2"],
        "sample": ["--sample=greedy"],
        "save-state": ["--save-state=state"],
        "seed": ["--seed=5"],
        "steps": ["--steps=1"],
        "strict-device": ["--strict-device"],
        "target": ["--target=npu5000"],
        "target-file": ["--target-file=none.json"],
        "tiles": ["--tiles=parallel"],
        "tolerance": ["--tolerance=1e9"],
    },
    "npu-lsp-server": {
        "lit-test": ["--lit-test"],
        "log": ["--log=verbose"],
        "pretty": ["--pretty"],
        "sequential": ["--sequential"],
    },
    "npu-opt": {
        "print-target": ["--print-target=npu3720"],
        "target-file": ["--target-file=chip.json"],
        "o": ["-o", "out.mlir"],
    },
}

# The tests of bundles are others.
ELSEWHERE = {"emit-bundle", "bundle-weights", "help", "help-list", "version"}

# What an option changes where nothing is seen of it: of a tool, in all modes or in some.
UNSEEN = {
    ("npu-translate", "fold", "import-openvino"): "there is nothing to fold",
    ("npu-translate", "fold", "import-onnx"): "there is nothing to fold",
    ("npu-fuzz", "O"): "no level changes a bit",
    ("npu-fuzz", "jobs"): "cases at the same time have the same outcomes",
    ("npu-fuzz", "plans"): "a mode, whose cases are as good",
    ("npu-fuzz", "scratchpads"): "a mode, whose cases are as good",
    ("npu-fuzz", "tile-edits", "print"): "functions are the same, and their tile programs are edited",
    ("npu-run", "O"): "no level changes a bit",
    ("npu-run", "strict-device"): "there is one device",
    ("npu-run", "mpi"): "one rank runs all tiles",
    ("npu-run", "tiles"): "tiles on threads compute the same",
    ("npu-run", "inputs", "compare"): "results are NaN whatever the inputs are",
    ("npu-run", "seed", "compare"): "results are NaN whatever the inputs are",
    ("npu-run", "tolerance", "compare"): "NaN beside NaN is equal",
    ("npu-run", "tolerance", "check-storage"): "all kinds have the same bits",
    ("npu-run", "allow-non-finite"): "results are finite",
    ("npu-lsp-server", "sequential"): "a conversation of one message has one order",
    ("npu-lsp-server", "pretty", "lit-test"): "implied by --lit-test",
}


def setup(tools, folder):
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "interesting.sh").chmod(0o755)
    run = lambda *command: subprocess.run([tools / command[0], *command[1:]], cwd=folder, check=True,
                                          capture_output=True, timeout=60)
    (folder / "chip.json").write_bytes(run("npu-compile", "--print-target=npu4000").stdout)
    run("npu-compile", "rows.mlir", "--target=npu4000", "-O0", "-o", "a.npub")
    run("npu-run", "rows.mlir", "--output=x.npy")
    sys.path.insert(0, str(SOURCE / "test"))
    import onnx_writer
    run("npu-compile", SOURCE / "test/State/Inputs/decoder.onnx.txt", "--input-shape=input_ids:1x?",
        "--input-shape=position_ids:1x?", "--input-shape=past_key_values_0_key:1x1x?x4",
        "--input-shape=past_key_values_0_value:1x1x?x4", "--max-prompt-len=8", "--target=npu4000", "-O0",
        "-o", "decoder.npub")
    (folder / "tensor.pb").write_bytes(onnx_writer.tensor("t", onnx_writer.FLOAT, [2], [1.0, 2.0]))


def outcome(tool, line, tools, template):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for file in template.iterdir():
            (folder / file.name).symlink_to(file)
        said = b""
        if tool == "npu-lsp-server":
            message = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}'
            said = message if "--lit-test" in line else b"Content-Length: %d\r\n\r\n" % len(message) + message
        done = subprocess.run([str(tools / tool), *line], cwd=folder, capture_output=True, timeout=100, input=said)
        written = {}
        for file in sorted(folder.rglob("*")):
            if file.is_file() and not file.is_symlink():
                written[str(file.relative_to(folder))] = hashlib.sha256(file.read_bytes()).hexdigest()
        # Times are never the same.
        words = re.sub(rb"[0-9.]+ m?s\b|ratio [0-9.]+", b"", done.stdout + b"\0" + done.stderr)
        return done.returncode, words, written


def helped(command):
    """The options of a command's help."""
    words = subprocess.run([command, "--help"], capture_output=True, text=True, timeout=60).stdout
    return set(re.findall(r"^ +--?([A-Za-z][\w-]*)[ =\[]", words, flags=re.MULTILINE))


def unknown_options(tools, upstream):
    """What the help of tools and this file do not have in common."""
    for tool, options in OPTIONS.items():
        if tool == "npu-opt":
            # Its passes have options of their own.
            continue
        theirs = helped(upstream / "mlir-translate") if tool == "npu-translate" else set()
        known = set(options) | ELSEWHERE | theirs | (set(TRANSLATIONS) if tool == "npu-translate" else set())
        own = helped(tools / tool)
        for option in sorted(own - known):
            yield f"{tool} --{option} is in its help, and not in this file"
        for option in sorted(set(options) - own - theirs):
            yield f"{tool} --{option} is in this file, and not in its help"


REFUSED = re.compile(rb"error: --?([\w-]+): expected .* beside it, which (reads?|does not read) it")


def wrongs(tool, tools, template):
    """What is ignored, or refused without a name, and how many were tried."""
    tried = 0
    for mode, line in MODES[tool].items():
        base = outcome(tool, line, tools, template)
        own = {word.lstrip("-").split("=")[0] for word in line if word.startswith("-")}
        for option, more in OPTIONS[tool].items():
            if more is None or option in own:
                continue
            tried += 1
            code, words, written = outcome(tool, [*line, *more], tools, template)
            unseen = (tool, option) in UNSEEN or (tool, option, mode) in UNSEEN
            if (code, words, written) == base and not unseen:
                yield f"{tool} ignores {' '.join(more)} beside {' '.join(line)}"
            elif code not in (0, 1):
                yield f"{tool} {' '.join([*line, *more])} ends with {code}"
            elif (refused := REFUSED.search(words)) and (
                    code != 1 or option not in refused[0].decode() and refused[1].decode() not in " ".join(more)):
                yield f"{tool} {' '.join([*line, *more])}: {words.decode()}"
    print(f"{tool}: {tried} tried")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--build", type=pathlib.Path, required=True)
    arguments.add_argument("--upstream", type=pathlib.Path, default=pathlib.Path("/usr/lib/llvm-22/bin"))
    arguments.add_argument("--tool", choices=list(MODES), action="append")
    given = arguments.parse_args()
    tools = given.build.resolve() / "bin"
    wrong = list(unknown_options(tools, given.upstream))
    with tempfile.TemporaryDirectory() as template:
        template = pathlib.Path(template)
        setup(tools, template)
        for tool in given.tool or MODES:
            wrong += wrongs(tool, tools, template)
    for each in wrong:
        print(f"error: {each}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
