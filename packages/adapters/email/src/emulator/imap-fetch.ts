import { bodyStructure } from "./body-structure.ts";
import { type ImapWord, textOfWord } from "./imap-command.ts";
import type { ImapMailbox, StoredMail } from "./imap-mailbox.ts";
import { type MimeNode, nodeAt } from "./mime-tree.ts";

/** The items of one FETCH answer, or undefined for an item nobody knows. Latin1. */
export function fetchItems(mailbox: ImapMailbox, mail: StoredMail, items: readonly ImapWord[]): string | undefined {
  const parts: string[] = [];
  for (const item of items) {
    const part = fetchItem(mailbox, mail, textOfWord(item));
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts.join(" ");
}

function fetchItem(mailbox: ImapMailbox, mail: StoredMail, item: string): string | undefined {
  switch (item.toUpperCase()) {
    case "UID":
      return `UID ${mail.uid}`;
    case "FLAGS":
      return `FLAGS (${[...mail.flags].join(" ")})`;
    case "INTERNALDATE":
      return `INTERNALDATE "${imapDate(mail.receivedAt)}"`;
    case "RFC822.SIZE":
      return `RFC822.SIZE ${mail.raw.length}`;
    case "BODYSTRUCTURE":
      return `BODYSTRUCTURE ${bodyStructure(mailbox.treeOf(mail))}`;
    default:
      return section(mailbox.treeOf(mail), mail, item);
  }
}

function section(root: MimeNode, mail: StoredMail, item: string): string | undefined {
  const match = /^BODY(\.PEEK)?\[([^\]]*)\](?:<(\d+)\.(\d+)>)?$/i.exec(item);
  if (match === null) return undefined;
  const [, peek, name = "", start, length] = match;
  if (peek === undefined) mail.flags.add("\\Seen");
  const whole = contentOf(root, mail, name);
  const label = `BODY[${name}]${start === undefined ? "" : `<${start}>`}`;
  if (whole === undefined) return `${label} NIL`;
  const content = start === undefined ? whole : whole.slice(Number(start), Number(start) + Number(length));
  return `${label} {${content.length}}\r\n${content}`;
}

function contentOf(root: MimeNode, mail: StoredMail, name: string): string | undefined {
  if (name === "") return mail.raw;
  const upper = name.toUpperCase();
  if (upper === "HEADER") return root.header;
  if (upper === "TEXT") return root.body;
  if (upper.startsWith("HEADER.FIELDS")) return fields(root.header, upper);
  const numbers = /^\d+(?:\.\d+)*/.exec(upper)?.[0] ?? "";
  const node = numbers === "" ? undefined : nodeAt(root, numbers.split(".").map(Number));
  if (node === undefined) return undefined;
  switch (upper.slice(numbers.length)) {
    case "":
      return node.body;
    case ".MIME":
      return node.header;
    case ".HEADER":
      return node.embedded?.header;
    case ".TEXT":
      return node.embedded?.body;
    default:
      return undefined;
  }
}

function fields(header: string, name: string): string {
  const wanted = new Set(/\(([^)]*)\)/.exec(name)?.[1]?.split(" "));
  const all = header.match(/[^\s:]+:(?:.*\r\n)(?:[ \t].*\r\n)*/g) ?? [];
  return `${all.filter((field) => wanted.has(field.slice(0, field.indexOf(":")).toUpperCase())).join("")}\r\n`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function imapDate(date: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${two(date.getUTCDate())}-${months[date.getUTCMonth()]}-${date.getUTCFullYear()} ${time} +0000`;
}

/** `21-Nov-2026` as the first millisecond of that day. */
export function searchDate(text: string): number {
  const [day, month = "", year] = text.split("-");
  return Date.UTC(Number(year), months.indexOf(month), Number(day));
}
