import type { Blockquote, RootContent } from "mdast";
import { alertMarkOf } from "./alert-mark.ts";

/** The blocks of a quote, with GitHub's `[!NOTE]` at its beginning as a bold title. */
export function withAlertTitle({ children }: Blockquote): readonly RootContent[] {
  const [first, ...others] = children;
  const text = first?.type === "paragraph" ? first.children[0] : undefined;
  const alert = text?.type === "text" ? alertMarkOf(text.value) : undefined;
  if (first?.type !== "paragraph" || text?.type !== "text" || alert === undefined) return children;
  const { mark, title } = alert;
  const rest = text.value.slice(mark.length);
  const words = [...(rest === "" ? [] : [{ ...text, value: rest }]), ...first.children.slice(1)];
  const gap = words.length === 0 || words[0]?.type === "break" ? [] : [{ type: "break" as const }];
  const strong = { type: "strong" as const, children: [{ type: "text" as const, value: title }] };
  return [{ ...first, children: [strong, ...gap, ...words] }, ...others];
}
