import { type Derived, derivedSchema, type Instant } from "@talaria/protocol";
import { z } from "zod";
import type { CountedUsage } from "../counted-usage.ts";
import {
  type EntryAttachment,
  instantSchema,
  type OverheardEntry,
  overheardEntrySchema,
  type UserEntry,
  userEntrySchema,
  type WholeWords,
  wholeWordsSchema,
} from "../entries-of-people.ts";
import { type KeptMedia, keptMediaSchema, type Unopened, unopenedSchema } from "../kept-media.ts";
import type { Did } from "./did.ts";

/** What made a conversation be shortened: it had become full, a server refused it, or somebody asked for it. */
export type CompressionReason = "full" | "refused" | "asked";

/** What a request takes by our count, in tokens. */
export interface Sizes {
  readonly before: number;
  readonly after: number;
}

/** How words that stay are shown. Those of a checkpoint that are not named are shown as its other texts. */
export interface KeptWords {
  /** How many entries before the one that names them, from 1 on. */
  readonly place: number;
  /** Of what was written, as a proof that these words are meant. */
  readonly chars: number;
  /** Absent: as they are. */
  readonly tokens?: number;
  readonly whole?: WholeWords;
}

/**
 * Long results before it are shown as one line each, but for those among the last `keeps` entries before it. The results, in the order
 * of the entries, are those that are named.
 */
export interface ClearedEntry {
  readonly kind: "cleared";
  readonly at: Instant;
  readonly reason: CompressionReason;
  readonly keeps: number;
  /** `start`: where it begins in the file, in bytes. Absent where no file could be kept. */
  readonly results: readonly { readonly callId: string; readonly chars: number; readonly start?: number }[];
  readonly whole?: KeptMedia;
  readonly words?: readonly KeptWords[];
  readonly tokens: Sizes;
  /** The window that the turn has had since, where a server has refused more. Absent: the model's. */
  readonly windowTokens?: number;
  /** The how manieth of the conversation it is, from 1 on. */
  readonly nth?: number;
}

/** What the agent has answered, to whoever asked before it. */
export interface RepliedEntry {
  readonly kind: "replied";
  readonly text: string;
}

export type SaidEntry = UserEntry | OverheardEntry | RepliedEntry;

export interface OpenCall {
  readonly callId: string;
  readonly shown: string;
}

/** What a checkpoint says of the work. Made from the journal alone: the same entries give the same bytes. */
export interface CheckpointState {
  /** What was said, oldest first. Of more than has room the first words and the newest. */
  readonly said: readonly SaidEntry[];
  readonly plan?: string;
  /** One for each path, in the order of the last use. */
  readonly files: readonly Extract<Did, { path: string }>[];
  readonly commands: readonly Extract<Did, { kind: "ran" }>[];
  /** Calls that wait for their answer, with what they wait for. */
  readonly open: readonly OpenCall[];
  /** What the model has said between its calls, a line each, newest last. Absent: nothing. */
  readonly remarks?: readonly string[];
  /** What was called and what came of it, a line each, newest last. What came of commands stands with those. */
  readonly calls: readonly string[];
  /** How much of each had no room. */
  readonly leftOut: {
    readonly said: number;
    readonly files: number;
    readonly commands: number;
    readonly calls: number;
    /** Absent: none. */
    readonly open?: number;
    readonly remarks?: number;
  };
}

/**
 * Stands for every entry before it, but for the last `keeps` ones of the same turn, which are shown after it. It can be read wherever
 * those are: rights, taint and audience are its own.
 */
export interface CheckpointEntry extends CheckpointState {
  readonly kind: "checkpoint";
  readonly at: Instant;
  readonly reason: CompressionReason;
  readonly keeps: number;
  /** The words that are answered stand in it: the turn goes on. */
  readonly inTurn?: true;
  /** The texts of the kept entries are shown in at most so many tokens each. */
  readonly keptTokens?: number;
  readonly words?: readonly KeptWords[];
  /** Where the words of people stand that are left out, oldest first. Absent: in `whole`, if any are. */
  readonly wordsIn?: readonly KeptMedia[];
  /** Decisions and their reasons, by a model, which may be wrong. */
  readonly notes?: string;
  /** Everything that it stands for, as text, oldest first. */
  readonly whole: readonly KeptMedia[];
  /** Files that the model may name from here on. */
  readonly known: readonly KnownMedia[];
  readonly derived: Derived;
  /** The model has found tools by their index: see `chooseTools`. */
  readonly hasIndex?: true;
  /** Of the model that wrote the notes. */
  readonly usage?: CountedUsage;
  readonly tokens: Sizes;
  /** The window that the turn has had since, where a server has refused more. Absent: the model's. */
  readonly windowTokens?: number;
  /** The how manieth of the conversation it is, from 1 on. */
  readonly nth?: number;
}

export interface KnownMedia extends KeptMedia {
  readonly name?: string;
  readonly unopened?: Unopened;
  readonly kind: EntryAttachment["kind"];
  /** See `KnownFile`. */
  readonly isSent?: true;
}

const count = z.int().nonnegative();

export const countedUsageSchema = z.object({
  inputTokens: z.number().nonnegative(),
  cachedTokens: z.number().nonnegative(),
  cacheWriteTokens: z.number().nonnegative().exactOptional(),
  outputTokens: z.number().nonnegative(),
  reasoningTokens: z.number().nonnegative(),
  model: z.string().exactOptional(),
  provider: z.string().exactOptional(),
  cost: z.number().nonnegative().exactOptional(),
  worth: z.number().nonnegative().exactOptional(),
});

const shared = {
  at: instantSchema,
  reason: z.enum(["full", "refused", "asked"]).catch("full"),
  keeps: count,
  tokens: z.object({ before: count, after: count }),
  nth: count.exactOptional(),
  windowTokens: count.exactOptional(),
  words: z
    .array(
      z.object({
        place: z.int().positive(),
        chars: count,
        tokens: count.exactOptional(),
        whole: wholeWordsSchema.exactOptional(),
      }),
    )
    .exactOptional(),
};

export const clearedEntrySchema = z.object({
  kind: z.literal("cleared"),
  ...shared,
  results: z.array(z.object({ callId: z.string(), chars: count, start: count.exactOptional() })),
  whole: keptMediaSchema.exactOptional(),
});

export const checkpointEntrySchema = z.object({
  kind: z.literal("checkpoint"),
  ...shared,
  inTurn: z.literal(true).exactOptional(),
  keptTokens: count.exactOptional(),
  wordsIn: z.array(keptMediaSchema).exactOptional(),
  said: z.array(
    z.discriminatedUnion("kind", [
      userEntrySchema,
      overheardEntrySchema,
      z.object({ kind: z.literal("replied"), text: z.string() }),
    ]),
  ),
  plan: z.string().exactOptional(),
  files: z.array(z.object({ kind: z.enum(["read", "changed"]), path: z.string(), digest: z.string().exactOptional() })),
  commands: z.array(z.object({ kind: z.literal("ran"), command: z.string(), end: z.string() })),
  open: z.array(z.object({ callId: z.string(), shown: z.string() })),
  remarks: z.array(z.string()).exactOptional(),
  calls: z.array(z.string()),
  leftOut: z.object({
    said: count,
    files: count,
    commands: count,
    calls: count,
    open: count.exactOptional(),
    remarks: count.exactOptional(),
  }),
  notes: z.string().exactOptional(),
  whole: z.array(keptMediaSchema),
  known: z.array(
    keptMediaSchema.extend({
      name: z.string().exactOptional(),
      kind: z.enum(["image", "audio", "video", "file"]).catch("file"),
      unopened: unopenedSchema.exactOptional(),
      isSent: z.literal(true).exactOptional(),
    }),
  ),
  derived: derivedSchema,
  hasIndex: z.literal(true).exactOptional(),
  usage: countedUsageSchema.exactOptional(),
}) satisfies z.ZodType<CheckpointEntry>;
