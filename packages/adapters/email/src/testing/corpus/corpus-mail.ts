import type { QuotedThread } from "../../quoted-thread.ts";

/** A mail as a program writes it, and what of it somebody has to see. */
export interface CorpusMail {
  readonly name: string;
  readonly thread: QuotedThread;
  readonly text?: string;
  readonly html?: string;
  /** Each has to be read, letter by letter. */
  readonly seen: readonly string[];
  /** Each may be left out. */
  readonly history: readonly string[];
}

export interface Somebody {
  readonly name: string;
  readonly address: string;
}

export const us: Somebody = { name: "Talaria", address: "gw@mail.test" };
export const ada: Somebody = { name: "Ada Lovelace", address: "ada@people.test" };
export const bob: Somebody = { name: "Bob Brown", address: "bob.brown@works.test" };

export function mailbox({ name, address }: Somebody): string {
  return `${name} <${address}>`;
}

/** The thread of an answer, to us or to somebody else. */
export function answerTo(whom: Somebody, subject: string): QuotedThread {
  return { subject, isAnswer: true, isOurs: whom === us, address: us.address, author: ada };
}

/** The thread of a mail that begins one, as far as we know it. */
export function firstMail(subject: string, isAnswer = false): QuotedThread {
  return { subject, isAnswer, isOurs: false, address: us.address, author: ada };
}

export function quoted(lines: readonly string[], mark = "> "): string {
  return lines.map((line) => `${mark}${line}`.trimEnd()).join("\n");
}

/** Programs break a line behind a space before the 78th character (RFC 5322 section 2.1.1). */
export function wrapped(line: string): string {
  const [first = "", ...words] = line.split(" ");
  let text = first;
  for (const word of words)
    text += text.slice(text.lastIndexOf("\n") + 1).length + word.length > 76 ? `\n${word}` : ` ${word}`;
  return text;
}
