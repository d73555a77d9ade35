import type { Capabilities } from "@talaria/adapter";

/** Of a text, and of the text above a list. Meta counts characters; UTF-16 units are never fewer. */
export const maxTextLength = 4_096;
/** Of the text below a file. */
export const maxCaptionLength = 1_024;
/** Of the text above buttons. */
export const maxButtonTextLength = 1_024;

export const maxButtons = 3;
export const maxButtonTitle = 20;
export const maxRows = 10;
export const maxRowTitle = 24;
export const maxRowDescription = 72;

const mebibyte = 1024 * 1024;

/** What the Cloud API stores per kind. */
export const maxBytes = {
  image: 5 * mebibyte,
  audio: 16 * mebibyte,
  video: 16 * mebibyte,
  document: 100 * mebibyte,
} as const;

/** Direct conversations of a Cloud API number. It knows no edits, no threads and no drafts. */
export const cloudCapabilities: Capabilities = {
  maxTextLength,
  formatting: { headings: false, tables: false, codeBlocks: true, links: false },
  // One message in six seconds per pair of numbers, after a burst that Meta allows up to 45 of.
  conversationPace: { burst: 20, refillMs: 6_000 },
  accountPace: { burst: 80, refillMs: 13 },
  idempotentSend: false,
  typing: { lastsMs: 25_000 },
  receive: { maxBytes: maxBytes.document },
  send: { maxBytes: maxBytes.document, maxPerMessage: 1, maxCaptionLength },
  choices: { max: maxRows, maxLabelLength: maxRowTitle },
};
