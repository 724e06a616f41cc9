# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of conformance in docs/reference/onnx.md: made of all results, and held against
some of them."""

import re

BEGIN = "<!-- conformance: scripts/onnx-conformance.sh --write-table -->"
END = "<!-- /conformance -->"


def table(results):
    """The part of docs/reference/onnx.md that all results make."""
    scope = [result for result in results if result["state"] != "out"]
    passed = [result for result in scope if result["state"] == "pass"]
    imported = [r for r in scope if r["state"] == "pass" or r["distributed"] == "fail"]
    fixed = [result for result in passed if result["fixed"]]
    kept = [result for result in passed if result.get("kept")]
    lines = [BEGIN, "",
             f"Of {len(results)} tests {len(scope)} are in scope. {len(imported)} of them pass as they are "
             f"imported ({100 * len(imported) / max(1, len(scope)):.1f} %), {len(passed)} also distributed over four "
             f"tiles. {len(fixed)} of those that pass have an input that says a shape or axes made a constant "
             f"(`--input-value`); {len(kept)} compute on DDR alone, because nobody distributes what they do.", "",
             "| operator | tests in scope | pass imported | pass distributed |", "|---|--:|--:|--:|"]
    rows = {}
    for result in scope:
        for operator in result["operators"]:
            row = rows.setdefault(operator, [0, 0, 0])
            row[0] += 1
            row[1] += result in imported
            row[2] += result in passed
    for operator in sorted(rows):
        lines.append(f"| {operator} | " + " | ".join(str(n) for n in rows[operator]) + " |")
    lines += ["", "### Tests that fail", ""]
    failed = [result for result in scope if result["state"] == "fail"]
    for result in failed:
        lines.append(f"* `{result['suite']}/{result['name']}`: {plain(result['why'])}")
    if not failed:
        lines.append("None.")
    lines += ["", "### Tests out of scope", ""]
    reasons = {}
    for result in results:
        if result["state"] == "out":
            reasons.setdefault(plain(result["why"]), []).append(f"`{result['suite']}/{result['name']}`")
    for reason in sorted(reasons):
        names = sorted(reasons[reason])
        lines += [f"* {reason} ({len(names)}): " + ", ".join(names)]
    return "\n".join(lines + ["", END])


def plain(text):
    """A message without what differs from machine to machine."""
    return re.sub(r"/tmp/\S*/", "", text)[:160].replace("|", "\\|").replace("<", "&lt;")


def write_table(page, results):
    text = page.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN), text.index(END) + len(END)
    page.write_text(text[:begin] + table(results) + text[end:], encoding="utf-8")


def disagreements(page, results):
    """Tests that do not end as the page says."""
    text = page.read_text(encoding="utf-8")
    text = text[text.index(BEGIN) : text.index(END)]
    failed = set(re.findall(r"`([^`]*)`", text[text.index("### Tests that fail") : text.index("### Tests out")]))
    out = set(re.findall(r"`([^`]*)`", text[text.index("### Tests out") :]))
    for result in results:
        name = f"{result['suite']}/{result['name']}"
        said = "fail" if name in failed else "out" if name in out else "pass"
        if said != result["state"]:
            yield f"{name}: {page.name} says {said}, got {result['state']}: {result['why']}"
