import {
  attachmentSchema,
  brandAs,
  conversationSchema,
  type EventId,
  grantScopes,
  type Instant,
  instantOf,
  type MessageId,
  quoteSchema,
  roleSchema,
  roles,
  senderSchema,
  sessionEventSchema,
  type TurnId,
} from "@talaria/protocol";
import { z } from "zod";
import { read, readEach } from "../database/read-rows.ts";
import type { StoredGrant } from "../ports/calls.ts";
import type { Chosen } from "../ports/chosen.ts";
import type { Overheard } from "../ports/overheard.ts";
import type { Claim, OpenTurn, PendingEvent, StoredEntry } from "../ports/turns.ts";

const storedEntry: z.ZodType<StoredEntry> = z.looseObject({ kind: z.string() });

/** Unreadable context is left out; the event itself can still be read. */
const overheard: z.ZodType<readonly Overheard[] | null> = z
  .array(
    z.object({
      messageId: z.string() as unknown as z.ZodType<MessageId>,
      eventId: (z.string().min(1) as unknown as z.ZodType<EventId>).exactOptional(),
      sender: senderSchema,
      markdown: z.string(),
      attachments: z.array(attachmentSchema).exactOptional(),
      moreFiles: z.int().positive().exactOptional(),
      quote: quoteSchema.exactOptional(),
      at: z.string() as unknown as z.ZodType<Instant>,
    }),
  )
  .nullable()
  .catch(null);

const pendingEvent = z
  .object({
    seq: z.number().int(),
    event: sessionEventSchema,
    route: conversationSchema,
    mode: z.enum(["queue", "steer", "interrupt"]),
    role: roleSchema.nullish().catch(undefined),
    paste: z.string().nullish().catch(undefined),
    recordedAt: z.number(),
    overheard,
  })
  .transform(
    ({ overheard: heard, role, paste, ...row }): PendingEvent => ({
      ...row,
      ...(role ? { role } : {}),
      ...(paste ? { paste } : {}),
      recordedAt: instantOf(row.recordedAt),
      ...(heard === null ? {} : { overheard: heard }),
    }),
  );

export const storedGrant: z.ZodType<StoredGrant> = z.object({
  id: z.string(),
  scope: z.enum(grantScopes),
  covers: z.string(),
  terms: z.record(z.string(), z.unknown()),
  byRole: roleSchema,
});

const openTurn = z
  .object({
    turnId: z.string(),
    firstSeq: z.number().int(),
    route: conversationSchema,
    replyTo: z.string().nullable(),
    journal: z.array(storedEntry),
    failures: z.number().int(),
    cancelled: z.enum(["stopped", "superseded"]).nullable(),
  })
  .transform(
    ({ turnId, replyTo, cancelled, ...row }): OpenTurn => ({
      ...row,
      turnId: brandAs<TurnId>(turnId),
      ...(replyTo === null ? {} : { replyTo: brandAs<MessageId>(replyTo) }),
      ...(cancelled === null ? {} : { cancelled }),
    }),
  );

/** The part of a waiting event that every release can read. */
const waitingRow = z.looseObject({ seq: z.int() });
const waitingRows = z.array(waitingRow);

const chosenOne = z
  .object({ name: z.string(), role: z.enum(roles) })
  .optional()
  .catch(undefined);
/** What another release may have added is of no interest, and what can't be read is not chosen. */
const chosenRow = z.object({ model: chosenOne, effort: chosenOne }).catch({ model: undefined, effort: undefined });

/** Undefined: nothing. */
export function readChosen(value: unknown): Chosen | undefined {
  const { model, effort } = chosenRow.parse(value);
  if (model === undefined && effort === undefined) return undefined;
  return { ...(model && { model }), ...(effort && { effort }) };
}

const claim = z
  .object({
    conversation: conversationSchema,
    prompt: z.string().nullable(),
    // The functions of the release before tell neither.
    facts: z.string().nullish(),
    idleMs: z.number().nullish(),
    tools: z.string().nullable(),
    compact: z.boolean().nullish(),
    // The functions of the release before don't tell.
    chosen: z.unknown().transform(readChosen),
    history: z.array(storedEntry),
    open: openTurn.nullable(),
    said: z
      .array(z.object({ id: z.int(), markdown: z.string(), at: z.number() }))
      .nullish()
      .transform((said) => said?.map((one) => ({ ...one, at: instantOf(one.at) }))),
    // The functions of the release before don't tell.
    questions: z.int().optional(),
    undelivered: z
      .array(
        z.object({
          id: z.int(),
          markdown: z.string(),
          mayHaveArrived: z.boolean(),
          stopped: z
            .enum(["withheld", "cut"])
            .nullish()
            .transform((stopped) => stopped ?? undefined),
        }),
      )
      .nullish()
      .transform((undelivered) => undelivered ?? undefined),
    endedCalls: z
      .array(z.object({ id: z.string(), name: z.string(), arguments: z.string() }))
      .nullish()
      .transform((ended) => ended ?? undefined),
    grants: z.array(storedGrant),
    pending: waitingRows,
  })
  .transform(
    ({
      prompt,
      facts,
      idleMs,
      tools,
      compact,
      chosen,
      open,
      said,
      undelivered,
      endedCalls,
      questions = 0,
      ...row
    }): Omit<Claim, "lease" | "pending"> & { readonly pending: readonly WaitingRow[] } => ({
      ...row,
      ...(prompt === null ? {} : { prompt }),
      ...(typeof facts === "string" ? { facts } : {}),
      ...(typeof idleMs === "number" ? { idleMs } : {}),
      ...(tools === null ? {} : { tools }),
      ...(compact ? { compact } : {}),
      ...(chosen === undefined ? {} : { chosen }),
      ...(open === null ? {} : { open }),
      questions,
      ...(said === undefined ? {} : { said }),
      ...(undelivered === undefined ? {} : { undelivered }),
      ...(endedCalls === undefined ? {} : { endedCalls }),
    }),
  );

type WaitingRow = z.output<typeof waitingRow>;

/** Throws `internal` when this release cannot read the session's row or its entries. */
export function readClaim(value: unknown): z.output<typeof claim> {
  return read(claim, value);
}

/** Returns the events, and apart from them those that this release cannot read. */
export function readPendingEvents(value: unknown): {
  readonly rows: readonly PendingEvent[];
  readonly unreadable: readonly WaitingRow[];
} {
  return readEach(pendingEvent, read(waitingRows, value));
}
