import { z } from "zod";

const count = z.int().positive();

/**
 * What a message may hold, in every conversation of an account. Stored with the account: the agent's process holds no
 * connection, and writes and offers tools by this.
 */
export const messageCapabilitiesSchema = z.object({
  /** Any markdown whose `measure` is at most this can be sent as one message. */
  maxTextLength: count,
  /** What of Markdown people see as such. What they don't is still sent, as readable text. */
  formatting: z.object({ headings: z.boolean(), tables: z.boolean(), codeBlocks: z.boolean(), links: z.boolean() }),
  /** Absent: a message carries no files. */
  send: z
    .object({
      /** Largest file. */
      maxBytes: count,
      /** Files of one message; further ones need another message. */
      maxPerMessage: count,
      /**
       * Files of one message are shown as an album: all pictures and films, or all of one other kind, and together at
       * most `maxBytes`. Absent: any files go together.
       */
      albums: z.literal(true).exactOptional(),
      /** Files of one message have at most `maxBytes` together, as in a mail. Absent: each of them may have that. */
      sharesBytes: z.literal(true).exactOptional(),
      /** Like `maxTextLength`, for a message with files. */
      maxCaptionLength: z.int().min(0),
    })
    .readonly()
    .exactOptional(),
  /** Buttons below a message; a label is counted in UTF-16 units. Absent: choices become a numbered list. */
  choices: z
    .object({
      max: count,
      maxLabelLength: count,
      /** Rows of buttons, where they are fewer than `max` of them could need. */
      maxRows: count.exactOptional(),
      /** People choose by a place in the list, as with reactions: an edit leaves no choice out while others decide something. */
      byPlace: z.literal(true).exactOptional(),
      /** The first press that is accepted closes the message: it shows what was chosen, and a later press is a duplicate. */
      close: z.literal(true).exactOptional(),
    })
    .readonly()
    .exactOptional(),
});

export type MessageCapabilities = Readonly<z.output<typeof messageCapabilitiesSchema>>;
