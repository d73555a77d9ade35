import type { Finding } from "./finding.ts";

/** Platforms and providers refuse signatures that are five minutes off; certificates and one-time codes suffer earlier. */
const mostApartMs = 60_000;

/** When we asked and had the answer, and how exact the other's time is, in milliseconds. */
export interface Asked {
  readonly began: number;
  readonly ended: number;
  readonly precisionMs: number;
}

/** How far this machine's clock is from that of `whose`, which said `there` (in milliseconds since 1970). */
export function clockFinding(whose: string, there: number, { began, ended, precisionMs }: Asked): Finding {
  const apartMs = Math.max(0, began - there - precisionMs, there - ended);
  const side = there > ended ? "behind" : "ahead of";
  const check = "clock";
  if (apartMs < 1_000) return { check, state: "ok", line: `agrees with ${whose} to a second` };
  const line = `this machine's clock is ${Math.round(apartMs / 1_000)} s ${side} that of ${whose}`;
  if (apartMs < mostApartMs) return { check, state: "ok", line };
  return { check, state: "problem", line, remedy: "sudo timedatectl set-ntp true" };
}
