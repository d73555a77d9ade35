import { defineTool, oneLine, type PastLine } from "@talaria/agent";
import { GatewayError, type Instant, instantOf } from "@talaria/protocol";
import { z } from "zod";
import { askersIn, messagesOf } from "./askers-in.ts";

const most = { hits: 10, chars: 500, charsBeside: 150, nameChars: 80 };

const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/)
  .refine((text) => !Number.isNaN(Date.parse(text)), "no such date");

/** Finds what was said before. Which conversations are looked at follows from who asks and where, never from the arguments. */
export const searchConversations = defineTool({
  name: "search_conversations",
  description:
    'Searches what was said here before. Use it before you say that you don\'t know. query: telling words, "a phrase". who: part of a ' +
    'name, "me" (who asks), "agent" (you). from, to: dates. Of lines that differ, the newer counts.',
  effect: "read",
  isRare: true,
  permissions: ["conversation.read"],
  resources: () => [],
  input: z.strictObject({
    query: z.string().trim().min(1).max(1_000),
    who: z.string().trim().min(1).max(100).optional(),
    from: moment.optional(),
    to: moment.optional(),
  }),
  async execute({ query, who, from, to }, context) {
    const { search } = messagesOf(context);
    if (search === undefined) throw new GatewayError("nothing is searched here", { code: "unsupported" });
    const { hits, sittings } = await search({
      ...{ text: query, askers: askersIn(context), limit: most.hits, chars: most.chars },
      ...(who !== undefined && { from: saidBy(who) }),
      ...(from !== undefined && { since: instantIn(from) }),
      ...(to !== undefined && { until: instantIn(to) }),
    });
    if (hits.length === 0)
      return { content: "Nothing was found. Other words, or fewer, may find it.", untrusted: true };
    const times = sittings.map(({ from, until }) => `${timeOf(from)} to ${timeOf(until)}`);
    const lines = hits.map((hit, n) =>
      [
        `${n + 1}. ${headOf(hit)}, message ${oneLine(hit.id, 120)}`,
        ...hit.before.map((line) => `   before: ${besideOf(line)}`),
        indented(hit.markdown),
        ...hit.after.map((line) => `   after: ${besideOf(line)}`),
      ].join("\n"),
    );
    return { content: [`Most about it was said ${times.join("; ")}.`, ...lines].join("\n\n"), untrusted: true };
  },
});

function saidBy(who: string) {
  if (/^me$/i.test(who)) return "asker";
  return /^(agent|you)$/i.test(who) ? "agent" : { name: who };
}

function instantIn(text: string): Instant {
  return instantOf(Date.parse(text));
}

function headOf({ at, from, displayName }: PastLine): string {
  const name = from === "agent" ? "you" : oneLine(displayName, most.nameChars).trim() || "somebody";
  return `${timeOf(at)}, ${name}`;
}

function besideOf(line: PastLine): string {
  return `${headOf(line)}: ${oneLine(line.markdown, most.charsBeside).trim()}`;
}

/** To the minute: `2026-01-05 09:12 UTC`. */
function timeOf(at: Instant): string {
  return `${at.slice(0, 16).replace("T", " ")} UTC`;
}

function indented(markdown: string): string {
  return markdown
    .split("\n")
    .map((line) => `   > ${line}`)
    .join("\n");
}
