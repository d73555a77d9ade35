import { z } from "zod";

/** A piece of the line that says what a call does: words of ours, or a name that others chose, which whoever shows it sets apart. */
export type HeadlinePiece = string | { readonly name: string };

/** Something that a call does it with, each kind shown in its own way. `label`: words of ours above it, without a colon. */
export type CallPart =
  /** Words for people, as they are: nothing in them is markup. */
  | { readonly kind: "text"; readonly text: string; readonly label?: string }
  /** A command, code, the content of a file. */
  | { readonly kind: "block"; readonly text: string; readonly label?: string }
  /** Lines that begin with `-`, `+` or a blank. */
  | { readonly kind: "difference"; readonly text: string; readonly label?: string }
  /** Named by us. */
  | { readonly kind: "facts"; readonly items: readonly NamedValue[] }
  /** Named by whoever wrote the call. */
  | { readonly kind: "arguments"; readonly items: readonly NamedValue[] };

export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** What a call does, in words for whoever decides about it. Nothing in it is invisible, or turns the order of letters around. */
export interface CallWords {
  /** Goes behind "May I": `["send this message to ", { name: "telegram:user:42" }]`. */
  readonly headline: readonly HeadlinePiece[];
  readonly parts: readonly CallPart[];
}

/** With why somebody is asked, Markdown of ours. */
export interface ReasonedWords extends CallWords {
  readonly why: string;
}

/** The same as it is stored with a question. `inLanguages`: by tags in small letters (BCP 47), for those who are asked and speak them. */
export interface AskedWords extends ReasonedWords {
  readonly inLanguages?: Readonly<Record<string, ReasonedWords>>;
}

/** The words that a tool has for a call of its own, as they are in the call. */
export interface ToolWords {
  /** An `address` is shown as the network reads it. */
  readonly headline: readonly (HeadlinePiece | { readonly address: string })[];
  readonly parts?: readonly Extract<CallPart, { readonly text: string }>[];
  /** The arguments of which all is said in `headline` or `parts`. All others are shown besides. */
  readonly says: readonly string[];
}

const label = z.string().exactOptional();
const items = z.array(z.object({ name: z.string(), value: z.string() }));

const part = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.string(), label }),
  z.object({ kind: z.literal("block"), text: z.string(), label }),
  z.object({ kind: z.literal("difference"), text: z.string(), label }),
  z.object({ kind: z.literal("facts"), items }),
  z.object({ kind: z.literal("arguments"), items }),
]);

const reasonedWords = z.object({
  headline: z.array(z.union([z.string(), z.object({ name: z.string() })])),
  parts: z.array(part),
  why: z.string(),
});

/** Reads what another process, perhaps of another version, has written. */
export const askedWordsSchema = reasonedWords.extend({
  inLanguages: z.record(z.string(), reasonedWords).exactOptional(),
}) satisfies z.ZodType<AskedWords>;
