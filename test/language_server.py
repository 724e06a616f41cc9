# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of the language server: messages with Content-Length, as editors send them."""

import json
import queue
import subprocess
import threading
import time

TIMEOUT = 30  # seconds, on a machine that does other things as well


class Client:
    def __init__(self, server, capabilities=None, options=()):
        self.process = subprocess.Popen([str(server), *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.next_id, self.texts, self.versions, self.diagnostics = 0, {}, {}, {}
        self.server = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities or {}})
        self.notify("initialized", {})

    def _read(self):
        stream = self.process.stdout
        while True:
            length = None
            while (line := stream.readline().strip()):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                self.messages.put(None)
                return
            self.messages.put(json.loads(stream.read(length)))

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _next(self, wanted):
        """The next message that is wanted; diagnostics on the way are kept."""
        end = time.monotonic() + TIMEOUT
        while True:
            message = self.messages.get(timeout=max(end - time.monotonic(), 0.01))
            if message is None:
                raise EOFError("the server has ended")
            if message.get("method") == "textDocument/publishDiagnostics":
                params = message["params"]
                self.diagnostics.setdefault(params["uri"], []).append(
                    (params["version"], params["diagnostics"]))
            if wanted(message):
                return message

    def notify(self, method, params):
        self._send({"method": method, "params": params})

    def request(self, method, params):
        """The result, or the error with its message."""
        self.next_id += 1
        self._send({"id": self.next_id, "method": method, "params": params})
        answer = self._next(lambda message: message.get("id") == self.next_id)
        return answer["result"] if "result" in answer else answer["error"]

    def open(self, uri, text):
        self.texts[uri], self.versions[uri] = text, 1
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "mlir", "version": 1, "text": text}})

    def edit(self, uri, old, new):
        """Replaces the first `old` of the text, as an editor does: by its range."""
        text = self.texts[uri]
        begin = text.index(old)
        self.change(uri, {"start": self.position(uri, begin), "end": self.position(uri, begin + len(old))}, new)

    def change(self, uri, range_, new):
        self.texts[uri] = self.edited(uri, [{"range": range_, "newText": new}])
        self.versions[uri] += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": self.versions[uri]},
            "contentChanges": [{"range": range_, "text": new}]})

    def position(self, uri, offset):
        """The protocol counts UTF-16 code units."""
        before = self.texts[uri][:offset]
        line = before[before.rfind("\n") + 1:]
        return {"line": before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}

    def offset(self, uri, position):
        text = self.texts[uri]
        begin = 0
        for _ in range(position["line"]):
            begin = text.index("\n", begin) + 1
        line = text[begin:].split("\n", 1)[0]
        return begin + len(line.encode("utf-16-le")[:2 * position["character"]].decode("utf-16-le"))

    def at(self, uri, words, into=0):
        return {"textDocument": {"uri": uri},
                "position": self.position(uri, self.texts[uri].index(words) + into)}

    def spelled(self, uri, range_):
        return self.texts[uri][self.offset(uri, range_["start"]):self.offset(uri, range_["end"])]

    def edited(self, uri, edits):
        """The text with edits made, which are all of the text as it is."""
        text = self.texts[uri]
        places = sorted(((self.offset(uri, edit["range"]["start"]), self.offset(uri, edit["range"]["end"]),
                          edit["newText"]) for edit in edits), reverse=True)
        for begin, end, new in places:
            text = text[:begin] + new + text[end:]
        return text

    def checked(self, uri):
        """The diagnostics of the newest version."""
        version = self.versions[uri]
        newest = lambda: next((found for seen, found in self.diagnostics.get(uri, ()) if seen == version), None)
        if newest() is None:
            self._next(lambda message: newest() is not None)
        return newest()

    def hover(self, uri, words, into=0):
        answer = self.request("textDocument/hover", self.at(uri, words, into))
        return answer and answer["contents"]["value"]

    def complete(self, uri, words, into):
        return self.request("textDocument/completion", self.at(uri, words, into))["items"]

    def actions(self, uri, words, into=0):
        place = self.at(uri, words, into)
        return self.request("textDocument/codeAction", {
            **place, "range": {"start": place["position"], "end": place["position"]},
            "context": {"diagnostics": []}})

    def leave(self):
        """The exit code after shutdown and exit."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=TIMEOUT)
