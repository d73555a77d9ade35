import { problemText } from "./untrusted.ts";

/** The deepest chain of causes that is read. */
const mostCauses = 5;
/** What the SDK and `fetch` put around every failure, and says nothing about this one. */
const wrapping = /^(?:version negotiation probe failed|fetch failed)(?:: |$)/i;

/** Why a connection failed, in one line for an operator: each thing once, and what only wraps another left out. */
export function problemOf(error: unknown): string {
  const said: string[] = [];
  let all = "";
  let current: unknown = error;
  for (let depth = 0; depth < mostCauses && current !== undefined && current !== null; depth += 1) {
    const text = textOf(current);
    all = all === "" ? text : all;
    const own = unwrapped(text);
    if (own !== "" && !said.some((before) => before.includes(own))) said.push(own);
    current = (current as { readonly cause?: unknown }).cause;
  }
  return problemText(said.length === 0 ? all || String(error) : said.join(": "));
}

/** Several addresses of one name fail together, without a text. */
function textOf(error: unknown): string {
  const { message, code } = error as { readonly message?: unknown; readonly code?: unknown };
  if (typeof message === "string" && message !== "") return message;
  return typeof code === "string" ? code : "";
}

function unwrapped(text: string): string {
  let rest = text;
  while (wrapping.test(rest)) rest = rest.replace(wrapping, "");
  return rest;
}
