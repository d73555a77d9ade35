const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `since 17:15 UTC` instead of `since 2026-11-26T17:15:09Z`, and so behind `until`; with the day, and the year, where it is another than that of `now`. */
export function clockTimes(line: string, now: number): string {
  return line.replaceAll(/(?<=\b(?:since|until) )[\d-]{10}T[\d:.]{8,}Z/g, (instant) => clockTime(instant, now));
}

/** Of every instant, in any language. */
export function allClockTimes(line: string, now: number): string {
  return line.replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]{8,}Z/g, (instant) => clockTime(instant, now));
}

function clockTime(instant: string, now: number): string {
  const today = new Date(now).toISOString();
  const time = `${instant.slice(11, 16)} UTC`;
  if (instant.slice(0, 10) === today.slice(0, 10)) return time;
  const [year, month, day] = instant.slice(0, 10).split("-");
  const date = `${Number(day)} ${months[Number(month) - 1]}`;
  return year === today.slice(0, 4) ? `${date} ${time}` : `${date} ${year} ${time}`;
}
