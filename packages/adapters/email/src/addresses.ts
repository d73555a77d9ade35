import { domainToASCII } from "node:url";
import { commentEnd } from "./structured-field.ts";

/** A mailbox as a header names it. `name` is decoded and for showing only. */
export interface Mailbox {
  readonly address: string;
  readonly name: string;
}

const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * One address, comparable letter by letter: the domain in small ASCII letters (IDNA), the local part as it is, since only
 * its own server may know whether letters matter (RFC 5321 section 2.4). Undefined for quoted or non-ASCII local parts.
 */
export function canonicalAddress(text: string): string | undefined {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(0, at));
  const domain = canonicalDomain(text.slice(at + 1));
  if (domain === undefined || local.length > 64 || !localPart.test(local)) return undefined;
  const address = `${local}@${domain}`;
  return address.length <= 254 ? address : undefined;
}

/** A domain in small ASCII letters. Undefined when letters that only look like ASCII would become ASCII. */
export function canonicalDomain(text: string): string | undefined {
  const small = text.toLowerCase();
  const isAscii = /^[\x20-\x7e]*$/.test(small);
  const domain = isAscii ? small : domainToASCII(small);
  if (domain.length > 253 || !domainName.test(domain)) return undefined;
  return isAscii || domain.includes("xn--") ? domain : undefined;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Longer lists of addresses are no list of people. */
const longestField = 20_000;
const oneMailbox = /^\s*((?:"(?:\\.|[^"\\])*"|[^"<>(),:;@\\[\]])*)<\s*([^<>\s]+)\s*>\s*$/;

/**
 * The author of a mail: exactly one mailbox. Undefined for lists, groups, comments, and whatever two programs could read
 * differently.
 */
export function parseAuthor(field: string): Mailbox | undefined {
  if (field.length > 2_000) return undefined;
  const [, phrase = "", spec] = oneMailbox.exec(field) ?? [undefined, "", field.trim()];
  const address = canonicalAddress(spec ?? "");
  if (address === undefined) return undefined;
  return {
    address,
    name: decodeWords(
      phrase.replace(/"((?:\\.|[^"\\])*)"/g, (_, inner: string) => inner.replace(/\\(.)/g, "$1")),
    ).trim(),
  };
}

/**
 * Every address of To or Cc that can be read; at most `max`. What stands in a comment or a name is no address, nor is what could be
 * read as two.
 */
export function listAddresses(field: string, max: number): readonly string[] {
  const found = new Set<string>();
  for (const mailbox of withoutComments(field.slice(0, longestField)).split(/[,;]/)) {
    const [, inBrackets] = /<([^<>]*)>\s*$/.exec(mailbox) ?? [];
    const address = canonicalAddress((inBrackets ?? mailbox.slice(mailbox.lastIndexOf(":") + 1)).trim());
    if (address !== undefined) found.add(address);
    if (found.size >= max) break;
  }
  return [...found];
}

/** Nor quoted strings. Behind one that does not end nothing counts. */
function withoutComments(field: string): string {
  let text = "";
  for (let at = 0; at < field.length; ) {
    const [piece = ""] = /^(?:"(?:\\[\s\S]|[^"\\])*"|[^"(]+)/.exec(field.slice(at)) ?? [];
    const end = piece === "" && field[at] === "(" ? commentEnd(field, at) : at + piece.length;
    if (end === undefined || end === at) break;
    text += piece === "" || piece.startsWith('"') ? " " : piece;
    at = end;
  }
  return text;
}

/** Encoded words of RFC 2047, in any charset that the runtime knows. */
export function decodeWords(text: string): string {
  return text
    .replace(/(\?=)\s+(?==\?)/g, "$1")
    .replace(
      /=\?([\w-]{1,40})(?:\*[\w-]*)?\?([QqBb])\?([^?]*)\?=/g,
      (whole, charset: string, kind: string, body: string) => {
        try {
          return new TextDecoder(charset).decode(
            kind.toUpperCase() === "B" ? Buffer.from(body, "base64") : unquoted(body),
          );
        } catch {
          return whole;
        }
      },
    );
}

function unquoted(body: string): Buffer {
  const text = body
    .replaceAll("_", " ")
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, "latin1");
}
