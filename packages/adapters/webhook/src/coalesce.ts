import { createHash } from "node:crypto";
import type { AcceptOptions } from "@talaria/adapter";
import type { WebhookConfig } from "./config.ts";
import { fillKey } from "./prompt.ts";
import type { RequestValues } from "./request-values.ts";

/** Events that are read as one, and the conversation they share. */
export interface Group {
  readonly id: string;
  readonly hold: NonNullable<AcceptOptions["hold"]>;
}

/**
 * The group an event belongs to; undefined where the route reads each event by itself, or where the event lacks a value
 * that `coalesceBy` names: nothing says then that it belongs with others.
 */
export function groupOf(values: RequestValues, { coalesceMs, coalesceBy }: WebhookConfig): Group | undefined {
  if (coalesceMs === undefined) return undefined;
  const name = coalesceBy === undefined ? "" : fillKey(coalesceBy, values);
  if (name === undefined) return undefined;
  const id = `group.${createHash("sha256").update(name).digest("base64url").slice(0, 22)}`;
  return { id, hold: { key: id, ms: coalesceMs } };
}
