import type { Blockquote, RootContent } from "mdast";

const alert = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|$)/;

/** The blocks of a quote, with GitHub's `[!NOTE]` at its beginning as a bold title. */
export function withAlertTitle({ children }: Blockquote): readonly RootContent[] {
  const [first, ...others] = children;
  const text = first?.type === "paragraph" ? first.children[0] : undefined;
  const [mark, kind] = text?.type === "text" ? (alert.exec(text.value) ?? []) : [];
  if (first?.type !== "paragraph" || text?.type !== "text" || mark === undefined || kind === undefined) return children;
  const title = `${kind.charAt(0)}${kind.slice(1).toLowerCase()}`;
  const rest = text.value.slice(mark.length);
  const words = [...(rest === "" ? [] : [{ ...text, value: rest }]), ...first.children.slice(1)];
  const gap = words.length === 0 || words[0]?.type === "break" ? [] : [{ type: "break" as const }];
  const strong = { type: "strong" as const, children: [{ type: "text" as const, value: title }] };
  return [{ ...first, children: [strong, ...gap, ...words] }, ...others];
}
