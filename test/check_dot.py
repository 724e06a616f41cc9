#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a graph by the grammar of DOT (graphviz.org/doc/info/lang.html) and says
how many nodes and edges it has, or what is wrong: also edges between nodes that
no statement declares.

    check_dot.py GRAPH.dot
"""
import pathlib
import re
import sys

TOKEN = re.compile(r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<word>[A-Za-z_][A-Za-z0-9_]*|-?\d+(?:\.\d+)?)|(?P<mark>->|[{}\[\]=;,]))', re.S)


class Reader:
    def __init__(self, text):
        self.tokens, at = [], 0
        text = text.rstrip()
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise SystemExit(f"error: cannot read {text[at:at + 30]!r}")
            self.tokens.append((found.lastgroup, found.group(found.lastgroup)))
            at = found.end()
        self.at, self.nodes, self.edges = 0, set(), []

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else None

    def take(self, wanted=None):
        token = self.peek()
        if token is None or (wanted is not None and token != wanted):
            raise SystemExit(f"error: expected {wanted or 'more'}, got {token!r}")
        self.at += 1
        return token

    def name(self):
        kind = self.tokens[self.at][0] if self.at < len(self.tokens) else None
        if kind not in ("quoted", "word"):
            raise SystemExit(f"error: expected a name, got {self.peek()!r}")
        return self.take()

    def read(self):
        self.take("digraph")
        if self.peek() != "{":
            self.name()
        self.statements()
        if self.peek() is not None:
            raise SystemExit(f"error: {self.peek()!r} follows the graph")
        for edge in self.edges:
            if not set(edge) <= self.nodes:
                raise SystemExit(f"error: an edge between {edge}, which are not both declared")

    def statements(self):
        self.take("{")
        while self.peek() != "}":
            if self.peek() == "subgraph":
                self.take()
                self.name()
                self.statements()
            else:
                self.statement()
            if self.peek() == ";":
                self.take()
        self.take("}")

    def statement(self):
        first = self.name()
        if self.peek() == "=":
            self.take()
            self.name()
        elif self.peek() == "->":
            self.take()
            self.edges.append((first, self.name()))
            self.attributes()
        else:
            if first not in ("node", "edge", "graph"):
                self.nodes.add(first)
            self.attributes()

    def attributes(self):
        while self.peek() == "[":
            self.take()
            while self.peek() != "]":
                self.name()
                self.take("=")
                self.name()
                if self.peek() in (",", ";"):
                    self.take()
            self.take("]")


def main():
    reader = Reader(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    reader.read()
    print(f"{len(reader.nodes)} nodes, {len(reader.edges)} edges")


if __name__ == "__main__":
    sys.exit(main())
