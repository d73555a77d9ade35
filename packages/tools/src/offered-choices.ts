import { createHash } from "node:crypto";
import type { ReplyParts } from "@talaria/agent";

/** A question with buttons below the reply, whose ids are the same whenever the call with this key runs. */
export function offeredChoices(question: string, labels: readonly string[], idempotencyKey: string): ReplyParts {
  const call = createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 10);
  return { choices: { question, options: labels.map((label, index) => ({ id: `${call}-${index + 1}`, label })) } };
}
