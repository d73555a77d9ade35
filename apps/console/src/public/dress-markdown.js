import { render } from "preact";
import { showFormula } from "./formula.js";
import { highlight } from "./highlight.js";
import { html } from "./html.js";
import { CopyButton } from "./parts/copy-button.js";

/** A cell with more characters gets room for several words a line. */
const longCellChars = 40;

/**
 * Puts what an answer's code, tables and formulas need around them: a part that scrolls by itself and is reached by the keyboard, and with code
 * its language and, once it is whole, a button that copies it.
 */
export function dressMarkdown(nodes, isWhole) {
  for (const block of nodes.querySelectorAll("pre"))
    if (block.dataset.formula === undefined) dressCode(block, isWhole);
    else dressFormula(block, isWhole);
  for (const code of nodes.querySelectorAll("code[data-formula]"))
    showFormula(code, { latex: code.textContent, isBlock: false, isNone() {} });
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
  if (language !== undefined) void highlight(block.firstElementChild ?? block, language);
  const read = () => block.textContent.replace(/\n$/, "");
  render(html`<${CopyButton} label="Copy code" read=${read} />`, bar.appendChild(document.createElement("span")));
}

function dressFormula(block, isWhole) {
  const frame = around(block, "formula");
  makeRegion(frame, "Formula");
  const isNone = () => {
    frame.replaceWith(block);
    dressCode(block, isWhole);
  };
  showFormula(block, { latex: block.textContent, isBlock: true, isNone });
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
