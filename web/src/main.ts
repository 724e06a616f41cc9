// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page as a whole: the stages of a program, each as a graph, a timeline and a
// list of decisions, and what is selected beside them.

import { html, table } from "./elements";
import { GraphPanel, type Selection } from "./graph";
import { movementPanel } from "./movement";
import { find } from "./search";
import { summary } from "./summary";
import { patterns, tensorPanel } from "./tensor";
import { Timeline } from "./timeline";
import type { Decision, Licence, ProgramFunction, Stage, View } from "./view";
import { count, placeText, shapeText, whereText, workOf } from "./words";

type Tab = "graph" | "timeline" | "decisions";

const read = <Content>(id: string): Content => JSON.parse(document.getElementById(id)!.textContent ?? "null") as Content;

/** Decisions that are listed at first. */
const firstDecisions = 100;

class Page {
  private stage = 0;
  private readonly functions: number[];
  private besides = false;
  private tab: Tab = "graph";
  private graphs: { stage: number; panel: GraphPanel }[] = [];
  private readonly root = document.getElementById("page")!;
  private readonly answer = html("div", { class: "answer-place" });
  private readonly work = html("div", { class: "work" });
  private readonly details = html("aside", { class: "details", "aria-label": "What is selected", tabindex: -1 });
  private readonly controls = html("div", { class: "controls" });

  constructor(private view: View) {
    this.functions = view.stages.map((stage) => Math.max(0, stage.functions.findIndex((program) =>
      stage.problems.some((problem) => program.operations.some((operation) => operation.place !== "" && operation.place === problem.place)))));
    document.title = `${view.file} – Tilewright`;
    this.root.replaceChildren(patterns(), this.header(), this.answer,
      html("div", { class: "columns" }, html("div", { class: "main-column" }, this.controls, this.work), this.details), this.footer());
    this.draw();
  }

  private get program(): ProgramFunction | undefined { return this.programOf(this.stage); }
  private programOf(stage: number): ProgramFunction | undefined { return this.view.stages[stage].functions[this.functions[stage]]; }

  private header(): HTMLElement {
    const kinds: Record<string, string> = { log: "log of the field compiler", dump: "dump of the field compiler", artefact: "artefact", ir: "IR" };
    const results = html("ul", { class: "results", role: "listbox", "aria-label": "Found", hidden: true });
    const input = html("input", { type: "search", id: "search", placeholder: "Search names, operations, layouts", autocomplete: "off",
      role: "combobox", "aria-expanded": "false", "aria-controls": "results", "aria-label": "Search" });
    results.id = "results";
    let found: Selection[] = [], chosen = 0;
    const choose = (place: number) => {
      const selection = found[place];
      if (!selection) return;
      results.hidden = true;
      input.setAttribute("aria-expanded", "false");
      this.show(selection);
    };
    const show = () => {
      const program = this.program;
      const all = program && input.value.trim() !== "" ? find(program, input.value, 12) : [];
      found = all.map((each) => each.selection);
      results.replaceChildren(...all.map((each, place) => html("li", { role: "option", id: `result-${place}`, "aria-selected": String(place === chosen), click: () => choose(place) },
        html("strong", {}, each.title), " ", html("span", { class: "quiet" }, each.detail))));
      if (input.value.trim() !== "" && all.length === 0)
        results.replaceChildren(html("li", { role: "option", "aria-selected": "false", class: "quiet" }, "Nothing is found in this function."));
      results.hidden = input.value.trim() === "";
      input.setAttribute("aria-expanded", String(!results.hidden));
      if (all.length > 0) input.setAttribute("aria-activedescendant", `result-${chosen}`);
      else input.removeAttribute("aria-activedescendant");
    };
    input.addEventListener("input", () => { chosen = 0; show(); });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") choose(chosen);
      else if (event.key === "Escape") { input.value = ""; show(); }
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        chosen = Math.min(Math.max(chosen + (event.key === "ArrowDown" ? 1 : -1), 0), Math.max(found.length - 1, 0));
        show();
      }
    });
    // A click on what was found leaves the field as it is.
    results.addEventListener("mousedown", (event) => event.preventDefault());
    input.addEventListener("blur", () => { results.hidden = true; input.setAttribute("aria-expanded", "false"); });
    const dark = html("button", { type: "button", class: "small", click: () => {
      const root = document.documentElement, isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
      this.redrawTimelines();
    } }, "Dark or light");
    return html("header", {},
      html("div", { class: "title" }, html("p", { class: "brand" }, "Tilewright"), html("h1", {}, this.view.file), html("span", { class: "chip" }, kinds[this.view.kind] ?? this.view.kind)),
      html("div", { class: "tools" }, html("div", { class: "search" }, input, results), dark));
  }

  private timelines: Timeline[] = [];
  private redrawTimelines(): void { for (const timeline of this.timelines) timeline.draw(); }

  private footer(): HTMLElement {
    const licences = read<Licence[]>("licences"), { words } = this.view;
    return html("footer", {},
      words && html("details", { class: "words" }, html("summary", {}, "The same in words, with the repair in the field compiler's own spelling"), html("pre", { tabindex: 0 }, words)),
      html("p", { class: "quiet" }, "Everything on this page is inside this one file; it fetches nothing. Runs are modelled, not measured."),
      html("details", {}, html("summary", {}, "Licences of what is in this page"),
        html("p", {}, "Tilewright: Apache-2.0 WITH LLVM-exception."),
        ...licences.map((each) => html("div", {}, html("h3", {}, `${each.name} ${each.version}, ${each.licence}`), html("pre", { tabindex: 0 }, each.text)))));
  }

  private draw(): void {
    const { view } = this, stage = view.stages[this.stage];
    this.answer.replaceChildren(summary(view, this.stage, (failure) => {
      this.functions[this.stage] = stage.functions.indexOf(failure.program);
      this.tab = "graph";
      this.draw();
      this.show({ kind: "operation", number: failure.number }, true);
    }));
    this.drawControls(stage);
    this.drawWork(stage);
    this.details.replaceChildren(html("p", { class: "quiet hint" }, this.tab === "graph"
      ? "Select a value to see which tile has which part of it, or an operation to see what moves."
      : this.tab === "timeline" ? "Select a row to see what it is about." : "Select a place to see its operation in the graph."));
    const shown = this.graphs[0];
    if (!shown || this.tab !== "graph") return;
    const first = shown.panel.program.operations.findIndex((_, number) => shown.panel.problemOf(number));
    if (first < 0) return;
    shown.panel.reveal({ kind: "operation", number: first }, "quietly");
    this.describe({ kind: "operation", number: first }, shown.stage);
  }

  private drawControls(stage: Stage): void {
    const { view } = this;
    const choice = (label: string, isOn: boolean, act: () => void) =>
      html("button", { type: "button", "aria-pressed": String(isOn), click: act }, label);
    const parts: Node[] = [];
    if (view.stages.length > 1) {
      const stages = html("div", { class: "choices", role: "group", "aria-label": "Stage" },
        ...view.stages.map((each, number) => choice(each.title, number === this.stage && !this.besides, () => { this.stage = number; this.besides = false; this.tab = this.tabOf(number); this.draw(); })));
      stages.append(choice("Before and after", this.besides, () => { this.besides = true; this.tab = "graph"; this.draw(); }));
      parts.push(stages);
    }
    if (stage.functions.length > 1) {
      const select = html("select", { "aria-label": "Function", change: (event) => {
        this.functions[this.stage] = Number((event.target as HTMLSelectElement).value);
        this.draw();
      } }, ...stage.functions.map((program, number) => html("option", { value: number, selected: number === this.functions[this.stage] }, program.name)));
      parts.push(select);
    }
    const tabs: [Tab, string][] = [["graph", "Graph"]];
    if (this.program?.run) tabs.push(["timeline", "Timeline"]);
    if (stage.decisions.length > 0) tabs.push(["decisions", `Decisions (${count(stage.decisions.length)})`]);
    if (tabs.length > 1 && !this.besides)
      parts.push(html("div", { class: "choices", role: "group", "aria-label": "View" },
        ...tabs.map(([tab, label]) => choice(label, tab === this.tab, () => { this.tab = tab; this.draw(); }))));
    this.controls.replaceChildren(...parts);
  }

  /** A stage opens with what it adds. */
  private tabOf(stage: number): Tab {
    const program = this.programOf(stage);
    return program?.run ? "timeline" : "graph";
  }

  private drawWork(stage: Stage): void {
    this.graphs = [];
    this.timelines = [];
    const notices = html("div", { class: "notices" });
    for (const text of stage.missing) notices.append(html("p", { class: "notice" }, `${text[0].toUpperCase()}${text.slice(1)}.`));
    const program = this.program;
    if (program?.operationsLeftOut && this.tab === "graph")
      notices.append(html("p", { class: "notice" }, `${count(program.operationsLeftOut)} operations are not drawn: ${program.whyLeftOut}.`));
    if (!program) this.work.replaceChildren(notices, html("p", { class: "quiet pad" }, "This file has no function with a body."));
    else if (this.besides) this.work.replaceChildren(notices, this.bothGraphs());
    else if (this.tab === "timeline" && program.run) {
      const { run } = program;
      const timeline = new Timeline(run, (number) => this.showPlace(run.places[number], program));
      this.timelines.push(timeline);
      this.work.replaceChildren(notices, timeline.element);
    } else if (this.tab === "decisions") this.work.replaceChildren(notices, this.decisions(stage));
    else this.work.replaceChildren(notices, this.graph(this.stage), this.problems(stage));
  }

  private graph(stage: number): HTMLElement {
    const program = this.programOf(stage)!;
    const panel = new GraphPanel(program, this.view.stages[stage].problems, (selection) => this.describe(selection, stage));
    this.graphs.push({ stage, panel });
    return panel.element;
  }

  /** The stage and the one after it, or the last two. */
  private bothGraphs(): HTMLElement {
    const first = Math.min(this.stage, this.view.stages.length - 2);
    const names = this.programOf(first)?.name;
    const same = this.view.stages[first + 1].functions.findIndex((program) => program.name === names);
    if (same >= 0) this.functions[first + 1] = same;
    const side = (word: string, stage: number) => html("section", { class: "beside", "aria-label": word },
      html("h3", {}, `${word}: ${this.view.stages[stage].title}`),
      this.programOf(stage) ? this.graph(stage) : html("p", { class: "quiet" }, "no function"));
    return html("div", { class: "both" }, side("Before", first), side("After", first + 1));
  }

  private problems(stage: Stage): HTMLElement | string {
    if (stage.problems.length === 0) return "";
    return html("section", { class: "problems" }, html("h3", {}, "What is wrong"),
      ...stage.problems.slice(0, 50).map((problem) => html("article", { class: `problem ${problem.severity}` },
        html("p", {}, html("strong", {}, `${problem.severity}: `), problem.text), html("p", { class: "quiet" }, placeText(problem)),
        ...problem.notes.map((note) => html("p", { class: "note" }, note)))),
      stage.problems.length > 50 && html("p", { class: "notice" }, `${count(stage.problems.length - 50)} more are left out.`));
  }

  private decisions(stage: Stage): HTMLElement {
    const list = html("div", {});
    const filter = html("input", { type: "search", placeholder: "Filter decisions", "aria-label": "Filter decisions" });
    let most = firstDecisions;
    const where = (decision: Decision) => {
      const program = this.program;
      const number = program ? program.operations.findIndex((operation) => operation.place !== "" && operation.place === decision.place) : -1;
      return number < 0 ? placeText(decision) : html("button", { type: "button", class: "link", click: () => {
        this.tab = "graph";
        this.draw();
        this.show({ kind: "operation", number }, true);
      } }, placeText(decision));
    };
    const show = () => {
      const text = filter.value.toLowerCase();
      const all = stage.decisions.filter((each) => `${each.name} ${each.reason} ${placeText(each)}`.toLowerCase().includes(text));
      const rows = all.slice(0, most).map((each) => [where(each), each.name, each.reason,
        Object.entries(each.figures).map(([name, value]) => `${name.replaceAll("_", " ")} ${/^-?\d+$/.test(value) ? count(Number(value)) : value}`).join(", ")]);
      list.replaceChildren(table("Decisions", ["Where", "What", "Why, and what the next best would cost", "Figures"], rows));
      if (all.length > most)
        list.append(html("button", { type: "button", class: "small", click: () => { most += 500; show(); } }, `Show more of ${count(all.length)}`));
    };
    filter.addEventListener("input", show);
    show();
    return html("section", { class: "decisions", "aria-label": "Decisions" }, filter, list);
  }

  /** Selects something in the graph of this stage. */
  show(selection: Selection, focus = false): void {
    if (this.tab !== "graph") { this.tab = "graph"; this.draw(); }
    const graph = this.graphs.find((each) => each.stage === this.stage) ?? this.graphs[0];
    if (!graph) return;
    graph.panel.reveal(selection, focus ? "focused" : "seen");
    this.describe(selection, graph.stage);
  }

  private describe(selection: Selection, stage: number): void {
    const program = this.programOf(stage)!;
    for (const graph of this.graphs) if (graph.stage !== stage) graph.panel.mark(undefined);
    const link = (value: number) => html("button", { type: "button", class: "link", click: () => this.showIn(stage, { kind: "value", number: value }) },
      `${program.values[value].name}: ${shapeText(program.types[program.values[value].type])}, ${whereText(program.values[value], program.types[program.values[value].type])}`);
    if (selection.kind === "value") {
      const value = program.values[selection.number], type = program.types[value.type];
      const readers = program.operations.flatMap((operation, number) => (operation.operands.includes(selection.number) ? [number] : []));
      const operationLink = (number: number) => html("button", { type: "button", class: "link", click: () => this.showIn(stage, { kind: "operation", number }) },
        `${program.operations[number].kind}, ${placeText(program.operations[number])}${program.operations[number].wrong?.some((each) => each.value === selection.number) ? " ✕ which needs other boxes" : ""}`);
      this.details.replaceChildren(html("h2", {}, `Value ${value.name}`), tensorPanel(type, value.padding, whereText(value, type)),
        html("h4", {}, "Made by"), value.producer === undefined ? html("p", {}, "It is an argument of the function.") : operationLink(value.producer),
        html("h4", {}, "Read by"), readers.length === 0 ? html("p", {}, "Nothing reads it.") : html("ul", { class: "list" }, ...readers.slice(0, 20).map((number) => html("li", {}, operationLink(number)))));
      return;
    }
    const operation = program.operations[selection.number];
    const problem = this.graphs.find((each) => each.stage === stage)?.panel.problemOf(selection.number);
    const facts = html("dl", { class: "facts" });
    const fact = (name: string, content: string | Node) => facts.append(html("dt", {}, name), html("dd", {}, content));
    if (operation.names.length > 0) fact("Name", operation.names.join(", "));
    fact("Location", operation.place || "the file says none");
    if (operation.body) fact(operation.kind === "func.call" ? "Calls" : "Computes", operation.body);
    if (operation.tile !== undefined) fact("Runs on", `tile ${operation.tile}`);
    if (operation.cycles !== undefined) fact("Cycles", `${count(operation.cycles)}, by the costs of the target`);
    const list = (values: number[]) => html("ul", { class: "list" }, ...values.map((value) => html("li", {}, link(value))));
    if (operation.operands.length > 0) fact("Reads", list(operation.operands));
    if (operation.results.length > 0) fact("Makes", list(operation.results));
    // What verification refuses, it has said; else the first operand has been told.
    const isOfDump = !problem || operation.wrong?.some((each) => problem.text.includes(each.reason));
    const isUntold = (each: { reason: string }) => isOfDump && !problem?.text.includes(each.reason);
    const parts: (Node | undefined)[] = [html("h2", {}, operation.kind === "func.call" ? `Operation ${workOf(operation)}` : `Operation ${operation.kind}`),
      problem && html("p", { class: "verdict bad" }, html("strong", {}, "Refused: "), problem.text),
      operation.wrong && html("div", {}, ...operation.wrong.filter(isUntold).map((each) => html("p", { class: "verdict bad" },
        html("strong", {}, `Wrong as the dump has it, reading ${program.values[each.value].name}: `), each.reason))),
      movementPanel(operation, program), facts];
    const decisions = this.view.stages[stage].decisions.filter((each) => operation.place !== "" && each.place === operation.place && each.names.join() === operation.names.join());
    if (decisions.length > 0)
      parts.push(html("h4", {}, "Decided"), html("ul", { class: "list" }, ...decisions.slice(0, 10).map((each) => html("li", {}, html("strong", {}, `${each.name}: `), each.reason))));
    this.details.replaceChildren(...parts.filter((part): part is Node => part !== undefined));
  }

  private showIn(stage: number, selection: Selection): void {
    const graph = this.graphs.find((each) => each.stage === stage);
    if (!graph) return;
    graph.panel.reveal(selection);
    this.describe(selection, stage);
  }

  /** What is known of the operation behind a row of the timeline: that of the
   *  stage before it, which has layouts. */
  private showPlace(place: { names: string[]; place: string }, program: ProgramFunction): void {
    for (let stage = this.stage - 1; stage >= 0; --stage) {
      const before = this.view.stages[stage].functions.find((each) => each.name === program.name);
      const same = before?.operations.filter((each) => each.place !== "" && each.place === place.place && !each.isSource);
      if (!before || !same || same.length === 0) continue;
      const operation = same.find((each) => !each.movement) ?? same[0];
      const result = operation.results[0];
      this.details.replaceChildren(html("h2", {}, `Operation ${operation.kind}`), html("p", { class: "quiet" }, placeText(place)),
        ...(result === undefined ? [] : [html("h4", {}, `It makes ${before.values[result].name} of “${this.view.stages[stage].title}”`), tensorPanel(before.types[before.values[result].type])]));
      return;
    }
    this.details.replaceChildren(html("h2", {}, placeText(place)), html("p", { class: "quiet" }, "No stage before this one says more about it."));
  }
}

const view = read<View>("view");
const page = new Page(view);
// For tests that measure.
(window as unknown as { tilewright: Page }).tilewright = page;
