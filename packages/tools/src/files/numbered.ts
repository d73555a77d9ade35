const longestLine = 2_000;

/** Lines as the model reads them, with their numbers from `first` on. What is behind 2,000 characters of a line is left out. */
export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${shortened(line)}`).join("\n");
}

function shortened(line: string): string {
  return line.length <= longestLine ? line : `${line.slice(0, longestLine).toWellFormed()} [rest of the line left out]`;
}
