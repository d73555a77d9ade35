import { htmlToText } from "@talaria/foreign-content";
import type { ImapFlow } from "imapflow";
import { fetchPart } from "./read-mail.ts";
import { wholeName } from "./shown-words.ts";
import type { BodyPart, FilePart } from "./structure.ts";
import { isStub } from "./stub-text.ts";

export interface Body {
  readonly text: string;
  readonly remarks: readonly string[];
  /** What was read. */
  readonly file: FilePart;
}

export const cutHere = "the text is cut here because it is too long";
export const hiddenHere = "the mail also holds hidden text, which is left out";
/** The plain version, and the formatted one only where the plain one says nothing. */
export async function readBody(client: ImapFlow, uid: number, body: BodyPart, maxBytes: number): Promise<Body> {
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

export function textFile(part = "1", version: "plain" | "html" | "tnef-body"): FilePart {
  return { part, mimeType: "text/plain", name: wholeName, version };
}
