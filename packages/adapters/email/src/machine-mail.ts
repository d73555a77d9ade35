import type { Headers } from "./headers.ts";

/** Stamped on everything we send, so that two of us do not talk to each other for ever. */
export const loopHeader = { name: "X-Loop", value: "talaria" } as const;

const machinePrecedence: ReadonlySet<string> = new Set(["bulk", "list", "junk", "auto_reply"]);
const machineNames = /^(?:mailer-daemon|postmaster|no[-._]?reply|do[-._]?not[-._]?reply|bounces?)(?:[+-].*)?@/i;

/** Why nobody reads an answer to this mail, or undefined when a person may have written it. RFC 3834 and its neighbours. */
export function machineReason(headers: Headers, author: string): string | undefined {
  const [submitted = ""] = headers
    .first("auto-submitted")
    .toLowerCase()
    .split(/[\s;(]/);
  if (submitted !== "" && submitted !== "no") return "auto_submitted";
  const suppress = headers.first("x-auto-response-suppress").toLowerCase();
  if (suppress !== "" && suppress !== "none") return "auto_response_suppress";
  if (machinePrecedence.has(headers.first("precedence").toLowerCase())) return "precedence";
  if (headers.first("list-id") !== "" || headers.first("list-unsubscribe") !== "") return "mailing_list";
  if (headers.all("return-path").some((path) => /^<\s*>$/.test(path))) return "empty_return_path";
  if (headers.all("x-loop").some((value) => value.toLowerCase().includes(loopHeader.value))) return "loop";
  if (headers.first("x-autoreply") !== "" || headers.first("x-autorespond") !== "") return "auto_reply";
  return machineNames.test(author) ? "machine_address" : undefined;
}
