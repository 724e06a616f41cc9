# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files that are nested N levels deep: see nesting.test.

usage: make_nested.py N DIRECTORY
"""
import json
import pathlib
import sys

N = int(sys.argv[1])
out = pathlib.Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)


def attribute(text):
    return f'"t.op"() {{a = {text}}} : () -> ()\n'


TEXTS = {
    "regions": "func.func @main(%c: i1) {\n" + "scf.if %c {\n" * N + "}\n" * N + "return }\n",
    "generic": '"t.op"() ({\n' * N + "}) : () -> ()\n" * N,
    "parentheses": attribute("affine_map<(d0) -> (" + "(" * N + "d0" + ")" * N + ")>"),
    "set": attribute("affine_set<(d0) : (" + "(" * N + "d0" + ")" * N + " >= 0)>"),
    "terms": attribute("affine_map<(d0) -> (d0" + " + d0 mod 3" * N + ")>"),
    "minus": attribute("affine_map<(d0) -> (" + "-" * N + "d0)>"),
    "types": attribute("tuple<" * N + "f32" + ">" * N),
    "arrays": attribute("[" * N + "]" * N),
    "locations": '"t.op"() : () -> () loc(' + "callsite(" * N + "unknown" + " at unknown)" * N + ")\n",
    "aliases": "!t0 = tuple<f32>\n" + "".join(f"!t{i} = tuple<!t{i - 1}>\n" for i in range(1, N))
               + attribute(f"!t{N - 1}"),
    "unclosed": "<" * N,
}
# What looks like brackets, and is none.
FLAT = ("// " + "(" * N + "\n"
        + attribute('"' + "(<[{\\\"" * N + '"')
        + attribute("affine_set<(d0) : (" + ", ".join(["d0 - 1 >= 0", "-d0 + 9 >= 0"] * N) + ")>")
        + attribute("-1") * N
        + "".join(f"func.func private @f{i}(i1) -> (i1)\n" for i in range(N)))

# Functions that call each other from inside their own levels: inlined, they are deeper
# than a text may be.
CALLS = "".join(f"func.func private @f{i}(%n: index, %m: index) {{\n"
                + "".join(f"scf.for %i{j} = %n to %m step %m {{\n" for j in range(N))
                + f"func.call @f{i + 1}(%n, %m) : (index, index) -> ()\n" + "}\n" * N + "return }\n"
                for i in range(4)).replace("private @f0", "@main") + "func.func private @f4(index, index)\n"

for name, text in {**TEXTS, "flat": FLAT, "calls": CALLS}.items():
    (out / f"{name}.mlir").write_text(text)

# Open one document for each file, change one to a deep text, and go on.
messages = [{"id": 0, "method": "initialize",
             "params": {"processId": 1, "rootPath": "", "capabilities": {}, "trace": "off"}}]
for name, text in TEXTS.items():
    messages.append({"method": "textDocument/didOpen",
                     "params": {"textDocument": {"uri": f"test:///{name}.mlir", "languageId": "mlir",
                                                 "version": 1, "text": text}}})
messages.append({"method": "textDocument/didOpen",
                 "params": {"textDocument": {"uri": "test:///changed.mlir", "languageId": "mlir",
                                             "version": 1, "text": "\n"}}})
messages.append({"method": "textDocument/didChange",
                 "params": {"textDocument": {"uri": "test:///changed.mlir", "version": 2},
                            "contentChanges": [{"text": TEXTS["regions"]}]}})
messages += [{"id": 1, "method": "shutdown"}, {"method": "exit"}]
(out / "lsp").write_text("\n// -----\n".join(json.dumps({"jsonrpc": "2.0", **m}) for m in messages) + "\n")
