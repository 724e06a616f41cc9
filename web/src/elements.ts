// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making elements. Text is only ever set as text, so that whatever a file holds
// is shown and never run.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children)
    if (child) element.append(child);
}

/** An element of HTML. Attributes that are functions are listeners. */
export function html<Name extends keyof HTMLElementTagNameMap>(
    name: Name, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  fill(element, attributes, children);
  return element;
}

/** An element of SVG. */
export function svg<Name extends keyof SVGElementTagNameMap>(
    name: Name, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[Name] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(element, attributes, children);
  return element;
}

/** Places an element; the page's policy allows no style in attributes. */
export function place(element: HTMLElement, at: Partial<Record<"left" | "top" | "width" | "height", number>>): void {
  for (const [name, value] of Object.entries(at)) element.style.setProperty(name, `${value}px`);
}

/** A table in a box of its own that scrolls, so that the page does not. */
export function table(label: string, head: string[], rows: Child[][], numeric: number[] = []): HTMLElement {
  const kind = (column: number) => (numeric.includes(column) ? "number" : undefined);
  return html("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": label },
    html("table", {},
      html("thead", {}, html("tr", {}, ...head.map((text, column) =>
        html("th", { scope: "col", class: kind(column) }, text)))),
      html("tbody", {}, ...rows.map((row) =>
        html("tr", {}, ...row.map((cell, column) => html("td", { class: kind(column) }, cell)))))));
}
