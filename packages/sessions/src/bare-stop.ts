import type { AccountPolicy, InboundEvent, SessionKey } from "@talaria/protocol";
import type { Decision } from "./admit.ts";
import { parseCommand } from "./commands.ts";
import type { GateDeps } from "./gate-deps.ts";
import { canStop, headWork } from "./head-work.ts";
import { endsAll, isUnderWay } from "./still-running.ts";

interface Place {
  readonly sessionKey: SessionKey;
  readonly policy: AccountPolicy;
  readonly deps: Pick<GateDeps, "operations" | "calls" | "background" | "traitsOf">;
}

/**
 * Whether a message is a `/stop` that names nobody, in a group where it would stop something: then it is ours. Where nothing of
 * ours is under way, another program of the group was meant, and we are silent. Whoever answers or names somebody else means them.
 */
export async function isBareStop(
  decision: Decision,
  event: InboundEvent,
  { sessionKey, policy, deps }: Place,
): Promise<boolean> {
  if (decision.kind !== "ignore" || decision.reason !== "not_addressed") return false;
  if (event.type !== "message.created" || event.sender.role !== "person") return false;
  const { markdown, mentions, replyTo, quote, attachments } = event.message;
  if (mentions.length > 0 || replyTo !== undefined || quote !== undefined || attachments.length > 0) return false;
  const command = parseCommand(markdown);
  if (command?.name !== "stop") return false;
  const isAll = endsAll(command.argument) !== undefined;
  if (command.argument !== undefined && !isAll) return false;
  const head = await headWork(event, sessionKey, policy, deps);
  return (head !== undefined && canStop(head, command.argument)) || (await isUnderWay(sessionKey, isAll, deps));
}
