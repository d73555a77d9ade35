import { endOfFormula, isProse } from "./find-formula.ts";

/** What has grown longer than this without an end is shown as it stands. */
const longest = { inLine: 200, onItsOwn: 1_000, betweenDollars: 60 };

/**
 * Where the formula begins that a growing text has not finished, undefined if there is none. It would be shown as words
 * first and as a formula later. Reads the last paragraph, or the end of it; the text must not end in a fence.
 */
export function startOfOpenFormula(text: string): number | undefined {
  const from = Math.max(0, text.length - 2 * longest.onItsOwn);
  const gap = text.slice(from).search(/\n[ \t>]*\n(?![\s\S]*\n[ \t>]*\n)/);
  for (let at = gap === -1 ? from : from + gap + 1; at < text.length; ) {
    const sign = signAt(text, at);
    if (sign === undefined || sign === "") at += 1;
    else if (sign.startsWith("`")) {
      const end = text.indexOf(sign, at + sign.length);
      if (end === -1) return undefined;
      at = end + sign.length;
    } else {
      const end = endOfFormula(text, at);
      if (end === undefined && isOpen(text, at, sign)) return at;
      at = end ?? at + sign.length;
    }
  }
  return undefined;
}

/** A run of backticks or dollars, or an escape. */
function signAt(text: string, at: number): string | undefined {
  const signs = /`+|\\[\s\S]?|\$+/y;
  signs.lastIndex = at;
  return signs.exec(text)?.[0];
}

function isOpen(text: string, at: number, sign: string): boolean {
  const inner = text.slice(at + sign.length);
  // A sign that has half arrived.
  if (inner === "" && ["\\", "$", "$$"].includes(sign)) return true;
  const isClosed = (closing: string) => inner.includes(closing);
  switch (sign) {
    case "\\(":
      return inner.length <= longest.inLine && !isClosed("\\)") && !isProse(inner) && !/\w/.test(text.charAt(at - 1));
    case "\\[":
      return inner.length <= longest.onItsOwn && !isClosed("\\]") && !isProse(inner);
    case "\\b":
      return isOpenEnvironment(inner);
    case "$$":
      return inner.length <= longest.onItsOwn && !isClosed("$$") && !isProse(inner) && !/^[)$]/.test(inner);
    case "$":
      return (
        inner.length <= longest.betweenDollars &&
        /^(?:[A-Za-z](?![A-Za-z])|\\[A-Za-z])[^\n$]*$/.test(inner) &&
        !isProse(inner)
      );
    default:
      return false;
  }
}

/** Behind `\\b`. */
function isOpenEnvironment(inner: string): boolean {
  if ("egin{".startsWith(inner)) return true;
  const [, name] = /^egin\{([A-Za-z]{0,12}\*?)/.exec(inner) ?? [];
  return name !== undefined && inner.length <= longest.onItsOwn && !inner.includes(`\\end{${name}}`);
}
