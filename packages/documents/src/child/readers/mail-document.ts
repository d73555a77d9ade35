import type { OpenDocument } from "../open-document.ts";

const mostFiles = 200;

export interface MailParts {
  /** What it names; empty: nothing. */
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly date: string;
  readonly subject: string;
  readonly text: string;
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: number }[];
}

/** A mail as a text: who wrote to whom, what, and which files it holds. */
export function mailDocument({ from, to, cc, date, subject, text, files }: MailParts): OpenDocument {
  const heads = { From: from, To: to, Cc: cc, Date: date, Subject: subject };
  return {
    format: "mail",
    unit: "text",
    count: 1,
    facts: ["Its headers are what it says: nobody has checked who sent it."],
    read: async (_index, sink) => {
      for (const [name, value] of Object.entries(heads))
        if (value !== "") sink.line(`${name}: ${value.replace(/\s+/g, " ")}`);
      sink.blank();
      sink.line(text);
      if (files.length > 0) sink.blank();
      for (const { name, type, bytes } of files.slice(0, mostFiles))
        sink.line(
          `[file "${name.slice(0, 200)}", ${type.slice(0, 100)}, ${bytes} bytes: unpack the mail in the workspace to read it]`,
        );
    },
  };
}
