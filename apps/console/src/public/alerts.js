import { alertMarkOf } from "./alert-mark.js";

/** Called for each token of a text: gives a quote that begins with the mark of an alert a title in its place. */
export function readAlert(token) {
  const [first] = token.type === "blockquote" ? token.tokens : [];
  if (first?.type !== "paragraph") return;
  const end = first.tokens.findIndex(({ type }) => type !== "text");
  const words = end === -1 ? first.tokens : first.tokens.slice(0, end);
  const text = words.map(({ raw }) => raw).join("");
  const alert = alertMarkOf(text);
  if (alert === undefined) return;
  const others = first.tokens.slice(words.length);
  const rest = text.slice(alert.mark.length);
  const title = { type: "text", raw: alert.title, text: alert.title };
  const isAlone = rest === "" && (others.length === 0 || others[0].type === "br");
  first.tokens = [
    { type: "strong", raw: alert.mark, text: alert.title, tokens: [title] },
    ...(isAlone ? [] : [{ type: "br", raw: "\n" }]),
    ...(rest === "" ? [] : [{ type: "text", raw: rest, text: rest }]),
    ...others,
  ];
}
