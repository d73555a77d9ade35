import { defineTool, type ToolContext } from "@talaria/agent";
import { factScopes, GatewayError } from "@talaria/protocol";
import { z } from "zod";

/** Facts that one call names. */
const mostNamed = 50;
/** A longer one is refused with a sentence. */
const mostTextChars = 10_000;

const numbers = z
  .array(z.string().regex(/^[1-9]\d{0,15}$/, "has to be the number of a fact"))
  .min(1)
  .max(mostNamed);

/** Keeps what is worth keeping beyond the conversation. Whom it is about follows from where it is said. */
export const memory = defineTool({
  name: "memory",
  description:
    "Keeps facts for later conversations: one line each, dated by us; no orders, no secrets. Keep what people ask you to, correct, or " +
    "will want known again. replace puts text in place of what it contradicts.",
  effect: "write",
  permissions: ["memory"],
  input: z
    .strictObject({
      action: z.enum(["add", "replace", "remove"]),
      text: z.string().max(mostTextChars).optional(),
      ids: numbers.optional().describe("Numbers of facts"),
      about: z.enum(factScopes).optional().describe("Default: the person here, or the group"),
      guess: z.boolean().optional().describe("Nobody has said it"),
    })
    .refine(({ action, text }) => (action === "remove") === (text === undefined), "pass `text`, but not with remove")
    .refine(({ action, ids }) => (action === "add") === (ids === undefined), "pass `ids`, but not with add"),
  resources: () => ["facts"],
  async execute({ action, text = "", ids = [], about, guess }, context) {
    const trust = guess === true ? ("inferred" as const) : ("said" as const);
    const change =
      action === "remove"
        ? { action, ids }
        : action === "replace"
          ? { action, ids, text, trust }
          : { action, text, trust };
    const call = { key: context.idempotencyKey, ...(about !== undefined && { scope: about }) };
    const { content, isUntrusted } = await factsOf(context).change(change, call);
    return { content, ...(isUntrusted && { untrusted: true }) };
  },
});

/** Throws `unsupported` where nothing is kept. */
export function factsOf({ facts }: Pick<ToolContext, "facts">): NonNullable<ToolContext["facts"]> {
  if (facts !== undefined) return facts;
  throw new GatewayError("nothing is kept beyond this conversation", { code: "unsupported" });
}
