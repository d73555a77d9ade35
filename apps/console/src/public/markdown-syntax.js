import { readAlert } from "./alerts.js";
import { endOfFormula } from "./find-formula.js";
import { isArithmetic } from "./flanking.js";
import { formulaBlocksIn } from "./formula-blocks.js";
import { escaped, htmlTokenizer, readTags } from "./html-syntax.js";
import { spreadPairs } from "./spread-pairs.js";
import { tableTokenizer } from "./table-rows.js";
import { inReadingOrder, withoutDirections } from "./text-order.js";

/** No formula that stands by itself is longer. */
const longestBlock = 4_100;

/** `marked` asks behind each piece of a line where the next formula begins. Where none is near it asks again from there. */
const longestLook = 1_000;

/** Where the last word begins, so that neither an address nor a line break is parted. */
function endOfWords(near) {
  return /^[\s\S]*\s(?=\S)/.exec(near)?.[0].length ?? longestLook;
}

/** The LaTeX of a formula, without the signs around it, which are one `$` or two units. */
function inside(formula) {
  if (formula.startsWith("\\begin{")) return formula;
  const length = /^\$(?!\$)/.test(formula) ? 1 : 2;
  return formula.slice(length, -length).trim();
}

/** Formulas are code, word for word, with a mark by which `dressMarkdown` finds them. */
const inlineFormula = {
  name: "inlineFormula",
  level: "inline",
  start(text) {
    const near = text.slice(0, longestLook);
    for (const { index } of near.matchAll(/\\[([]|\$/g)) if (endOfFormula(text, index) !== undefined) return index;
    return text.length > longestLook ? endOfWords(near) : undefined;
  },
  tokenizer(text, tokens) {
    if (!/^(?:\\[([]|\$)/.test(text)) return undefined;
    // What stands before it decides whether it is one.
    const before = tokens.at(-1)?.raw.slice(-1) ?? "";
    const end = endOfFormula(before + text, before.length);
    if (end === undefined) return undefined;
    const raw = text.slice(0, end - before.length);
    return { type: "inlineFormula", raw, text: inside(raw).replaceAll(/\s*\n\s*/g, " ") };
  },
  renderer: ({ text }) => `<code data-formula>${escaped(text)}</code>`,
};

const formula = {
  name: "formula",
  level: "block",
  start(text) {
    // A paragraph ends there, and this is asked for each.
    const end = /\n[ \t]*\n/.exec(text)?.index;
    return text.slice(0, end).match(/(?<=\n) {0,3}(?:\\\[|\$\$|\\begin\{)/)?.index;
  },
  tokenizer(text) {
    const indent = /^ {0,3}(?=\\\[|\$\$|\\begin\{)/.exec(text)?.[0].length;
    const end = indent === undefined ? undefined : formulaBlocksIn(text.slice(0, longestBlock)).get(indent);
    if (end === undefined) return undefined;
    return { type: "formula", raw: text.slice(0, end), text: inside(text.slice(indent, end).trim()) };
  },
  renderer: ({ text }) => `<pre data-formula><code>${escaped(text)}</code></pre>`,
};

/** What the console's Markdown has besides GitHub's: what the package `markdown` reads, as far as `marked` can do it. */
export const syntax = {
  extensions: [formula, inlineFormula],
  hooks: {
    /** Code has no directions, what stands around it has some. */
    preprocess: inReadingOrder,
    processAllTokens(tokens) {
      spreadPairs(tokens, false);
      return tokens;
    },
  },
  walkTokens(token) {
    if (token.type === "code" || token.type === "codespan" || token.type === "formula")
      token.text = withoutDirections(token.text);
    readAlert(token);
    readTags(token);
  },
  tokenizer: {
    ...htmlTokenizer,
    ...tableTokenizer,
    /** Signs between two digits are no marks: `2*3*4` is arithmetic. */
    emStrong(text, _masked, before) {
      const signs = /^\*+(?=\d)/.exec(text)?.[0] ?? "*";
      const isSign = isArithmetic(before + text, before.length) || (/^\*+\d/.test(text) && /\d/.test(before));
      return isSign ? { type: "text", raw: signs, text: signs } : false;
    },
    /** A single tilde is a word. */
    del: (text) => (/^~(?!~)/.test(text) ? { type: "text", raw: "~", text: "~" } : false),
  },
  renderer: {
    /** Pictures from elsewhere are not fetched. */
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || href)}</a>`,
  },
};

/** Besides: what an answer that still grows has. */
export const growing = {
  hooks: {
    processAllTokens(tokens) {
      spreadPairs(tokens, true);
      return tokens;
    },
  },
};
