import { defineTool } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";

/** Tells the time in any time zone; UTC unless asked otherwise. */
export const currentTime = defineTool({
  name: "current_time",
  description: "Gives date, time and weekday now, in any time zone: for people's local time, and during long work.",
  effect: "read",
  permissions: ["clock"],
  input: z.strictObject({
    timeZone: z.string().optional().describe("IANA name"),
  }),
  async execute({ timeZone = "UTC" }, context) {
    const now = context.now();
    return { content: `${describeTime(now, timeZone)}\nUTC: ${new Date(now).toISOString()}` };
  },
});

/** For example `Saturday, 2026-11-21 08:30:15 GMT+01:00 (Europe/Berlin)`. Throws `invalid_request` for an unknown zone. */
export function describeTime(milliseconds: number, timeZone: string): string {
  const parts = new Map(
    formatFor(timeZone)
      .formatToParts(milliseconds)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const date = `${part("year")}-${part("month")}-${part("day")}`;
  const time = `${part("hour")}:${part("minute")}:${part("second")}`;
  return `${part("weekday")}, ${date} ${time} ${part("timeZoneName")} (${timeZone})`;
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-GB", {
      timeZone,
      weekday: "long",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      timeZoneName: "longOffset",
    });
  } catch (cause) {
    const example = 'Use an IANA name such as "Europe/Berlin" or "America/New_York".';
    throw new GatewayError(`"${timeZone}" is not a known time zone. ${example}`, { code: "invalid_request", cause });
  }
}
