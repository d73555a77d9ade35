/** Shows a name as it is, whatever markup it contains. */
export function inlineCode(name: string): string {
  return `\`${name.replaceAll("`", "'").replace(/\s+/g, " ")}\``;
}

/** The same for words that are read as text. */
export function escaped(label: string): string {
  return label.replace(/[\\`*_{}[\]<>#|~]/g, "\\$&");
}
