/** One word for a shell, whatever it holds. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same, as people would type it: without quotes where it needs none. */
export function plainWord(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : quote(text);
}
