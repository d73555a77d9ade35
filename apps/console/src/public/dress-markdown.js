import { render } from "preact";
import { highlight } from "./highlight.js";
import { html } from "./html.js";
import { CopyButton } from "./parts/copy-button.js";

/** A cell with more characters gets room for several words a line. */
const longCellChars = 40;

/**
 * Puts what an answer's code and tables need around them: a part that scrolls by itself and is reached by the keyboard, and with code its
 * language and, once it is whole, a button that copies it.
 */
export function dressMarkdown(nodes, isWhole) {
  for (const block of nodes.querySelectorAll("pre")) dressCode(block, isWhole);
  for (const table of nodes.querySelectorAll("table")) dressTable(table);
  return nodes;
}

function dressCode(block, isWhole) {
  const { language } = block.dataset;
  const frame = around(block, "code");
  makeRegion(block, language === undefined ? "Code" : `Code in ${language}`);
  const bar = document.createElement("div");
  bar.className = "bar";
  frame.prepend(bar);
  bar.append(language ?? "");
  if (!isWhole) return;
  if (language !== undefined) highlight(block.firstElementChild ?? block, language);
  const read = () => block.textContent.replace(/\n$/, "");
  render(html`<${CopyButton} label="Copy code" read=${read} />`, bar.appendChild(document.createElement("span")));
}

function dressTable(table) {
  for (const cell of table.querySelectorAll("td, th"))
    if (cell.textContent.length > longCellChars) cell.classList.add("long");
  makeRegion(around(table, "table"), "Table");
}

function around(node, className) {
  const frame = document.createElement("div");
  frame.className = className;
  node.replaceWith(frame);
  frame.append(node);
  return frame;
}

function makeRegion(node, label) {
  node.tabIndex = 0;
  node.setAttribute("role", "region");
  node.setAttribute("aria-label", label);
}
