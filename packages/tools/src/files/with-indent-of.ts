/** The new lines with the indentation that the file has where the model wrote another one. */
export function withIndentOf(
  coming: readonly string[],
  written: readonly string[],
  there: readonly string[],
): readonly string[] {
  const first = written.findIndex((line) => line.trim() !== "");
  const [from, to] = [indentOf(written[first] ?? ""), indentOf(there[first] ?? "")];
  return coming.map((line) => (line.trim() === "" ? line : moved(line, from, to)));
}

function moved(line: string, from: string, to: string): string {
  if (line.startsWith(from)) return to + line.slice(from.length);
  const indent = indentOf(line);
  return to.slice(0, Math.max(0, to.length - (from.length - indent.length))) + line.slice(indent.length);
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
