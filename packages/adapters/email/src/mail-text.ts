import { htmlToText } from "@talaria/foreign-content";
import type { Log } from "@talaria/protocol";
import type { ImapFlow } from "imapflow";
import type { QuotedThread } from "./quoted-thread.ts";
import { readInvitations } from "./read-invitations.ts";
import { fetchPart, type MailHead, type ReadLimits } from "./read-mail.ts";
import { shownWords, wholeName } from "./shown-words.ts";
import { type OwnWords, stripHistory } from "./strip-history.ts";
import type { BodyPart, FilePart, MailPlan } from "./structure.ts";
import { isStub } from "./stub-text.ts";
import { readWinmails, type Winmail, withFilesWithin, wordsOf } from "./winmail.ts";

export interface MailText {
  readonly text: string;
  /** What of it others wrote, in a thread that is not ours. Empty for nothing. */
  readonly quoted: string;
  /** Remarks of ours about the text, each a sentence without brackets. */
  readonly remarks: readonly string[];
  readonly files: readonly FilePart[];
}

interface Body {
  readonly text: string;
  readonly remarks: readonly string[];
  /** What was read. */
  readonly file: FilePart;
}

const cutHere = "the text is cut here because it is too long";
const hiddenHere = "the mail also holds hidden text, which is left out";
/** So long may be what somebody answers to a question of the agent's: it is compared letter by letter. */
const longestAnswer = 120;

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
  const text = [shown.text, ...invitations.texts].filter(Boolean).join("\n\n");
  if (isExact(text, words, thread)) return { text, quoted: shown.quoted, remarks, files };
  const whole = shown.needsFile ? filled.map(({ file }) => file) : [];
  const { quoted } = shown;
  return { text, quoted, remarks: [...remarks, ...shown.remarks], files: [...files, ...whole] };
}

/** Commands, and answers to a question: they are what they are, without a remark. */
function isExact(text: string, { history }: OwnWords, { isOurs }: QuotedThread): boolean {
  const mayAnswer = isOurs && history !== "likely" && text.length <= longestAnswer && !text.includes("\n");
  return text.startsWith("/") || mayAnswer;
}

/** The plain version, and the formatted one only where the plain one says nothing. */
async function readBody(client: ImapFlow, uid: number, body: BodyPart, maxBytes: number): Promise<Body> {
  const plain = body.plain === undefined ? undefined : await fetchPart(client, uid, body.plain, maxBytes);
  const asPlain: Body = {
    text: plain?.text ?? "",
    remarks: plain?.isCut ? [cutHere] : [],
    file: textFile(body.plain, "plain"),
  };
  if (body.html === undefined || (plain !== undefined && !isStub(plain.text))) return asPlain;
  const html = await fetchPart(client, uid, body.html, maxBytes);
  const { text, hasHidden, isTooDeep } = await htmlToText(html.text);
  if (text === "" && asPlain.text.trim() !== "") return asPlain;
  const remarks = [
    ...(html.isCut ? [cutHere] : []),
    ...(isTooDeep ? ["the text ends here because its formatting is nested too deep"] : []),
    ...(hasHidden ? [hiddenHere] : []),
  ];
  return { text, remarks, file: textFile(body.html, "html") };
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

function textFile(part = "1", version: "plain" | "html" | "tnef-body"): FilePart {
  return { part, mimeType: "text/plain", name: wholeName, version };
}
