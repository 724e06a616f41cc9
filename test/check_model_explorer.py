#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads graphs, node data and edge overlays as Model Explorer's own types have
them, and says what it would not take.

    check_model_explorer.py GRAPH.json [--data=FILE...] [--overlays=FILE...]
"""
import argparse
import json
import pathlib
import re
import sys


def expect(condition, what):
    if not condition:
        raise SystemExit(f"error: {what}")


def check_fields(item, where, required, optional=()):
    """Every field is known and of its type, and none is missing."""
    known = dict(required) | dict(optional)
    expect(isinstance(item, dict), f"{where}: expected an object")
    for name, kind in known.items():
        expect(name in item or name not in dict(required), f"{where}: no '{name}'")
        expect(name not in item or isinstance(item[name], kind), f"{where}: '{name}' is no {kind.__name__}")
    for name in item:
        expect(name in known, f"{where}: '{name}' is unknown")


def check_pairs(pairs, where):
    for pair in pairs:
        check_fields(pair, where, {"key": str, "value": str}.items())


def check_graph(graph):
    """Returns the identifiers of its nodes."""
    check_fields(graph, "graph", {"id": str, "nodes": list}.items())
    where, outputs = graph["id"], {}
    for node in graph["nodes"]:
        check_fields(node, f"node of {where}", {"id": str, "label": str, "namespace": str}.items(),
                     {"attrs": list, "incomingEdges": list, "outputsMetadata": list, "inputsMetadata": list,
                      "style": dict, "config": dict, "subgraphIds": list}.items())
        expect(node["id"] not in outputs, f"{where}: two nodes are '{node['id']}'")
        expect(not node["namespace"].startswith("/") and "//" not in node["namespace"], f"{where}: namespace '{node['namespace']}'")
        check_pairs(node.get("attrs", []), node["id"])
        outputs[node["id"]] = set()
        for output in node.get("outputsMetadata", []):
            check_fields(output, f"output of {node['id']}", {"id": str, "attrs": list}.items())
            check_pairs(output["attrs"], node["id"])
            outputs[node["id"]].add(output["id"])
        check_fields(node.get("style", {}), "style", (), {"backgroundColor": str, "borderColor": str, "hoveredBorderColor": str}.items())
        check_fields(node.get("config", {}), "config", (), {"pinToGroupTop": bool}.items())
    for node in graph["nodes"]:
        for edge in node.get("incomingEdges", []):
            check_fields(edge, f"edge to {node['id']}", {"sourceNodeId": str, "sourceNodeOutputId": str, "targetNodeInputId": str}.items())
            source = edge["sourceNodeId"]
            expect(source in outputs, f"{where}: edge to {node['id']} from '{source}', which is no node")
            expect(edge["sourceNodeOutputId"] in outputs[source], f"{where}: '{source}' has no output '{edge['sourceNodeOutputId']}'")
    return set(outputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--overlays", type=pathlib.Path, action="append", default=[])
    chosen = parser.parse_args()
    collection = json.loads(chosen.graph.read_text(encoding="utf-8"))
    check_fields(collection, "collection", {"label": str, "graphs": list}.items())
    graphs = {}
    for graph in collection["graphs"]:
        expect(graph.get("id") not in graphs, f"two graphs are '{graph.get('id')}'")
        graphs[graph["id"]] = check_graph(graph)
    values = 0
    for path in chosen.data:
        for name, data in json.loads(path.read_text(encoding="utf-8")).items():
            expect(name in graphs, f"data of '{name}', which is no graph")
            check_fields(data, name, {"results": dict}.items(), {"gradient": list, "thresholds": list, "name": str}.items())
            for node, result in data["results"].items():
                expect(node in graphs[name], f"data of '{node}', which is no node of '{name}'")
                check_fields(result, node, {"value": int}.items())
                values += 1
            stops = data.get("gradient", [])
            expect({0, 1} <= {stop["stop"] for stop in stops}, "a gradient has the stops 0 and 1")
            expect(all(re.fullmatch("#[0-9a-f]{6}", stop["bgColor"]) for stop in stops), "colours are #rrggbb")
    edges = 0
    for path in chosen.overlays:
        overlays = json.loads(path.read_text(encoding="utf-8"))
        check_fields(overlays, "overlays", {"type": str, "name": str, "overlays": list}.items())
        expect(overlays["type"] == "edge_overlays", "the type of overlays")
        last = graphs[collection["graphs"][-1]["id"]]
        for overlay in overlays["overlays"]:
            check_fields(overlay, "overlay", {"name": str, "edges": list, "edgeColor": str}.items(), {"edgeWidth": int, "edgeLabelFontSize": int}.items())
            for edge in overlay["edges"]:
                check_fields(edge, "edge", {"sourceNodeId": str, "targetNodeId": str}.items(), {"label": str}.items())
                expect({edge["sourceNodeId"], edge["targetNodeId"]} <= last, f"an overlay from '{edge['sourceNodeId']}' to '{edge['targetNodeId']}'")
                edges += 1
    nodes = sum(len(each) for each in graphs.values())
    print(f"{len(graphs)} graphs, {nodes} nodes, {values} values, {edges} edges of overlays")


if __name__ == "__main__":
    sys.exit(main())
