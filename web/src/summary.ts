// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer that the page begins with: why it failed, or what the program is.

import { html } from "./elements";
import { bothSides } from "./movement";
import type { Movement, Operation, Problem, ProgramFunction, Stage, View } from "./view";
import { bytes, count, layoutText, placeText, shortKind, time, verdictOfOperation } from "./words";

export interface Failure { program: ProgramFunction; number: number; problem?: Problem }

/** Operations whose sides differ where they may not, and all other errors. */
export function failuresOf(stage: Stage): { failures: Failure[]; others: Problem[] } {
  const failures: Failure[] = [];
  const errors = stage.problems.filter((problem) => problem.severity === "error");
  const told = new Set<Problem>();
  for (const program of stage.functions)
    program.operations.forEach((operation, number) => {
      // What only the explanation of a dump knows to be wrong has no two sides.
      if (!operation.movement || operation.movement.moves || verdictOfOperation(operation, program)?.tone !== "bad") return;
      const problem = errors.find((each) => each.place === operation.place && each.names.join() === operation.names.join());
      if (problem) told.add(problem);
      failures.push({ program, number, problem });
    });
  // A difference in names is a failure where the rules of the stage say so.
  const real = failures.filter((failure) => failure.problem);
  return { failures: real.length > 0 ? real : errors.length > told.size ? [] : failures, others: errors.filter((problem) => !told.has(problem)) };
}

/** "PermuteCast", as the field's compiler spells it. */
const fieldName = (operation: Operation): string =>
  shortKind(operation.kind).split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join("");

function why(failure: Failure): string {
  const movement = failure.program.operations[failure.number].movement!;
  const have = failure.program.types[movement.have], want = failure.program.types[movement.want];
  switch (movement.relation) {
  case "label":
    return `Every tile already holds exactly what is declared: the same boxes, so 0 bytes differ. ` +
      (have.mode !== want.mode
        ? `But one side calls this ${have.mode} and the other ${want.mode}, and the compiler compares the names.`
        : "But the two sides spell it differently, and the compiler compares the spelling.");
  case "narrow":
    return "Every tile already holds what is declared, and more: nothing has to move. But the two sides are not spelled alike, and the compiler compares the spelling.";
  case "same":
    return "Both sides agree.";
  case "moves":
    return `Tiles do not hold what is declared: ${movement.received ? bytes(movement.received[0]) : "data"} would have to move, and a cast moves nothing.`;
  }
}

/** What the stage after a failure did about it. */
function repairOf(view: View, stage: number, failure: Failure): HTMLElement | undefined {
  const after = view.stages[stage + 1];
  if (!after) return undefined;
  const operation = failure.program.operations[failure.number];
  const decision = after.decisions.find((each) => each.place === operation.place && each.names.join() === operation.names.join() && each.name !== "left-alone");
  if (!decision) return undefined;
  const more = movedBy(after) - movedBy(view.stages[stage]);
  // Without a second name after it, the cast itself declares what tiles hold.
  const same = after.functions.flatMap((program) => program.operations.filter((each) => each.place === operation.place && each.names.join() === operation.names.join())
    .map((each) => ({ each, types: program.types })));
  const cast = same.find(({ each }) => each.kind === operation.kind && each.movement?.relation === "same");
  const isRenamed = same.some(({ each }) => each.movement?.renames);
  return html("p", { class: "repair" }, html("strong", {}, "Repair: "),
    isRenamed ? "give the tensor its other name after the cast. "
      : cast && failure.program.operations[failure.number].movement?.relation !== "moves"
        ? `let the cast declare ${layoutText(cast.types[cast.each.movement!.want])}, which is what tiles hold, and let its readers take that. `
        : `${decision.reason}. `,
    more < 0 ? `${bytes(-more)} less move than before.` : `${bytes(more)} more move than before.`);
}

/** What all operations of a stage move. */
function movedBy(stage: Stage): number {
  let moved = 0;
  for (const program of stage.functions)
    for (const { movement } of program.operations)
      if (movement?.moves) moved += (movement.received?.[0] ?? 0) + (movement.ddrBytes ?? 0);
  return moved;
}

export function summary(view: View, stageNumber: number, show: (failure: Failure) => void): HTMLElement {
  const stage = view.stages[stageNumber];
  const { failures, others } = failuresOf(stage);
  if (failures.length > 0 && failures[0].problem) {
    const [failure] = failures, operation = failure.program.operations[failure.number];
    const movement = operation.movement!;
    return html("section", { class: "answer failed", "aria-label": "Why it failed" },
      html("h2", {}, html("span", { class: "sign", "aria-hidden": "true" }, "✕"), `Why ${fieldName(operation)} ${operation.names[0] ?? ""} failed`),
      html("p", { class: "lead" }, why(failure)),
      answerPicture(movement, failure.program),
      html("p", { class: "quiet" }, "The tensor lies on the tiles of the device, which have the numbers 0, 1 and so on; d0, d1 and so on are its dimensions."),
      repairOf(view, stageNumber, failure),
      html("p", { class: "quiet" }, `${placeText(operation)}. `,
        failures.length + others.length > 1 ? `${count(failures.length + others.length - 1)} more operations fail. ` : "",
        html("button", { type: "button", class: "link", click: () => show(failure) }, "Show it in the graph")));
  }
  if (others.length > 0)
    return html("section", { class: "answer failed", "aria-label": "What is wrong" },
      html("h2", {}, html("span", { class: "sign", "aria-hidden": "true" }, "✕"), others.length === 1 ? "This is refused" : `${count(others.length)} places are refused`),
      ...others.slice(0, 3).map((problem) => html("div", {}, html("p", { class: "lead" }, problem.text),
        html("p", { class: "quiet" }, `${placeText(problem)}. `, showButton(stage, problem, show)),
        ...problem.notes.slice(0, 3).map((note) => html("p", { class: "note" }, note)))),
      others.length > 3 && html("p", { class: "quiet" }, `${count(others.length - 3)} more are below.`));
  return html("section", { class: "answer", "aria-label": "What this is" }, html("h2", {}, stage.title), html("p", { class: "lead" }, whatItIs(stage)));
}

/** Leads to the operation of a problem, where there is one. */
function showButton(stage: Stage, problem: Problem, show: (failure: Failure) => void): HTMLElement | undefined {
  for (const program of stage.functions) {
    const number = program.operations.findIndex((each) => each.place !== "" && each.place === problem.place && each.names.join() === problem.names.join());
    if (number >= 0)
      return html("button", { type: "button", class: "link", click: () => show({ program, number, problem }) }, "Show it in the graph");
  }
  return undefined;
}

/** Both sides, and the figures that matter beside them. */
function answerPicture(movement: Movement, program: ProgramFunction): HTMLElement {
  const picture = bothSides(movement, program.types);
  const figure = (value: string, text: string) => html("div", { class: "figure" }, html("strong", {}, value), html("span", { class: "quiet" }, text));
  if (movement.received)
    picture.append(html("div", { class: "told" },
      figure(bytes(movement.received[0]), movement.received[0] === 0 ? "differ between the two sides" : "would have to move"),
      figure(bytes(movement.bytesThroughDdr), "would move through DDR and back")));
  return picture;
}

function whatItIs(stage: Stage): string {
  let operations = 0, moves = 0;
  for (const program of stage.functions) {
    operations += program.operations.length + (program.operationsLeftOut ?? 0);
    moves += program.operations.filter(({ movement }) => movement?.moves).length;
  }
  const run = stage.functions.find((program) => program.run)?.run;
  const parts = [`${count(operations)} operations${stage.functions.length > 1 ? ` in ${stage.functions.length} functions` : ""}`];
  if (moves > 0) parts.push(`${count(moves)} of them move ${bytes(movedBy(stage))}`);
  if (run) parts.push(`${time(run.seconds)} in all, modelled on ${run.target}`);
  return `${stage.explanation[0]?.toUpperCase() ?? ""}${stage.explanation.slice(1)}. ${parts.join("; ")}.`;
}

