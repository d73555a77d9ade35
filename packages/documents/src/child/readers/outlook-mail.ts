import { decompressRTF } from "@kenjiuno/decompressrtf";
import msgreader, { type FieldsData } from "@kenjiuno/msgreader";
import { decodePage, htmlToText, rtfText } from "@talaria/foreign-content/text";
import type { OpenDocument } from "../open-document.ts";
import { Refusal } from "../refusal.ts";
import { mailDocument } from "./mail-document.ts";

const mostRecipients = 1_000;
const utf8 = 65_001;
/** Of texts that are not Unicode: what Outlook writes in Western Europe and America. */
const ansiEncoding = "windows-1252";

/** A mail of Outlook as a file (MS-OXMSG), whatever else Outlook keeps in such: an appointment or a contact has a subject and a text, too. */
export async function openOutlookMail(bytes: Buffer): Promise<OpenDocument> {
  const mail = parsed(bytes);
  const recipients = (mail.recipients ?? []).slice(0, mostRecipients);
  const sent = (kind: FieldsData["recipType"]) => recipients.filter(({ recipType }) => recipType === kind);
  return mailDocument({
    from: written(mail.senderName, mail.senderSmtpAddress ?? mail.senderEmail),
    to: sent("to").map(recipient).join(", "),
    cc: sent("cc").map(recipient).join(", "),
    date: mail.clientSubmitTime ?? mail.messageDeliveryTime ?? "",
    subject: mail.subject ?? "",
    text: await textOf(mail),
    files: (mail.attachments ?? []).map(({ fileName, fileNameShort, name, attachMimeTag, contentLength = 0 }) => ({
      name: fileName ?? fileNameShort ?? name ?? "",
      type: attachMimeTag ?? "of no type",
      bytes: contentLength,
    })),
  });
}

function parsed(bytes: Buffer): FieldsData {
  const broken = "it is broken, or no mail that Outlook would open: ask for it as .eml or PDF";
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const reader = new msgreader.default(view);
    reader.parserConfig = { ansiEncoding };
    const mail = reader.getFileData();
    if (mail.error === undefined && mail.messageClass !== undefined) return mail;
  } catch (cause) {
    throw new Refusal(broken, { cause });
  }
  throw new Refusal(broken);
}

async function textOf({ body, bodyHtml, html, internetCodepage, compressedRtf }: FieldsData): Promise<string> {
  if (body?.trim()) return body;
  const page = bodyHtml ?? (html === undefined ? "" : decodePage(html, internetCodepage ?? utf8));
  if (page.trim() !== "") return (await htmlToText(page)).text;
  if (compressedRtf === undefined) return "";
  return rtfText(Buffer.from(decompressRTF([...compressedRtf])));
}

function recipient({ name, smtpAddress, email }: FieldsData): string {
  return written(name, smtpAddress ?? email);
}

function written(name: string | undefined, address: string | undefined): string {
  return name && name !== address ? `${name} <${address ?? ""}>` : (address ?? "");
}
