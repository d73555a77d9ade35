import { z } from "zod";
import { type Derived, derivedSchema } from "./derived.ts";
import type { EventId, Instant } from "./ids.ts";

/** Whom or what a fact is about: the agent and its work, one person, one group with its people, the workspace of one session. */
export const factScopes = ["agent", "person", "group", "workspace"] as const;

export type FactScope = (typeof factScopes)[number];

/** Facts about one of these have a limit of their own. `key`: `<account>/<user>`, `<account>/<conversation>`, a session's key; empty for the agent. */
export interface FactSubject {
  readonly scope: FactScope;
  readonly key: string;
}

/** Characters of all facts of one subject together, with a break between each two. */
export const mostCharsOfFacts: Readonly<Record<FactScope, number>> = {
  agent: 2_200,
  person: 1_375,
  group: 1_375,
  workspace: 1_375,
};

/** Of one fact, as people count them. Longer ones are several. */
export const mostFactChars = 500;

/** Facts of one subject that are kept in its archive: the newest. */
export const mostArchivedFacts = 500;

/** Somebody has said it, or the model has concluded it. */
export const factTrusts = ["said", "inferred"] as const;

export type FactTrust = (typeof factTrusts)[number];

/** One thing that the agent keeps beyond the session that taught it. What `derived` says of its sources holds for it. */
export interface Fact extends FactSubject {
  /** A number that people type. */
  readonly id: string;
  /** One line. */
  readonly text: string;
  readonly trust: FactTrust;
  /** The id of who taught it. */
  readonly author: string;
  /** What they said it in. Absent: no message, as in a turn that nobody asked for. */
  readonly eventId?: EventId;
  /** Of a group's: `<account>/<user>` of whom it is about. */
  readonly about?: string;
  readonly derived: Derived;
  readonly createdAt: Instant;
  readonly confirmedAt: Instant;
  /** Conversations that have begun with it. */
  readonly uses: number;
  /** 1, or one more than the highest of those that it replaced. */
  readonly version: number;
}

/** `room`: others were confirmed more. */
export const archiveReasons = ["replaced", "removed", "room"] as const;

export type ArchiveReason = (typeof archiveReasons)[number];

/** What counts no more and is still found by whoever might have seen it. */
export interface ArchivedFact extends Fact {
  readonly archivedAt: Instant;
  readonly why: ArchiveReason;
  /** The id of what is known instead. */
  readonly replacedBy?: string;
}

const instant = z.iso.datetime() as unknown as z.ZodType<Instant, Instant>;

/** Reads what another process, perhaps of another version, has written. */
export const factSchema = z.object({
  scope: z.enum(factScopes),
  key: z.string(),
  id: z.string(),
  text: z.string(),
  // Of a kind that is not known here: nobody has said it for certain.
  trust: z.enum(factTrusts).catch("inferred"),
  author: z.string(),
  eventId: (z.string() as unknown as z.ZodType<EventId, EventId>).exactOptional(),
  about: z.string().exactOptional(),
  derived: derivedSchema,
  createdAt: instant,
  confirmedAt: instant,
  uses: z.int(),
  version: z.int(),
}) satisfies z.ZodType<Fact>;

export const archivedFactSchema = factSchema.extend({
  archivedAt: instant,
  why: z.enum(archiveReasons).catch("removed"),
  replacedBy: z.string().exactOptional(),
}) satisfies z.ZodType<ArchivedFact>;
