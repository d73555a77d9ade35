import type { InboundEvent, SessionKey } from "@talaria/protocol";
import type { BackgroundStore, CallStore, OperationsStore } from "@talaria/store";
import type { Decision } from "./admit.ts";
import { parseCommand } from "./commands.ts";
import { endsAll } from "./still-running.ts";

export interface BareStopDeps {
  readonly operations: Pick<OperationsStore, "session">;
  readonly calls: Pick<CallStore, "waiting">;
  readonly background: Pick<BackgroundStore, "running">;
}

/**
 * Whether a message is a `/stop` that names nobody, in a group where it would stop something: then it is ours. Where nothing of
 * ours is under way, another program of the group was meant, and we are silent. Whoever answers or names somebody else means them.
 */
export async function isBareStop(
  decision: Decision,
  event: InboundEvent,
  sessionKey: SessionKey,
  { operations, calls, background }: BareStopDeps,
): Promise<boolean> {
  if (decision.kind !== "ignore" || decision.reason !== "not_addressed") return false;
  if (event.type !== "message.created" || event.sender.role !== "person") return false;
  const { markdown, mentions, replyTo, quote, attachments } = event.message;
  if (mentions.length > 0 || replyTo !== undefined || quote !== undefined || attachments.length > 0) return false;
  const command = parseCommand(markdown);
  if (command?.name !== "stop") return false;
  const isAll = endsAll(command.argument) !== undefined;
  if (command.argument !== undefined && !isAll) return false;
  const session = await operations.session(sessionKey);
  if (session === undefined) return false;
  if (session.running || session.waiting > 0 || (await calls.waiting(sessionKey)).length > 0) return true;
  return isAll && (await background.running(sessionKey)).length > 0;
}
