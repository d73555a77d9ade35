import type { MessageCapabilities } from "@talaria/protocol";

/** A platform that takes longer messages than this needs no remark about length. */
const shortMessage = 10_000;

const forms = [
  ["headings", "headings"],
  ["tables", "tables"],
  ["codeBlocks", "code blocks"],
  ["links", "links with a text of their own"],
] as const;

/**
 * Returns what the system prompt says about writing on a platform. `about` comes from the platform's module. The text
 * is part of the frozen prompt: the same capabilities give the same bytes.
 */
export function writingHint({ formatting, maxTextLength }: MessageCapabilities, about = ""): string {
  const missing = forms.filter(([form]) => !formatting[form]).map(([, words]) => words);
  const lines = [
    about,
    markdownHint(missing),
    maxTextLength < shortMessage
      ? `Keep answers short: a message holds about ${maxTextLength} characters, and a longer answer becomes several.`
      : "",
  ];
  return `# Where you write\n\n${lines.filter((line) => line !== "").join(" ")}`;
}

function markdownHint(missing: readonly string[]): string {
  if (missing.length === 0) return "Write Markdown: it is shown formatted.";
  if (missing.length === forms.length)
    return "Your answer is shown as plain text: write short paragraphs and plain lists.";
  return `Write Markdown: it is converted. This place shows no ${orList(missing)}: do without them.`;
}

function orList(words: readonly string[]): string {
  return words.length === 1 ? `${words[0]}` : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
