/** As code in Markdown, at most `most` characters of it: no markup and no controls of a terminal. Undefined: nothing of it can be seen. */
export function codeOf(text: string, most: number): string | undefined {
  const plain = text.replace(/[\p{C}`\s]+/gu, " ").trim();
  return plain === "" ? undefined : `\`${[...plain].slice(0, most).join("")}\``;
}
