import DOMPurify from "dompurify";
import { createAskedThread } from "./asked-thread.js";

/** Formulas that are kept as they are shown: a growing answer is drawn again with every word. */
const mostKept = 200;

const allowed = {
  USE_PROFILES: { mathMl: true },
  ADD_ATTR: ["class", "data-look"],
  ADD_URI_SAFE_ATTR: ["data-look"],
  FORBID_ATTR: ["style", "id", "href", "xlink:href"],
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};
/** What may be said of how a part looks: nothing that moves it away from its formula. */
const looks =
  /^(?:padding-(?:left|right)|border(?:-(?:top|right|bottom|left))?|color|background-color|math-style|width)$/;

const ask = createAskedThread(import.meta.resolve("./formula-worker.js"));
/** Nodes of MathML by the formula that they show; undefined for what is none. */
const kept = new Map();

/**
 * Puts a formula in the place of its code: at once if it is known, else as soon as it is read. Code that is no formula stays, and `isNone()`
 * is called.
 */
export function showFormula(code, { latex, isBlock, isNone }) {
  const name = `${isBlock} ${latex}`;
  if (kept.has(name)) return show(code, kept.get(name), isNone);
  void ask({ latex, isBlock }, () => code.isConnected && !kept.has(name)).then((mathml) => {
    if (mathml !== undefined) keep(name, mathml === null ? undefined : DOMPurify.sanitize(mathml, allowed));
    if (kept.has(name) && code.isConnected) show(code, kept.get(name), isNone);
  });
}

function show(code, formula, isNone) {
  if (formula === undefined) return isNone();
  const nodes = formula.cloneNode(true);
  for (const part of nodes.querySelectorAll("[data-look]")) dress(part);
  code.replaceWith(nodes);
}

/** A policy that refuses styles in markup takes them from scripts. */
function dress(part) {
  for (const look of part.dataset.look.split(";")) {
    const [name, value = ""] = look.split(":");
    if (looks.test(name)) part.style.setProperty(name, value);
  }
  delete part.dataset.look;
}

function keep(name, formula) {
  kept.set(name, formula);
  if (kept.size > mostKept) kept.delete(kept.keys().next().value);
}
