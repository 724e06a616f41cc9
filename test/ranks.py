#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random functions whose tiles are divided among MPI ranks with the functions as they
were before they were distributed.

Cases are functions of npu-fuzz, with layouts or assigned ones, with prompts and with operations
on the host, operations in random steps (steps.py), chains of movements (rank_chains.py), and layers of
small models on scratchpads that are smaller still, so that most operations run as loops with rotating
buffers. Each runs on 2, 4 and 6 ranks, or as --ranks
says. With --kill, one rank of each run is killed at a random moment, and every rank has to end with
an error within a minute.
Prints how many cases of each kind there were, how many of them have loops of steps, and `N passed, N failed`; exits with 1 if one failed,
and with 77 where there is no mpirun or this build has no MPI.
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import random_cases
import rank_chains
import steps

MODES = ["", "--assign", "--prompt", "--hetero", "--scratchpads", "steps", "chains", "layers"]
GENERATOR = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "generate-model.py"
# A limit for one run, which takes some seconds.
SECONDS = 120


def environment(bin_):
    return dict(os.environ, PATH=f"{bin_}:{os.environ['PATH']}",
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                # Ranks of one machine: no need to look at its networks.
                OMPI_MCA_btl="self,vader", OMPI_MCA_pml="ob1",
                OMPI_MCA_btl_vader_single_copy_mechanism="none")


def mpirun(bin_, ranks, words):
    return subprocess.run(["mpirun", "--oversubscribe", "-n", str(ranks), "npu-run", *words, "--mpi",
                           "--mpi-report"],
                          env=environment(bin_), capture_output=True, text=True, timeout=SECONDS,
                          stdin=subprocess.DEVNULL)


def made_by_fuzzer(bin_, folder, number, mode):
    """The legal file of a case of npu-fuzz, and the words that npu-run gets; nothing where the
    case is refused."""
    case = subprocess.run([bin_ / "npu-fuzz", *([mode] if mode else []), "--print",
                           f"--seed={number}", "--case=0"], capture_output=True, text=True).stdout
    commands = re.findall(r"^// (npu-(?:opt|run) .*)$", case, re.MULTILINE)
    (folder / "model.mlir").write_text(case)
    legalize = commands[0].replace("FILE", "model.mlir").replace(
        "test/Execution", str(pathlib.Path(__file__).parent / "Execution"))
    done = subprocess.run(legalize, shell=True, cwd=folder, env=environment(bin_),
                          capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        return None
    # The tiles of one rank run one after the other.
    words = commands[1].replace(" --tiles=parallel", "").replace("FILE", "model.mlir").split()[1:]
    # Inputs that depend on what the reference uses them for.
    if number % 11 == 0:
        words = ["--inputs=normal" if word == "--inputs=random" else word for word in words]
    return [str(folder / word) if word == "legal.mlir" else
            word.replace("=model.mlir", f"={folder / 'model.mlir'}") for word in words]


def made_of_steps(bin_, folder, number):
    (folder / "model.mlir").write_text(steps.Case(number).text())
    done = subprocess.run(["npu-opt", "model.mlir", "--npu-run-in-steps", "--npu-legalize-distributions",
                           "-o", "legal.mlir"], cwd=folder, env=environment(bin_), capture_output=True)
    if done.returncode:
        return None
    return [str(folder / "legal.mlir"), f"--reference={folder / 'model.mlir'}", "-O0"]


def made_of_chains(folder, number):
    text = rank_chains.PIECES if number < len(MODES) else rank_chains.Chains(number).text()
    (folder / "model.mlir").write_text(text)
    return [str(folder / "model.mlir"), "--compare"]


def made_of_layer(bin_, folder, number):
    chance = random.Random(number)
    phase, model = chance.choice(["prefill", "decode"]), chance.choice(["qwen2-1.5b", "llama-3-8b", "phi-3-mini"])
    subprocess.run([sys.executable, GENERATOR, f"--model={model}", "--scale=small", f"--phase={phase}",
                    f"--length={chance.randint(4, 14)}", "--layers=1", "--part=layers", "--weights=arguments",
                    f"--output={folder / 'model.mlir'}"], check=True)
    (folder / "device.json").write_text(json.dumps({
        "name": "small", "like": "npu4000",
        "tiles": {"value": chance.randint(2, 6), "unit": "tiles"},
        "scratchpad_bytes": {"value": chance.choice([1024, 1536, 2048, 3072]), "unit": "bytes"}}))
    done = subprocess.run(["npu-opt", "model.mlir", "--npu-compile=target-file=device.json compile-to=scratchpad",
                           "-o", "legal.mlir"], cwd=folder, env=environment(bin_), capture_output=True,
                          timeout=SECONDS)
    if done.returncode:
        return None
    return [str(folder / "legal.mlir"), f"--reference={folder / 'model.mlir'}", "-O0"]


def failure_of(done):
    text = done.stdout + done.stderr
    if done.returncode == 0:
        exchanges = re.findall(r"^exchange \d+: (\d+) times, (\d+) messages, (\d+) bytes", text, re.MULTILINE)
        total = re.search(r"ranks: (\d+) messages, (\d+) bytes, .* in (\d+) exchanges", text)
        messages, bytes_, times = map(int, total.groups())
        sums = tuple(sum(map(int, column)) for column in zip(*exchanges)) or (0, 0, 0)
        return None if sums == (times, messages, bytes_) else f"the report does not add up:\n{text}"
    return text[:1500] or f"exit code {done.returncode}"


def kill_one(bin_, ranks, words, chance):
    """What is wrong with the end of a run one rank of which is killed; nothing where every rank ends."""
    run = subprocess.Popen(["mpirun", "--oversubscribe", "-n", str(ranks), "npu-run", *words, "--mpi",
                            "--mpi-timeout=20"],
                           env=environment(bin_), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, stdin=subprocess.DEVNULL)
    time.sleep(chance.uniform(0, 1.2))
    children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
    if children:
        try:
            os.kill(int(chance.choice(children)), signal.SIGKILL)
        except ProcessLookupError:
            children = []
    try:
        text, _ = run.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        states = subprocess.run(["ps", "-o", "pid,stat,wchan:20,args", "-C", "npu-run"],
                                capture_output=True, text=True).stdout
        run.kill()
        return f"not all ranks have ended within a minute:\n{states}"
    # mpirun does not wait for those that it ends.
    deadline = time.time() + 20
    while left := [child for child in children if pathlib.Path(f"/proc/{child}").exists()]:
        if time.time() > deadline:
            return f"processes {left} are left: {text[-1500:]}"
        time.sleep(0.1)
    # A run that had ended before is one that was not killed.
    if children and run.returncode == 0 and "equal" not in text:
        return "exit code 0, and nothing was compared"
    return None


def check(bin_, folder, number, kinds):
    mode = MODES[number % len(MODES)]
    words = (made_of_steps(bin_, folder, number) if mode == "steps" else
             made_of_chains(folder, number) if mode == "chains" else
             made_of_layer(bin_, folder, number) if mode == "layers" else
             made_by_fuzzer(bin_, folder, number, mode))
    kinds[mode.removeprefix("--") or "functions"] += 1
    if words is None:
        kinds["of them refused"] += 1
        return None
    kinds["of them with loops of steps"] += "scf.for" in pathlib.Path(words[0]).read_text()
    if KILLS:
        return kill_one(bin_, RANKS[number % len(RANKS)], words, random.Random(number))
    alone = subprocess.run(["npu-run", *words], env=environment(bin_), capture_output=True, text=True)
    if alone.returncode:
        kinds["of them refused"] += 1
        return None
    for ranks in RANKS:
        try:
            wrong = failure_of(mpirun(bin_, ranks, words))
        except subprocess.TimeoutExpired:
            wrong = "does not end"
        if wrong:
            return f"on {ranks} ranks: {wrong}"
    return None


def option(name, default):
    """An option of this test alone, which is taken off the command line."""
    for word in sys.argv[1:]:
        if word == f"--{name}" or word.startswith(f"--{name}="):
            sys.argv.remove(word)
            return word.partition("=")[2] or True
    return default


RANKS = [int(word) for word in option("ranks", "2,4,6").split(",")]
KILLS = option("kill", False)

if __name__ == "__main__":
    if not shutil.which("mpirun") or not list(pathlib.Path(sys.argv[1]).parent.glob("lib*/libNPUMpi.so")):
        print("skipped: no mpirun, or a build without MPI")
        sys.exit(77)
    sys.argv[1] = str(pathlib.Path(sys.argv[1]).resolve())
    random_cases.run_numbered(__doc__, 14, check)
