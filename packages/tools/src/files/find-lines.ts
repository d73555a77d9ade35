/**
 * Every place where `wanted` stands in `lines`, in time proportional to both (Knuth, Morris, Pratt); places may overlap.
 * At most `limit` of them.
 */
export function findLines(lines: readonly string[], wanted: readonly string[], limit: number): readonly number[] {
  if (wanted.length === 0) return [];
  const borders = bordersOf(wanted);
  const found: number[] = [];
  let matched = 0;
  for (const [index, line] of lines.entries()) {
    while (matched > 0 && line !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (line === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    found.push(index - matched + 1);
    if (found.length === limit) break;
    matched = borders[matched - 1] ?? 0;
  }
  return found;
}

/** For each length of a beginning of `wanted` how much of it its own end repeats. */
function bordersOf(wanted: readonly string[]): readonly number[] {
  const borders = [0];
  let length = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    while (length > 0 && wanted[index] !== wanted[length]) length = borders[length - 1] ?? 0;
    if (wanted[index] === wanted[length]) length += 1;
    borders.push(length);
  }
  return borders;
}
