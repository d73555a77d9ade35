const units = [
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
  { name: "s", ms: 1_000 },
] as const;

/** The two largest units: `3 d 4 h`, `12 min 5 s`, `0 s`. */
export function durationText(ms: number): string {
  const first = units.findIndex((unit) => ms >= unit.ms);
  if (first === -1) return "0 s";
  const parts = units.slice(first, first + 2).map(({ name, ms: length }, n) => {
    const rest = n === 0 ? ms : ms % (units[first]?.ms ?? 1);
    return { name, count: Math.floor(rest / length) };
  });
  return parts
    .filter(({ count }, n) => n === 0 || count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(" ");
}
