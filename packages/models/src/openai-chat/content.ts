interface Part {
  readonly text?: unknown;
  readonly thinking?: unknown;
}

/** Content is a text, or with some servers a list of parts: texts, and with Mistral thoughts that are lists of texts. */
export function contentOf(content: unknown): { readonly text: string; readonly thought: string } {
  if (typeof content === "string") return { text: content, thought: "" };
  const parts = listOf(content);
  return {
    text: parts.map(({ text }) => textOf(text)).join(""),
    thought: parts
      .map(
        ({ thinking }) =>
          textOf(thinking) +
          listOf(thinking)
            .map(({ text }) => textOf(text))
            .join(""),
      )
      .join(""),
  };
}

function listOf(value: unknown): readonly Part[] {
  return Array.isArray(value) ? value.filter((part) => part !== null && typeof part === "object") : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
