// Written by scripts/generate-console-markdown.ts.
/** Each formula is bounded, and so is what an opening sign without an end costs. A tab makes offsets uncertain. */
const patterns = [
  { pattern: /(?<!\w)\\\(((?:[^\\\t]|\\[^)\t]){1,1000})\\\)/y, isFormula: (inner) => !isProse(inner) },
  { pattern: /\\\[((?:[^\\\t]|\\[^\]\t]){1,1000})\\\]/y, isFormula: hasSigns },
  {
    pattern: /(?<!\$)\$\$(?!\$)((?:[^\\$\t]|\\[^\t]){1,1000})\$\$(?!\$)/y,
    isFormula: (inner) => hasSigns(inner) || isTerm(inner),
  },
  {
    pattern: /(?<![\w$])\$(?![\s$])((?:[^\\$\n\t`]|\\[^\n\t]){1,200})(?<!\s)\$(?![\w$])/y,
    isFormula: (inner) => command.test(inner) || script.test(inner) || isTerm(inner) || isPower(inner),
  },
];

/** Where the formula ends that begins here, in a line of words: `\(…\)`, `\[…\]`, `$$…$$`, or `$…$` that is no price. */
export function endOfFormula(markdown, start) {
  for (const { pattern, isFormula } of patterns) {
    pattern.lastIndex = start;
    const [whole, inner = ""] = pattern.exec(markdown) ?? [];
    if (whole !== undefined && inner.trim() !== "" && isFormula(inner)) return start + whole.length;
  }
  return undefined;
}

const command = /\\[A-Za-z{},;!|\\]/;
/** `a_1`, `(a)^2`, `{…}_{…}`; not `user_name`. */
const script = /(?:(?<![A-Za-z])[A-Za-z\d]|[)}\]|])[_^]|[_^]\{/;

/** Whether it can only be a formula: escaped brackets around a number or a name are brackets. */
export function hasSigns(inner) {
  return command.test(inner) || script.test(inner) || (isTerm(inner) && /[=<>+]/.test(inner));
}

/** Single letters and numbers with what stands between them: `x`, `f(x) = 2x + 1`. */
function isTerm(inner) {
  return /^(?:[A-Za-z](?![A-Za-z])|[^A-Za-z\\{}"$&#@;:?])+$/.test(inner) && /[A-Za-z]/.test(inner);
}

/** A power of letters that are multiplied, as in `E = mc^2`. Words beside it are those between two prices: `5 for mc^2 and US`. */
function isPower(inner) {
  return /[A-Za-z]\^(?:[A-Za-z\d({]|[+-]\d)/.test(inner) && !/[A-Za-z]{4}|[A-Za-z]{2}[\s,.]+[A-Za-z]{2}/.test(inner);
}

/** Words in escaped brackets, as in `\(see below\)`. */
export function isProse(inner) {
  return !command.test(inner) && !script.test(inner) && /[A-Za-z]{2}[\s,.]+[A-Za-z]{2}/.test(inner);
}
