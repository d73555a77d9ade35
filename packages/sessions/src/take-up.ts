import { limitId } from "@talaria/policy";
import { brandAs, type DeliveryKey, type InboundEvent } from "@talaria/protocol";
import type { OperationsStore, TakingUp } from "@talaria/store";
import { english } from "@talaria/words";
import { accessOf, letIn } from "./access.ts";
import { limitSubject } from "./lift-number.ts";
import { readRole } from "./role.ts";
import type { StillAllowedDeps } from "./still-allowed.ts";

export interface TakeUpDeps extends StillAllowedDeps {
  readonly operations: Pick<OperationsStore, "refusedBy">;
}

const withinHours = 24;
const mostEach = 20;
const mostSessions = 200;

/** What becomes of the messages that a limit has refused: only people whom a message would get in now are answered and told. `name`: of the person whose limit it is. */
export async function takingUp(
  key: string,
  name: string | undefined,
  event: InboundEvent,
  deps: TakeUpDeps,
): Promise<TakingUp> {
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
    // One text for all the places, of people and of groups.
    ...english.limits.takenUp(key, english.limits.named(key, name), withinHours, mostEach),
    ...{ askers, mostEach, mostSessions, withinMs: withinHours * 3_600_000 },
    subject: limitSubject(limitId(key)),
    deliveryKey: brandAs<DeliveryKey>(`lifted:${accountId}:${event.id}`),
    except: { accountId, conversationId },
  };
}
