const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `since 17:15 UTC` instead of `since 2026-11-26T17:15:09Z`, and so behind `until`; with the day, and the year, where it is another than that of `now`. */
export function clockTimes(line: string, now: number): string {
  const today = new Date(now).toISOString();
  return line.replaceAll(
    /(?<=\b(?:since|until) )(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z/g,
    (instant: string, year: string, month: string, day: string, time: string) => {
      if (instant.slice(0, 10) === today.slice(0, 10)) return `${time} UTC`;
      const date = `${Number(day)} ${months[Number(month) - 1]}`;
      return year === today.slice(0, 4) ? `${date} ${time} UTC` : `${date} ${year} ${time} UTC`;
    },
  );
}
