/** An instant without its milliseconds, as ISO 8601. */
export function toSecond(instant: string): string {
  return `${instant.slice(0, "2026-11-26T14:38:00".length)}Z`;
}
