import {
  type AskedWords,
  askedWordsSchema,
  choiceSchema,
  type EventId,
  type GrantOffer,
  grantOfferSchema,
  type Instant,
  outboundAttachmentSchema,
  type Role,
  roleSchema,
  type SettledCall,
  settledCallSchema,
  type WaitsFor,
  waits,
} from "@talaria/protocol";
import { z } from "zod";
import {
  type CheckpointEntry,
  type ClearedEntry,
  checkpointEntrySchema,
  clearedEntrySchema,
  countedUsageSchema,
} from "./context/context-entries.ts";
import { type Did, didSchema } from "./context/did.ts";
import type { CountedUsage } from "./counted-usage.ts";
import {
  instantSchema,
  type OverheardEntry,
  overheardEntrySchema,
  type UserEntry,
  userEntrySchema,
} from "./entries-of-people.ts";
import { type KeptMedia, keptMediaSchema, type NamedMedia, namedMediaSchema } from "./kept-media.ts";
import { type ModelStop, modelStops, type ProviderState, type ToolCall } from "./model.ts";
import type { ReplyParts } from "./reply-parts.ts";

/** One answer of the model, written before any of its calls starts. */
export interface AssistantEntry {
  readonly kind: "assistant";
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  /** The model that answered. */
  readonly model: string;
  readonly stop: ModelStop;
  readonly usage?: CountedUsage;
  /** What the request took of the window, without this answer, as the server has counted. Absent where it has not. */
  readonly contextTokens?: number;
  readonly providerState?: ProviderState;
}

/** Written before a call's effect can happen. A call that is refused has a result and no start. */
export interface ToolStartedEntry {
  readonly kind: "tool.started";
  readonly callId: string;
  readonly name: string;
  /** What people read of it while it runs, where the tool has words of its own. */
  readonly doing?: string;
}

/** What a call that has its result tells later, as the answer of a call of its own. */
export interface ToldLater {
  readonly waitsFor: Exclude<WaitsFor, "approval">;
  /** What it is about. */
  readonly shown: string;
  /** When nobody waits for it any more. */
  readonly expiresAt: Instant;
}

/** Every call of a settled turn has exactly one. */
export interface ToolResultEntry {
  readonly kind: "tool.result";
  readonly callId: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
  /** A stranger may have written the content. */
  readonly untrusted?: true;
  /** No byte came from outside: the words are ours and the model's own. */
  readonly nothingCame?: true;
  /** The settlement that had approved the call. It did not run: the rules forbid it by now. */
  readonly forbidden?: EventId;
  /** Files that the model may name from here on. */
  readonly kept?: readonly NamedMedia[];
  /** Pictures that the model sees with it. */
  readonly shows?: readonly KeptMedia[];
  /** What a model used that the tool has asked. */
  readonly usage?: CountedUsage;
  readonly later?: ToldLater;
  /** What the call did, in the order in which it did it. */
  readonly did?: readonly Did[];
  /** What the call adds to the turn's reply. */
  readonly reply?: ReplyParts;
}

/** What a result has besides its text. */
export type Brought = Omit<ToolResultEntry, "kind" | "callId" | "name" | "content" | "later" | "forbidden">;

/** The answer of this call comes later, as an event. `shown` is what people and the model read of it meanwhile. */
export interface ToolWaitingEntry {
  readonly kind: "tool.waiting";
  readonly callId: string;
  readonly name: string;
  readonly waitsFor: WaitsFor;
  readonly shown: string;
  readonly expiresAt: Instant;
  /** What whoever decides is asked, in parts. Absent: there is no more than `shown`. */
  readonly words?: AskedWords;
  /** What it takes to decide. Absent: nobody decides, the answer comes from elsewhere. */
  readonly approver?: Role;
  /** The rule of the policy that made it wait. */
  readonly rule?: string;
  /** Further calls that whoever approves may agree to. */
  readonly offer?: GrantOffer;
}

/**
 * A call that waited has its answer. When the model was told meanwhile that it waits, or the call belongs to an earlier turn,
 * the call's result carries `id` instead of the call's own.
 */
export interface CallSettledEntry extends Omit<SettledCall, "brought"> {
  readonly kind: "call.settled";
  /** Of a call that went on beside its turn and has ended by itself: its result but for the text, which is `content`. */
  readonly brought?: Brought;
  /** Unique in the session. */
  readonly id: EventId;
  readonly at: Instant;
}

/** Something the gateway tells the model about the conversation itself. Never somebody's words. */
export interface NoteEntry {
  readonly kind: "note";
  readonly text: string;
  /** What the model was asked for and no answer in the transcript accounts for. */
  readonly usage?: CountedUsage;
}

/** What the transcript of a session is made of. Plain JSON, appended, never changed. */
export type TranscriptEntry =
  | UserEntry
  | OverheardEntry
  | AssistantEntry
  | ToolStartedEntry
  | ToolWaitingEntry
  | CallSettledEntry
  | ToolResultEntry
  | NoteEntry
  | ClearedEntry
  | CheckpointEntry;

const callId = z.string().min(1);
const usage = countedUsageSchema.exactOptional();

const brought = {
  isError: z.boolean(),
  untrusted: z.literal(true).exactOptional(),
  nothingCame: z.literal(true).exactOptional(),
  kept: z.array(namedMediaSchema).exactOptional(),
  shows: z.array(keptMediaSchema).exactOptional(),
  usage,
  did: z.array(didSchema).exactOptional(),
  reply: z
    .object({
      attachments: z.array(outboundAttachmentSchema).exactOptional(),
      choices: z.object({ question: z.string(), options: z.array(choiceSchema) }).exactOptional(),
    })
    .exactOptional(),
};

const broughtSchema = z.object(brought) satisfies z.ZodType<Brought>;

/** What another process, perhaps of another version, has written. What can't be read is taken for a stranger's. */
export function readBrought(written: unknown): Brought {
  return broughtSchema.safeParse(written).data ?? { isError: false, untrusted: true };
}

/** Reads an entry that another process, perhaps of another version, has written. */
export const transcriptEntrySchema = z.discriminatedUnion("kind", [
  userEntrySchema,
  z.object({
    kind: z.literal("assistant"),
    content: z.string(),
    toolCalls: z.array(
      z.object({ callId, name: z.string(), arguments: z.string(), via: z.literal("call_tool").exactOptional() }),
    ),
    model: z.string(),
    stop: z.enum(modelStops),
    usage,
    contextTokens: z.number().nonnegative().exactOptional(),
    providerState: z.object({ dialect: z.string(), model: z.string(), data: z.unknown() }).exactOptional(),
  }),
  overheardEntrySchema,
  z.object({ kind: z.literal("tool.started"), callId, name: z.string(), doing: z.string().exactOptional() }),
  z.object({
    kind: z.literal("tool.waiting"),
    callId,
    name: z.string(),
    waitsFor: z.enum(waits),
    shown: z.string(),
    words: askedWordsSchema.exactOptional(),
    expiresAt: instantSchema,
    approver: roleSchema.exactOptional(),
    rule: z.string().exactOptional(),
    offer: grantOfferSchema.exactOptional(),
  }),
  settledCallSchema.extend({
    kind: z.literal("call.settled"),
    id: z.string().min(1) as unknown as z.ZodType<EventId, EventId>,
    at: instantSchema,
    brought: broughtSchema.exactOptional(),
  }),
  z.object({
    kind: z.literal("tool.result"),
    callId,
    name: z.string(),
    content: z.string(),
    forbidden: (z.string().min(1) as unknown as z.ZodType<EventId, EventId>).exactOptional(),
    later: z
      .object({ waitsFor: z.enum(waits).exclude(["approval"]), shown: z.string(), expiresAt: instantSchema })
      .exactOptional(),
    ...brought,
  }),
  z.object({ kind: z.literal("note"), text: z.string(), usage }),
  clearedEntrySchema,
  checkpointEntrySchema,
]) satisfies z.ZodType<TranscriptEntry>;
