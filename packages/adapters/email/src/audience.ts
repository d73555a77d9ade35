import { listAddresses } from "./addresses.ts";
import type { Headers } from "./headers.ts";

/** At most this many are named. */
const maxNamed = 10;
/** So many count: further ones are no people that somebody wrote to. */
const maxRecipients = 500;

/** To whom else a mail went, as its head says: without our own address. */
export function recipientsOf(headers: Headers, address: string): readonly string[] {
  const fields = [...headers.all("to"), ...headers.all("cc")].join(",");
  return listAddresses(fields, maxRecipients).filter((each) => each !== address);
}

/** Undefined for a mail to us alone. */
export function audienceRemark(recipients: readonly string[]): string | undefined {
  if (recipients.length === 0) return undefined;
  const more = recipients.length > maxNamed ? ` and ${recipients.length - maxNamed} more` : "";
  return `also sent to ${recipients.slice(0, maxNamed).join(", ")}${more}; an answer goes to the sender alone`;
}

/** The text of a mail's event as its sender wrote it: others to whom it is shown are no such audience. */
export function withoutAudience(markdown: string): string {
  return markdown.replace(/(?:^|\n\n)\[also sent to [^\n\]]{1,4000}; an answer goes to the sender alone\]$/, "");
}
