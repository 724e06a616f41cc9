# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/tosa.md: made of what became of all cases, and held against some."""

import re

BEGIN = "<!-- operations: test/tosa_operations.py --write -->"
END = "<!-- /operations -->"
REASONS = "| what is said | of which operations and element types |"


def listed(combinations):
    """Combinations of types, those of one type alone by its name."""
    single = [c[0] for c in combinations if len(set(c)) == 1]
    mixed = [f"({', '.join(c)})" for c in combinations if len(set(c)) > 1]
    return ", ".join([*sorted(single), *sorted(mixed)])


def plain(why):
    return why.replace("|", "\\|").replace("<", "&lt;")


def combinations_by_operation(outcomes, state):
    found = {}
    for outcome in outcomes:
        if outcome.state == state:
            found.setdefault(outcome.case.operation, set()).add(outcome.case.types)
    return found


def types_text(combinations):
    return "" if not combinations else listed(combinations) if any(combinations) else "shapes"


def table(outcomes):
    runs, compiles = (combinations_by_operation(outcomes, state) for state in ("accepted", "compiled"))
    states = [o.state for o in outcomes]
    lines = [BEGIN, "", f"{len(outcomes)} functions of one operation each: {states.count('accepted')} run and are equal to "
             f"the specification, {states.count('compiled')} get layouts and do not run, {states.count('refused')} are "
             "refused.", "", "| operation | element types that run | that get layouts alone |", "|---|---|---|"]
    for name in sorted(runs.keys() | compiles.keys()):
        lines.append(f"| {name} | {types_text(runs.get(name))} | {types_text(compiles.get(name))} |")
    lines += ["", "### Refused", "", REASONS, "|---|---|"]
    for why in sorted({o.why for o in outcomes if o.state in ("refused", "compiled")}):
        of = combinations_by_operation([o for o in outcomes if o.why == why and o.state == "refused"], "refused")
        rows = [f"{name}: {types_text(types)}" if any(types) else name for name, types in sorted(of.items())]
        lines.append(f"| {plain(why)} | {'; '.join(rows) or 'what gets layouts alone'} |")
    return "\n".join([*lines, "", END])


def write_table(page, outcomes):
    text = page.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN), text.index(END) + len(END)
    page.write_text(text[:begin] + table(outcomes) + text[end:], encoding="utf-8")


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def rows_of(text):
    return [cells(line) for line in text.splitlines() if line.startswith("| ")][1:]


def reasons_of(page):
    """Every reason that the page has, with the operations and types that are refused for it."""
    text = page.read_text(encoding="utf-8")
    return dict(rows_of(text[text.index(REASONS) : text.index(END)]))


def operations_of(page):
    """The operations that the page says anything of."""
    text = page.read_text(encoding="utf-8")
    runs = {row[0] for row in rows_of(text[text.index(BEGIN) : text.index(REASONS)])}
    return runs | {row.split(":")[0] for cell in reasons_of(page).values() for row in cell.split("; ")}


def names_types(cell, types):
    """Whether a cell of the table has this combination of types."""
    text = types_text({types})
    return re.search(r"(?<![\w(])" + re.escape(text) + r"(?=,|;|$)", cell)


def disagreements(page, outcomes):
    """Cases that do not end as the page says."""
    text = page.read_text(encoding="utf-8")
    rows = {row[0]: row[1:] for row in rows_of(text[text.index(BEGIN) : text.index(REASONS)])}
    reasons = reasons_of(page)
    for outcome in outcomes:
        case = outcome.case
        runs, compiles = rows.get(case.operation, ("", ""))
        if outcome.state == "accepted" and not names_types(runs, case.types):
            yield f"{case.name}: {page.name} does not say that it runs"
        if outcome.state == "compiled" and not names_types(compiles, case.types):
            yield f"{case.name}: {page.name} does not say that it gets layouts alone"
        if outcome.state in ("refused", "compiled") and plain(outcome.why) not in reasons:
            yield f"{case.name}: {page.name} does not say that it is refused: {outcome.why}"
        if outcome.state == "refused":
            cell = next((c for c in reasons.get(plain(outcome.why), "").split("; ")
                         if c.split(":")[0] == case.operation), None)
            if cell is None or case.types and not names_types(cell.split(": ", 1)[-1], case.types):
                yield f"{case.name}: {page.name} does not say of which types it is refused"
