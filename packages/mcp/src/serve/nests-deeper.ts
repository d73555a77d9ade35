/** Whether objects and lists lie in each other on more than `most` levels. Takes no stack, however deep they are. */
export function nestsDeeper(value: unknown, most: number): boolean {
  let level = [value].filter(isHolder);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((holder) => Object.values(holder).filter(isHolder));
  }
  return false;
}

function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
