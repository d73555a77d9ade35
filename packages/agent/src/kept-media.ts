import type { AccountId, EventId, MediaRef } from "@talaria/protocol";
import { z } from "zod";

/** Content that is kept under its hash. */
export interface KeptMedia {
  readonly ref: MediaRef;
  /** What the bytes say. */
  readonly mimeType: string;
  readonly byteLength: number;
}

/** One that a tool has brought for people and agent alike: with its name it lies in the workspace's inbox. */
export interface NamedMedia extends KeptMedia {
  readonly name?: string;
}

/** Where a file is asked for that nobody has fetched: its `ref` is the platform's, its type and length are what that says. */
export interface Unopened {
  readonly accountId: AccountId;
  readonly eventId: EventId;
  /** Its place among the attachments of the event. */
  readonly n: number;
}

export const unopenedSchema = z.object({
  accountId: z.string().min(1) as unknown as z.ZodType<AccountId, AccountId>,
  eventId: z.string().min(1) as unknown as z.ZodType<EventId, EventId>,
  n: z.int().nonnegative(),
}) satisfies z.ZodType<Unopened>;

export const keptMediaSchema = z.object({
  ref: z.string().min(1) as unknown as z.ZodType<MediaRef, MediaRef>,
  mimeType: z.string(),
  byteLength: z.int().nonnegative(),
});

export const namedMediaSchema = keptMediaSchema.extend({
  name: z.string().exactOptional(),
}) satisfies z.ZodType<NamedMedia>;

/** Each content once, at the place of its last mention. */
export function eachOnce(files: readonly KeptMedia[]): readonly KeptMedia[] {
  const found = new Map<MediaRef, KeptMedia>();
  for (const file of files) {
    found.delete(file.ref);
    found.set(file.ref, file);
  }
  return [...found.values()];
}
