import type { Paragraph, Root } from "mdast";

/** The text as paragraphs without any markup; a blank line ends a paragraph. */
export function plainParagraphs(text: string): Root {
  const children: Paragraph[] = [];
  for (const part of text.split(/\n[^\S\n]*\n/)) {
    const value = part.replace(/^\n+|\n+$/g, "");
    if (value.trim() !== "") children.push({ type: "paragraph", children: [{ type: "text", value }] });
  }
  return { type: "root", children };
}
