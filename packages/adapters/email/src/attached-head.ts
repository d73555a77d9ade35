import type { MessageAddressObject, MessageEnvelopeObject } from "imapflow";

/** UTF-16 units of a line, and addresses that a line names. */
const most = { letters: 300, addresses: 10 };

/** The head of a mail that is attached, as people see it above the mail: whatever it says, nobody has checked it. */
export function attachedHead({ from, to, cc, date, subject }: MessageEnvelopeObject): string {
  const fields = [
    ["From", people(from)],
    ["Date", momentOf(date)],
    ["Subject", subject ?? ""],
    ["To", people(to)],
    ["Cc", people(cc)],
  ] as const;
  const lines = fields.map(([name, value]) => [name, oneLine(value)] as const).filter(([, value]) => value !== "");
  return ["---------- Attached mail ----------", ...lines.map(([name, value]) => `${name}: ${value}`)].join("\n");
}

function people(addresses: readonly MessageAddressObject[] = []): string {
  const named = addresses
    .slice(0, most.addresses)
    .map(({ name = "", address = "" }) => (name === "" ? address : `${name} <${address}>`));
  const more = addresses.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function momentOf(date: Date | string | undefined): string {
  if (date === undefined || typeof date === "string") return date ?? "";
  return Number.isNaN(date.getTime()) ? "" : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, most.letters).toWellFormed();
}
