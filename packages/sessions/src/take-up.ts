import { limitId, limitOf } from "@talaria/policy";
import { brandAs, type DeliveryKey, type InboundEvent } from "@talaria/protocol";
import type { OperationsStore, TakingUp } from "@talaria/store";
import { accessOf, letIn } from "./access.ts";
import { limitSubject } from "./limit-words.ts";
import { readRole } from "./role.ts";
import type { StillAllowedDeps } from "./still-allowed.ts";

export interface TakeUpDeps extends StillAllowedDeps {
  readonly operations: Pick<OperationsStore, "refusedBy">;
}

const withinHours = 24;
const mostEach = 20;
const mostSessions = 200;

/**
 * Told where messages wait again, or don't, that a limit had refused. `notices.lifted` says the same where it was lifted. Others of a group
 * may be at limits of their own: a person's names them.
 */
function told(key: string, named: string) {
  const isPersons = limitOf(key)?.scope === "person";
  const lifted = `An owner has lifted ${isPersons ? `${named}, which` : "the limit that"} had stopped me here.`;
  return {
    taken: `${lifted} I answer now what I had left because of it; don't write that again.`,
    both: `${lifted} I answer now the newest messages that I had left because of it, of the last ${withinHours} hours and ${mostEach} at most. Please write again what you still need of the others.`,
    left: `${lifted} Please write again what you still need an answer to.`,
  };
}

/** What becomes of the messages that a limit has refused: only people whom a message would get in now are answered and told. `named`: the limit, with whose it is. */
export async function takingUp(key: string, named: string, event: InboundEvent, deps: TakeUpDeps): Promise<TakingUp> {
  const { operations, policyOf, pairing } = deps;
  const { accountId, conversationId } = event.conversation;
  const askers: TakingUp["askers"][number][] = [];
  for (const { conversation, sender } of await operations.refusedBy(key)) {
    const policy = policyOf(conversation.accountId);
    if (policy === undefined) continue;
    const known = letIn({ conversation, sender }, pairing);
    if ((await accessOf({ conversation, sender }, policy, known)) !== "allowed") continue;
    const role = await readRole(sender, policy, known.approved);
    const { accountId: account, conversationId: place } = conversation;
    askers.push({ accountId: account, conversationId: place, userId: sender.userId, role });
  }
  return {
    ...told(key, named),
    ...{ askers, mostEach, mostSessions, withinMs: withinHours * 3_600_000 },
    subject: limitSubject(limitId(key)),
    deliveryKey: brandAs<DeliveryKey>(`lifted:${accountId}:${event.id}`),
    except: { accountId, conversationId },
  };
}
