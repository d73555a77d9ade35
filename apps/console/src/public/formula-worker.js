/* global temml */
importScripts("vendor/temml.js");

const options = {
  throwOnError: true,
  trust: false,
  wrap: "tex",
  /** In em. A formula stays where it stands. */
  maxSize: [20, 20],
};

/** Answers `{ latex, isBlock }` with MathML; `null`: that is no formula. What styles its parts is in `data-look`. */
addEventListener("message", ({ data: { latex, isBlock } }) => {
  try {
    const mathml = temml.renderToString(withoutNumbers(latex), { ...options, displayMode: isBlock });
    // Quotes in words are escaped: this is the attribute only.
    postMessage(mathml.replaceAll(' style="', ' data-look="'));
  } catch {
    postMessage(null);
  }
});

/** A conversation does not count its formulas. */
function withoutNumbers(latex) {
  return latex.replaceAll(/\\(begin|end)\{(equation|align|alignat|gather|multline)\}/g, "\\$1{$2*}");
}
