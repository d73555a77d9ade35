import { htmlToText } from "@talaria/foreign-content/text";
import PostalMime, { type Address } from "postal-mime";
import type { OpenDocument } from "../open-document.ts";
import { Refusal } from "../refusal.ts";

const mostNesting = 50;
const mostAttachments = 200;

/** A mail as a file: who wrote to whom, its text, and which files it holds. */
export async function openMail(bytes: Buffer): Promise<OpenDocument> {
  const mail = await parsed(bytes);
  const text = mail.text?.trim() ? mail.text : mail.html ? (await htmlToText(mail.html)).text : "";
  const files = mail.attachments.slice(0, mostAttachments).map(({ filename, mimeType, content }) => {
    const size = typeof content === "string" ? content.length : content.byteLength;
    return `[file "${(filename ?? "").slice(0, 200)}", ${mimeType}, ${size} bytes: unpack the mail in the workspace to read it]`;
  });
  const heads = [
    ["From", mail.from === undefined ? "" : written(mail.from)],
    ["To", (mail.to ?? []).map(written).join(", ")],
    ["Cc", (mail.cc ?? []).map(written).join(", ")],
    ["Date", mail.date ?? ""],
    ["Subject", mail.subject ?? ""],
  ] as const;
  return {
    format: "mail",
    unit: "text",
    count: 1,
    facts: ["Its headers are what it says: nobody has checked who sent it."],
    read: async (_index, sink) => {
      for (const [name, value] of heads) if (value !== "") sink.line(`${name}: ${value.replace(/\s+/g, " ")}`);
      sink.blank();
      sink.line(text);
      if (files.length > 0) sink.blank();
      for (const file of files) sink.line(file);
    },
  };
}

async function parsed(bytes: Buffer) {
  try {
    return await PostalMime.parse(new Uint8Array(bytes), { maxNestingDepth: mostNesting, rfc822Attachments: true });
  } catch (cause) {
    throw new Refusal("it is broken, or its parts are nested too deep for a mail", { cause });
  }
}

function written({ name, address, group }: Address): string {
  if (group !== undefined) return `${name}: ${group.map(written).join(", ")}`;
  return name && name !== address ? `${name} <${address ?? ""}>` : (address ?? "");
}
