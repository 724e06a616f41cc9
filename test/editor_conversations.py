#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversations with npu-lsp-server, as an editor has them: open, edit, hover, complete, act, leave.

Every repair that is offered is made, and npu-opt has to accept the text that comes out. So do all
completions inside of layouts that have a value. Prints `N conversations, nothing wrong`; an
assertion that fails ends it with 1.
"""

import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile

from language_server import Client

ERROR, WARNING, INFORMATION, HINT = 1, 2, 3, 4

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
CAST = """// Heads stay, and the order changes.
#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
#image = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>
func.func @main(%x: tensor<1x28x336x128xf16, #heads>) -> tensor<1x128x28x336xf16, #image> {
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3]
      : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #image> // here
  return %0 : tensor<1x128x28x336xf16, #image>
}
"""
ROWS = """#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
func.func @main(%x: tensor<4x4xf32, #rows>, %y: tensor<4x4xf32, #columns>) -> tensor<4x4xf32, #columns> {
  %0 = linalg.exp ins(%x : tensor<4x4xf32, #rows>) outs(%y : tensor<4x4xf32, #columns>) -> tensor<4x4xf32, #columns>
  return %0 : tensor<4x4xf32, #columns>
}
"""


class Conversations:
    def __init__(self, binaries):
        self.binaries, self.client = binaries, Client(binaries / "npu-lsp-server")

    def accepts(self, text, *options):
        """Whether npu-opt takes a text, and what it says otherwise."""
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([self.binaries / "npu-opt", file.name, *options, "-o", "/dev/null"],
                                  capture_output=True, text=True, timeout=60)
        return done.returncode == 0, done.stderr

    def introduces_itself(self):
        info = self.client.server["serverInfo"]
        assert info["name"] == "npu-lsp-server", info
        assert re.fullmatch(r"0\.\d+\.\d+", info["version"]), info

    def says_where_boxes_differ(self):
        client, uri = self.client, "file:///cast.mlir"
        client.open(uri, CAST)
        assert client.checked(uri) == [], client.checked(uri)
        # While typing: the digit is gone, and comes back elsewhere.
        client.edit(uri, "[1, 1, 4, 1]", "[1, 1, , 1]")
        [broken] = client.checked(uri)
        assert broken["severity"] == ERROR and broken["range"]["start"]["line"] == 2, broken
        client.edit(uri, "[1, 1, , 1]", "[1, 1, 1, 4]")
        [error] = client.checked(uri)
        assert error["severity"] == ERROR, error
        assert error["message"].startswith(
            "PermuteCast input and output distributions are incompatible: in ="), error
        assert client.spelled(uri, error["range"]) == "npu.permute_cast", error
        notes = " ".join(note["message"] for note in error["relatedInformation"])
        assert "data differs: tile 0 holds" in notes and "bytes would move" in notes, notes
        hover = client.hover(uri, "npu.permute_cast", 4)
        assert "do not agree" in hover and "1806336 bytes move between tiles" in hover, hover
        [repair, whole] = client.actions(uri, "npu.permute_cast")
        assert repair["title"] == "insert npu.redistribute after the cast" and repair["isPreferred"], repair
        text = client.edited(uri, repair["edit"]["changes"][uri])
        assert "npu.redistribute %cast : tensor<1x128x28x336xf16, #npu.layout<" in text, text
        assert "// Heads stay" in text and "// here" in text, text
        assert self.accepts(text, "--npu-verify-distributions") == (True, ""), text
        text = client.edited(uri, whole["edit"]["changes"][uri])
        assert "npu.redistribute" in text and "// Heads stay" in text, text
        assert self.accepts(text, "--npu-verify-distributions") == (True, ""), text

    def hints_where_labels_differ(self):
        client, uri = self.client, "file:///label.mlir"
        client.open(uri, CAST.replace("#image = #npu.layout<SEGMENTED", "#image = #npu.layout<OVERLAPPED"))
        [hint] = client.checked(uri)
        assert hint["severity"] == HINT and "only the label differs" in hint["message"], hint
        assert "0 bytes move" in client.hover(uri, "npu.permute_cast")
        [repair] = client.actions(uri, "%0 = npu.permute_cast")
        text = client.edited(uri, repair["edit"]["changes"][uri])
        assert "npu.distribution_cast %cast" in text, text
        assert self.accepts(text, "--npu-verify-distributions=strict") == (True, ""), text
        assert not self.accepts(client.texts[uri], "--npu-verify-distributions=strict")[0]
        # It stands beside errors of others.
        client.open(uri, client.texts[uri] + ROWS.replace("@main", "@rows"))
        client.diagnostics[uri] = []
        client.edit(uri, "// Heads", "// The heads")
        assert [each["severity"] for each in client.checked(uri)] == [ERROR, HINT]

    def narrows_what_holds_more(self):
        client, uri = self.client, "file:///narrow.mlir"
        client.open(uri, """func.func @main(%cast: tensor<8x4xf16, #npu.layout<DUPLICATED, tiles = 2>>) {
  %r = npu.permute_cast %cast mem_perm = [0, 1] : tensor<8x4xf16, #npu.layout<DUPLICATED, tiles = 2>> to tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>>
  return
}
""")
        [error] = client.checked(uri)
        assert error["severity"] == ERROR and "a narrowing" in error["relatedInformation"][0]["message"], error
        text = client.edited(uri, client.actions(uri, "%r =")[0]["edit"]["changes"][uri])
        # A name of its own: %cast is taken.
        assert "%r = npu.distribution_cast %cast_1 :" in text, text
        assert self.accepts(text, "--npu-verify-distributions") == (True, ""), text

    def legalizes_a_function(self):
        client, uri = self.client, "file:///rows.mlir"
        client.open(uri, ROWS)
        [error] = client.checked(uri)
        assert "'linalg.exp' tile 0 reads [0:4, 0:2] of operand #0 (%arg0)" in error["message"], error
        assert client.spelled(uri, error["range"]) == "linalg.exp", error
        [repair] = client.actions(uri, "linalg.exp")
        assert repair["title"] == "write @main as npu-legalize-distributions leaves it", repair
        text = client.edited(uri, repair["edit"]["changes"][uri])
        assert "npu.redistribute" in text, text
        # Aliases stay.
        assert "tensor<4x4xf32, #columns>" in text and text.count("#npu.layout<") == 2, text
        assert self.accepts(text, "--npu-verify-distributions") == (True, ""), text
        assert client.actions(uri, "#columns = ") == []

    def resolves_what_is_chosen(self):
        # An editor that asks for the edit of an action when it is chosen.
        client, uri = Client(self.binaries / "npu-lsp-server", {"textDocument": {"codeAction": {
            "resolveSupport": {"properties": ["edit"]}}}}), "file:///rows.mlir"
        client.open(uri, "// -----\n" + ROWS)
        [action] = client.actions(uri, "linalg.exp")
        assert "edit" not in action, action
        text = client.edited(uri, client.request("codeAction/resolve", action)["edit"]["changes"][uri])
        assert self.accepts(text, "--npu-verify-distributions") == (True, ""), text
        client.edit(uri, "linalg.exp", " linalg.exp")
        assert "changed" in client.request("codeAction/resolve", action)["message"]
        assert "message" in client.request("codeAction/resolve", {"title": "no data"})
        assert client.leave() == 0

    def checks_the_last_of_many_edits(self):
        client, uri = self.client, "file:///keys.mlir"
        client.open(uri, CAST)
        for _ in range(30):
            client.edit(uri, "// Heads", "// Heads ")
        client.edit(uri, "[1, 1, 4, 1]", "[1, 1, 1, 4]")
        # Answers come before the check, and are of the newest text.
        assert "do not agree" in client.hover(uri, "npu.permute_cast")
        assert len(client.checked(uri)) == 1

    def shows_boxes(self):
        client, uri = self.client, "file:///boxes.mlir"
        client.open(uri, """#halo = #npu.layout<OVERLAPPED, tiles = [4, 1], window = [[0, 3, 1, 1, 1]]>
func.func @main(%x: tensor<8x4xf16, #halo>, %p: tensor<8x4xf16, #npu.layout<SEGMENTED, tiles = [2, 1]>> {npu.padding = [[0, 6, 8]]}, %d: tensor<4xf32>) -> tensor<8x4xf16, #halo> {
  %many:2 = func.call @two(%x) : (tensor<8x4xf16, #halo>) -> (tensor<8x4xf16, #halo>, tensor<4xf32>)
  return %many#0 : tensor<8x4xf16, #halo>
}
func.func private @two(tensor<8x4xf16, #halo>) -> (tensor<8x4xf16, #halo>, tensor<4xf32>)
""")
        [warning] = client.checked(uri)
        assert warning["severity"] == WARNING and "falls back to the host" in warning["message"], warning
        table = client.hover(uri, "%x:", 1)
        assert "| tile | computes | holds |" in table, table
        assert "| 1 | [2:4, 0:4] | [1:5, 0:4] |" in table, table
        assert "Fullest tile: 32 bytes" in table, table
        # An alias at a type is a layout of that type, and so is a layout that is written out.
        assert "| 1 | [2:4, 0:4] | [1:5, 0:4] |" in client.hover(uri, "#halo>, %p", 2)
        assert "| 1 | [4:8, 0:4] |" in client.hover(uri, "SEGMENTED", 3)
        assert "OVERLAPPED" in client.hover(uri, "#halo = ", 2)
        assert "Padding: 6:8 of dimension 0" in client.hover(uri, "%p")
        assert "in DDR" in client.hover(uri, "%d")
        assert "tensor<8x4xf16" in client.hover(uri, "%many#0")
        assert client.hover(uri, "func.func @main", 4)
        assert client.hover(uri, "{\n  %many") is None

    def names_and_symbols(self):
        client, uri = self.client, "file:///rows.mlir"
        [definition] = client.request("textDocument/definition", client.at(uri, "%x : "))
        assert client.spelled(uri, definition["range"]) == "%x", definition
        assert definition["range"]["start"] == client.at(uri, "%x:")["position"]
        places = client.request("textDocument/references", {
            **client.at(uri, "#columns>)"), "context": {"includeDeclaration": True}})
        assert len(places) == 6, places
        assert {client.spelled(uri, place["range"]) for place in places} == {"#columns"}, places
        [main] = client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        assert main["name"] == "@main" and client.spelled(uri, main["range"]).endswith("}"), main

    def completes_layouts(self):
        client, uri = self.client, "file:///complete.mlir"
        form = "func.func private @f(tensor<1x8x16x16xf16, #npu.layout<{}>>)\n"
        client.open(uri, "\n")

        def items(inside):
            client.change(uri, {"start": {"line": 0, "character": 0},
                                "end": client.position(uri, len(client.texts[uri]))},
                          form.format(inside.replace("^", "")))
            begin = client.texts[uri].index("#npu.layout<") + len("#npu.layout<")
            found = client.complete(uri, "func", begin + inside.index("^"))
            return {item["label"]: item for item in found}

        modes = {"SEGMENTED", "OVERLAPPED", "DUPLICATED", "SEGMENTED|DUPLICATED", "SEGMENTED|MULTICASTED"}
        assert set(items("^")) == modes | {"order"}, items("^")
        assert set(items("SEGMENTED|^")) == {"DUPLICATED", "MULTICASTED"}
        assert set(items("SEGMENTED, ^")) == {"tiles", "compute"}
        assert set(items("SEGMENTED, tiles = [1, 2, 2, 1], ^")) == {
            "copies", "split", "align", "major", "order", "storage"}
        # What stands after the cursor counts as well.
        assert set(items("SEGMENTED, tiles = [1, 2, 2, 1], ^, split = ceil, order = NHWC")) == {
            "copies", "align", "major"}
        assert "window" in items("OVERLAPPED, tiles = [1, 1, 4, 1], ^")
        assert "memory" not in items("OVERLAPPED, tiles = [1, 1, 4, 1], window = [[2, 3, 1, 1, 1]], ^")
        assert set(items("SEGMENTED, tiles = [1, 4, 1, 1], split = ^")) == {"balanced", "ceil"}
        assert set(items("SEGMENTED, tiles = [1, 4, 1, 1], storage = ^")) == {"tiled2d", "linear"}
        assert list(items("order = ^"))[:2] == ["NHWC", "NCHW"] and len(items("order = ^")) == 24
        assert items("SEGMENTED, tiles = [1, ^") == {}
        # Everything that has a value is a layout that the parser takes.
        for inside in ("^", "SEGMENTED, tiles = [1, 2, 2, 1], ^", "OVERLAPPED, tiles = [1, 1, 4, 1], ^",
                       "OVERLAPPED, ^", "DUPLICATED, ^", "DUPLICATED, tiles = 2, ^",
                       "SEGMENTED|DUPLICATED, tiles = [1, 4, 1, 1], ^", "SEGMENTED, tiles = [1, 4, 1, 1], split = ^",
                       "SEGMENTED, tiles = [1, 4, 1, 1], order = ^", "SEGMENTED, tiles = [1, 4, 1, 1], storage = ^",
                       "SEGMENTED, tiles = ^", "order = ^"):
            for label, item in items(inside).items():
                insert = item.get("insertText") or label
                if insert in modes or insert.endswith("= "):
                    continue
                text = form.format(inside.replace("^", insert))
                assert self.accepts(text) == (True, ""), text + self.accepts(text)[1]
        # Of an alias nobody knows the shape.
        client.open(uri, "#a = #npu.layout<SEGMENTED, \n")
        assert {item["label"] for item in client.complete(uri, "SEGMENTED, ", 11)} == {"tiles", "compute"}

    def completes_what_the_parser_takes(self):
        client, uri = self.client, "file:///parser.mlir"
        client.open(uri, "func.func @main(%argument: tensor<4xf32>) {\n  %0 = npu.\n  return %a\n}\n")
        assert {"permute_cast", "redistribute"} <= {
            item["label"] for item in client.complete(uri, "npu.", 4)}
        client.edit(uri, "  %0 = npu.\n", "")
        client.edit(uri, "return %a", "return %")
        assert "argument" in {item["label"] for item in client.complete(uri, "return %", 8)}

    def answers_in_broken_text(self):
        client, uri = self.client, "file:///broken.mlir"
        client.open(uri, ROWS)
        client.checked(uri)
        client.edit(uri, "  return", "  %1 = linalg.\n  return")
        assert client.checked(uri)[0]["severity"] == ERROR
        # Lines that have not changed still say what they said, those below as well.
        assert "| 0 | [0:2, 0:4] |" in client.hover(uri, "%x:")
        assert "| 0 | [0:4, 0:2] |" in client.hover(uri, "%0 : tensor<4x4xf32, #columns>\n}")
        assert client.hover(uri, "%1 = ") is None
        assert client.actions(uri, "linalg.exp") == []
        for text in ("", "}", "\0", "func.func @f(", "\ufeff", '"unclosed', "#npu.layout<" * 1000, "(" * 100000,
                     "// -----\n// -----\nfunc.func private @f(i1)\n// -----\nfunc", "%\u00e9\U0001d11e = x.y"):
            client.open(uri, text)
            client.checked(uri)
            end = client.position(uri, len(text))
            for method in ("hover", "completion", "definition"):
                client.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": end})
            client.diagnostics[uri] = []
        # Places that the text does not have.
        for line, character in ((-1, 0), (0, -5), (10**6, 0), (0, 10**6)):
            client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": {
                "line": line, "character": character}})
        assert client.request("textDocument/hover", {"textDocument": {"uri": "file:///unknown.mlir"},
                                                     "position": {"line": 0, "character": 0}}) is None
        assert "message" in client.request("textDocument/hover", {})
        assert "message" in client.request("no/method", {})

    def survives_files_that_are_cut_and_changed(self):
        client, random_ = self.client, random.Random(1)
        texts = [path.read_text() for path in sorted(EXAMPLES.glob("*.mlir")) if path.stat().st_size < 20000]
        for number in range(40):
            text = random_.choice(texts)
            at = random_.randrange(len(text) + 1)
            text = random_.choice([text[:at], text[:at] + text[at + random_.randrange(1, 40):], text[:at]
                                   + random_.choice(["<", ">", "{", "%", '"', "npu.", "#npu.layout<"]) + text[at:]])
            uri = f"file:///changed{number}.mlir"
            client.open(uri, text)
            client.checked(uri)
            place = {"textDocument": {"uri": uri},
                     "position": client.position(uri, random_.randrange(len(text) + 1))}
            for method in ("hover", "completion", "definition"):
                client.request(f"textDocument/{method}", place)
            client.request("textDocument/codeAction", {
                **place, "range": {"start": place["position"], "end": place["position"]},
                "context": {"diagnostics": []}})
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def survives_what_the_parser_does_not(self):
        # A permutation that is still to be typed, on which MLIR's parser crashes.
        client, uri = self.client, "file:///typing.mlir"
        text = ("func.func @f(%x: tensor<2x3xf16>, %e: tensor<3x2xf16>) {\n"
                "  %0 = linalg.transpose ins(%x : tensor<2x3xf16>) outs(%e : tensor<3x2xf16>) permutation = \n"
                "  return\n}\n")
        client.open(uri, text)
        [error] = client.checked(uri)
        assert "crashed" in error["message"] and error["range"]["start"]["line"] == 0, error
        client.request("textDocument/completion", client.at(uri, "permutation = ", 14))
        client.edit(uri, "permutation = ", "permutation = [1, 0]")
        assert client.checked(uri) == [], client.checked(uri)
        assert "%e" in client.hover(uri, "%e")

    def leaves_out_what_is_no_message(self):
        client, uri = self.client, "file:///still.mlir"
        deep = b'{"jsonrpc": "2.0", "id": 900, "method": "x", "params": ' + b"[" * 100000 + b"]" * 100000 + b"}"
        for body in (b"[" * 100000, deep, b"[]", b"1", b"null", b"{}", b'{"jsonrpc": 2}', b"{", b""):
            client.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        client.process.stdin.flush()
        client.open(uri, ROWS)
        assert client.checked(uri), "no answer after what is no message"

    def warns_of_unknown_operations(self):
        client, uri = self.client, "file:///unknown.mlir"
        client.open(uri, 'func.func @f() {\n  "tsoa.const"() : () -> ()\n  return\n}\n')
        [warning] = client.checked(uri)
        assert warning["severity"] == WARNING and "'tsoa.const'" in warning["message"], warning
        assert client.spelled(uri, warning["range"]).startswith('"tsoa'), warning

    def places_errors_in_files_of_windows(self):
        client, uri = self.client, "file:///windows.mlir"
        client.open(uri, 'func.func @f() {\r\n  "abc\r\n  return\r\n}\r\n')
        [error] = client.checked(uri)
        assert error["range"]["start"]["line"] == 1, error

    def counts_as_editors_do(self):
        # Characters beyond ASCII: two units of UTF-16, four bytes.
        client, uri = self.client, "file:///units.mlir"
        client.open(uri, 'func.func @main(%x: tensor<4xf32>) attributes {a = "\U0001d11e\u00e9"} { %y = arith.negf %x : tensor<4xf32> return }\n')
        assert client.checked(uri) == [], client.checked(uri)
        assert "%y" in client.hover(uri, "%y")
        client.edit(uri, "%y = arith.negf %x", "%y = arith.negf %z")
        [error] = client.checked(uri)
        assert client.spelled(uri, error["range"]) == "%z", error

    def keeps_parts_apart(self):
        client, uri = self.client, "file:///parts.mlir"
        client.open(uri, "func.func private @f(i1)\n// -----\n" + ROWS + "// -----\n" + ROWS)
        errors = client.checked(uri)
        assert [error["range"]["start"]["line"] for error in errors] == [5, 12], errors
        assert "[0:2, 0:4]" in client.hover(uri, "%x:")
        client.edit(uri, "@f(i1)", "@f(i1) -> i8\n")
        errors = client.checked(uri)
        assert [error["range"]["start"]["line"] for error in errors] == [6, 13], errors

    def says_names_of_layers(self):
        # An operation with a location of its own: its message stands at its name.
        client, uri = self.client, "file:///layer.mlir"
        client.open(uri, ROWS.replace("-> tensor<4x4xf32, #columns>\n", '-> tensor<4x4xf32, #columns> loc("layer 1")\n'))
        [error] = client.checked(uri)
        assert client.spelled(uri, error["range"]) == "linalg.exp", error

    def closes(self):
        client, uri = self.client, "file:///rows.mlir"
        client.diagnostics[uri] = []
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        assert client.hover(uri, "%x:") is None
        assert client.diagnostics[uri] == [(0, [])], client.diagnostics[uri]

    def leaves_a_bundle(self):
        # A server that is killed while a text is open, and one that its editor ends by a signal,
        # which it gives to the process that it has started: what was said until then is in the
        # bundle, and is answered again elsewhere.
        for kills in (True, False):
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                client = Client(self.binaries / "npu-lsp-server", options=[f"--emit-bundle={folder}/talk.tar"])
                uri = "file:///home/someone/rows.mlir"
                client.open(uri, "// -----\n" + ROWS)
                client.edit(uri, "// -----", "// \u00e9")
                hover = client.hover(uri, "%x:")
                assert "[0:2, 0:4]" in hover, hover
                outer = client.process.pid
                [inner] = pathlib.Path(f"/proc/{outer}/task/{outer}/children").read_text().split()
                end = signal.SIGKILL if kills else signal.SIGTERM
                os.kill(int(inner) if kills else outer, end)
                code = client.process.wait(timeout=60)
                assert code == 128 + end, code
                subprocess.run(["tar", "xf", "talk.tar"], cwd=folder, check=True)
                bundle = folder / "talk"
                assert (bundle / "documents" / "1-rows.mlir").read_text() == client.texts[uri]
                answers = [subprocess.run(["sh", bundle / "replay.sh"], cwd="/", capture_output=True, timeout=60,
                                          env={**os.environ, "NPU_BIN": str(self.binaries.resolve())}) for _ in range(2)]
                # Nobody has said goodbye, which the protocol wants.
                assert [answer.returncode for answer in answers] == [1, 1], answers
                logged = (bundle / "log" / "stdout").read_bytes()
                assert answers[0].stdout == answers[1].stdout == logged, (answers, logged)
                assert b"[0:2, 0:4]" in logged, logged

    def leaves(self):
        assert self.client.leave() == 0
        # Without a shutdown it has failed, also in the middle of a message.
        for message in (b"", b"Content-Length: 100\r\n\r\n{"):
            process = subprocess.Popen([self.binaries / "npu-lsp-server"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.communicate(message, timeout=30)
            assert process.returncode == 1, process.returncode


def main():
    conversations = Conversations(pathlib.Path(sys.argv[1]))
    names = [name for name, member in vars(Conversations).items()
             if callable(member) and not name.startswith("_") and name != "accepts"]
    for name in names:
        print(name, flush=True)
        getattr(conversations, name)()
    print(f"{len(names)} conversations, nothing wrong")


if __name__ == "__main__":
    main()
