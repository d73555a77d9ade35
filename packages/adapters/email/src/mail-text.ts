import type { Log } from "@talaria/protocol";
import type { ImapFlow } from "imapflow";
import { readAttached } from "./attached-mails.ts";
import type { Author, QuotedThread } from "./quoted-thread.ts";
import { type Body, cutHere, hiddenHere, readBody, textFile } from "./read-body.ts";
import { readInvitations } from "./read-invitations.ts";
import type { MailHead, ReadLimits } from "./read-mail.ts";
import { shownWords } from "./shown-words.ts";
import { isNameOf } from "./signatures.ts";
import { type OwnWords, stripHistory } from "./strip-history.ts";
import type { FilePart, MailPlan } from "./structure.ts";
import { readWinmails, type Winmail, withFilesWithin, wordsOf } from "./winmail.ts";

export interface MailText {
  readonly text: string;
  /** What of it others wrote, in a thread that is not ours. Empty for nothing. */
  readonly quoted: string;
  /** The end of it, from other mails that are attached. Empty for nothing. */
  readonly attached: string;
  /** Remarks of ours about the text, each a sentence without brackets. */
  readonly remarks: readonly string[];
  readonly files: readonly FilePart[];
}

/** So long may be what somebody answers to a question of the agent's: it is compared letter by letter. */
const longestAnswer = 120;
/** An answer, a farewell and names. */
const mostSignedLines = 4;

/**
 * What the sender wrote: plain where there is a plain version, without the signature, and without the history where the thread
 * is ours, since the session has it. A remark says where something is left out. Where it is not sure that this is history, or too
 * much is quoted or written to be shown, a file has the whole text.
 */
export async function fetchText(
  client: ImapFlow,
  { uid }: MailHead,
  plan: MailPlan,
  limits: ReadLimits,
  thread: QuotedThread,
  log: Pick<Log, "warn">,
): Promise<MailText> {
  const bodies: Body[] = [];
  for (const part of plan.bodies) bodies.push(await readBody(client, uid, part, limits.textBytes));
  const winmails = await readWinmails(client, uid, plan.tnef, log);
  if (bodies.every(({ text }) => text.trim() === "")) bodies.push(...(await bodiesOf(winmails, limits.textBytes)));
  const filled = bodies.filter(({ text }) => text.trim() !== "");
  const said = filled.map(({ text }) => text).join("\n\n");
  const words = stripHistory(said, thread);
  const remarks = [...new Set(bodies.flatMap((body) => body.remarks))];
  const invitations = await readInvitations(client, uid, plan, said);
  const files = withFilesWithin(
    plan.files.filter((file) => !invitations.copies.has(file)),
    winmails,
  );
  const shown = shownWords(words, thread);
  const attached = words.text.startsWith("/")
    ? nothing
    : await readAttached(client, uid, plan.attached, limits.textBytes);
  const text = [shown.text, ...invitations.texts, attached.text].filter(Boolean).join("\n\n");
  const { quoted } = shown;
  const result = { text, quoted, attached: attached.text, remarks: [...remarks, ...attached.remarks] };
  if (isExact(text, words, thread)) return { ...result, files };
  const whole = shown.needsFile ? filled.map(({ file }) => file) : [];
  return { ...result, remarks: [...result.remarks, ...shown.remarks], files: [...files, ...whole, ...attached.files] };
}

const nothing = { text: "", remarks: [], files: [] } as const;

/** Commands, and answers to a question, perhaps above their writer's name: they are what they are, without a remark. */
function isExact(text: string, { history }: OwnWords, { isOurs, author }: QuotedThread): boolean {
  const mayAnswer = isOurs && history !== "likely" && text.length <= longestAnswer && isLineOrSigned(text, author);
  return text.startsWith("/") || mayAnswer;
}

/** A line, or one with a few below it that end with their writer's name. */
function isLineOrSigned(text: string, author: Author | undefined): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length < 2) return true;
  return lines.length <= mostSignedLines && author !== undefined && isNameOf(author, lines.at(-1) ?? "");
}

/** The words of mails that came in a file, where the mail itself has none. */
async function bodiesOf(winmails: readonly Winmail[], maxBytes: number): Promise<readonly Body[]> {
  const bodies: Body[] = [];
  for (const { part, mail } of winmails) {
    const { text, hasHidden } = await wordsOf(mail);
    const isCut = text.length > maxBytes;
    const remarks = [...(isCut ? [cutHere] : []), ...(hasHidden ? [hiddenHere] : [])];
    bodies.push({ text: text.slice(0, maxBytes), remarks, file: textFile(part, "tnef-body") });
  }
  return bodies;
}
