import type { CalendarLine } from "./calendar-lines.ts";

interface Moment {
  /** `Mon 2026-11-02`. */
  readonly day: string;
  /** `10:00`; undefined where the whole day is meant. */
  readonly time: string | undefined;
  readonly zone: string | undefined;
  readonly dayMs: number;
}

const dayMs = 86_400_000;
const form = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z)?)?$/;
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/**
 * When something is, in words: `Mon 2026-11-02 10:00 to 11:00, Europe/Berlin`. The end of whole days is the day behind them
 * (RFC 5545 section 3.6.1). Undefined where the beginning can't be read.
 */
export function spanOf(
  start: CalendarLine | undefined,
  end: CalendarLine | undefined,
  duration: CalendarLine | undefined,
): string | undefined {
  const from = momentOf(start);
  if (from === undefined) return undefined;
  const to = momentOf(end);
  if (from.time === undefined) {
    const last = to === undefined || to.dayMs <= from.dayMs ? from.dayMs : to.dayMs - dayMs;
    return last === from.dayMs ? `${from.day}, all day` : `${from.day} to ${dayOf(last)}, all day`;
  }
  const zone = from.zone === undefined ? "" : `, ${from.zone}`;
  const length = /^P[0-9A-Z]{1,30}$/.test(duration?.value ?? "") ? ` for ${duration?.value}` : "";
  if (to?.time === undefined) return `${from.day} ${from.time}${length}${zone}`;
  const until = to.day === from.day ? to.time : `${to.day} ${to.time}`;
  const endZone = to.zone === from.zone || to.zone === undefined ? "" : ` ${to.zone}`;
  return `${from.day} ${from.time}${endZone === "" ? "" : ` ${from.zone ?? ""}`} to ${until}${endZone || zone}`;
}

function momentOf(line: CalendarLine | undefined): Moment | undefined {
  const [, year, month, day, hour, minute, utc] = form.exec(line?.value.trim() ?? "") ?? [];
  if (line === undefined || year === undefined) return undefined;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
  if (new Date(ms).getUTCDate() !== Number(day) || Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59) return undefined;
  const zone = line.parameters.get("TZID")?.replace(/\s+/g, " ").slice(0, 60);
  return {
    day: dayOf(ms),
    time: hour === undefined ? undefined : `${hour}:${minute}`,
    zone: utc === undefined ? zone : "UTC",
    dayMs: ms,
  };
}

function dayOf(ms: number): string {
  const date = new Date(ms);
  return `${weekdays[date.getUTCDay()]} ${date.toISOString().slice(0, 10)}`;
}
