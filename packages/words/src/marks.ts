import type { PairingRow } from "@talaria/store";

const shownChars = 200;

/** As it is, whatever somebody calls themselves. */
export function codeOf(text: string): string {
  return `\`${text.replace(/[`\s]+/g, " ").trim()}\``;
}

export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= shownChars ? line : `${line.slice(0, shownChars - 1)}…`;
}

export function listed(names: readonly string[]): string {
  return names.map(codeOf).join(", ");
}

/** Items of a list, apart where one has several paragraphs. */
export function inLines(items: readonly string[]): string {
  return items.join(items.some((item) => item.includes("\n")) ? "\n\n" : "\n");
}

/** What buttons and commands call somebody by: the beginning of the id. */
export function numberOf({ id }: Pick<PairingRow, "id">): string {
  return id.slice(0, 8);
}
