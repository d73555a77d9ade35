import { brandAs, type DeliveryKey, type InboundEvent, type SessionKey } from "@talaria/protocol";
import type { DirectSettlement, OperationsStore, OutboxDraft, SessionEffect, SessionSummary } from "@talaria/store";
import { type CommandName, helpText } from "./commands.ts";
import { principalOf } from "./policy.ts";

/** What a control command does and answers, ready to be committed as one. */
export async function commandSettlement(
  command: CommandName,
  event: InboundEvent,
  sessionKey: SessionKey,
  deps: { readonly agentName: string; readonly operations: Pick<OperationsStore, "session"> },
): Promise<DirectSettlement> {
  const settlement = (markdown: string, effect?: SessionEffect, idleMarkdown?: string): DirectSettlement => ({
    event,
    outcome: "command",
    reason: `command:${command}`,
    notice: { ...noticeTo(event, "command", markdown), sessionKey },
    ...(effect === undefined ? {} : { effect }),
    ...(idleMarkdown === undefined ? {} : { idleMarkdown }),
  });
  switch (command) {
    case "help":
      return settlement(helpText(deps.agentName));
    case "new":
      return settlement("A new conversation begins. I no longer see what was said before.", {
        kind: "reset",
        sessionKey,
      });
    case "stop":
      return settlement("Stopped.", { kind: "stop", sessionKey }, "There is nothing to stop.");
    case "retry":
      return settlement("I try again.", { kind: "retry", sessionKey }, "There is nothing to try again right now.");
    case "whoami":
      return settlement(whoAmI(event));
    case "status":
      return settlement(statusText(await deps.operations.session(sessionKey)));
    default:
      return command satisfies never;
  }
}

/** A text of the gateway itself to the place an event came from. In groups it answers the event's message. */
export function noticeTo(event: InboundEvent, kind: OutboxDraft["kind"], markdown: string): OutboxDraft {
  const { conversation } = event;
  const replies = event.type === "message.created" && conversation.kind !== "direct";
  return {
    deliveryKey: brandAs<DeliveryKey>(`${kind}:${conversation.accountId}:${event.id}`),
    kind,
    conversation,
    markdown,
    attachments: [],
    ...(replies ? { replyTo: event.message.messageId } : {}),
  };
}

function whoAmI({ sender, conversation }: InboundEvent): string {
  const place = conversation.kind === "direct" ? "a direct conversation" : "a group";
  const where = `${place} (\`${conversation.conversationId}\`) of account \`${conversation.accountId}\``;
  return `You are \`${principalOf(conversation.platform, sender)}\`, in ${where}.`;
}

function statusText(session: SessionSummary | undefined): string {
  if (session === undefined) return "Nothing has been said here yet.";
  const doing = session.running ? "I am working on an answer." : "I am idle.";
  const waiting = session.waiting === 0 ? "Nothing waits." : `Waiting messages: ${session.waiting}.`;
  const answers = session.turns - (session.running ? 1 : 0);
  return `${doing} ${waiting} Answers so far: ${answers}.`;
}
