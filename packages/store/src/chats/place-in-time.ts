import { GatewayError } from "@talaria/protocol";

/** Between two pages: an instant with microseconds, and what comes first of that instant. */
export interface PlaceInTime {
  /** As PostgreSQL reads it. */
  readonly at: string;
  readonly beside: string;
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;

export function writePlace({ at, beside }: PlaceInTime): string {
  return `${at}~${beside}`;
}

/** Reads what `writePlace` has written; an instant alone stands before everything of that instant. Throws `invalid_request`. */
export function readPlace(written: string): PlaceInTime {
  const [at = "", ...rest] = written.split("~");
  if (!instant.test(at) || Number.isNaN(Date.parse(at)))
    throw new GatewayError("before must be an instant like 2026-01-31T12:00:00.000Z, or the next of a page", {
      code: "invalid_request",
    });
  return { at, beside: rest.join("~") };
}

/** The SQL of an instant as `PlaceInTime` has it. */
export function exactly(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
