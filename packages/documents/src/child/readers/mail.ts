import { htmlToText } from "@talaria/foreign-content/text";
import PostalMime, { type Address } from "postal-mime";
import type { OpenDocument } from "../open-document.ts";
import { Refusal } from "../refusal.ts";
import { mailDocument } from "./mail-document.ts";

const mostNesting = 50;

/** A mail as a file. */
export async function openMail(bytes: Buffer): Promise<OpenDocument> {
  const mail = await parsed(bytes);
  return mailDocument({
    from: mail.from === undefined ? "" : written(mail.from),
    to: (mail.to ?? []).map(written).join(", "),
    cc: (mail.cc ?? []).map(written).join(", "),
    date: mail.date ?? "",
    subject: mail.subject ?? "",
    text: mail.text?.trim() ? mail.text : mail.html ? (await htmlToText(mail.html)).text : "",
    files: mail.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? "",
      type: mimeType,
      bytes: typeof content === "string" ? content.length : content.byteLength,
    })),
  });
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
