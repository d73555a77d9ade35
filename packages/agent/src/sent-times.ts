import type { Instant } from "@talaria/protocol";

/** A message that comes within this time of the last one that was told its time is not told its own. */
const quietMs = 10 * 60_000;

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** For example `Mon 2026-11-23 14:05`, in UTC. Undefined for what is no time. */
export function shownTime(at: Instant): string | undefined {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return undefined;
  return `${days[date.getUTCDay()]} ${date.toISOString().slice(0, 16).replace("T", " ")}`;
}

/**
 * Tells times of one rendering, in the order of the entries: the time where it is news, else nothing. What comes later changes
 * nothing of what was told.
 */
export function createSentTimes(): (at: Instant) => string | undefined {
  let told: number | undefined;
  return (at) => {
    const time = Date.parse(at);
    const isNews = told === undefined || Math.abs(time - told) >= quietMs || dayOf(time) !== dayOf(told);
    if (Number.isNaN(time) || !isNews) return undefined;
    told = time;
    return shownTime(at);
  };
}

function dayOf(time: number): number {
  return Math.floor(time / 86_400_000);
}
