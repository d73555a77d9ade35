import { brandAs, type DeliveryKey, type InboundEvent, type Role, type SessionKey } from "@talaria/protocol";
import type {
  BackgroundStore,
  CallStore,
  DirectSettlement,
  Lacking,
  NoticeTopic,
  OperationsStore,
  OutboxText,
  SessionEffect,
  SessionSummary,
  SkillStore,
  WaitingFrom,
} from "@talaria/store";
import { type Power, type Words, wordsFor } from "@talaria/words";
import { type AskersRolesDeps, askersRoles } from "./askers-roles.ts";
import type { Authority } from "./authority.ts";
import { type CommandName, type GivenCommand, helpText, type MemoryCommand } from "./commands.ts";
import { costOfAnswer } from "./cost-text.ts";
import { type HeadWork, isUnanswered } from "./head-work.ts";
import { chosenIn, type ModelChoices } from "./model-choices.ts";
import { principalOf } from "./policy.ts";
import { settingsText } from "./settings-text.ts";
import { skillsFor } from "./skills-for.ts";
import { type SpendingTextDeps, spendingText } from "./spending-text.ts";
import { endsAll, stillRunning } from "./still-running.ts";
import { toBeAnswered } from "./to-be-answered.ts";
import { usageText } from "./usage-text.ts";
import { whereText } from "./where-text.ts";

export interface CommandDeps extends SpendingTextDeps, AskersRolesDeps {
  /** What the event's thread stands below. */
  readonly head?: HeadWork | undefined;
  readonly choices?: ModelChoices;
  readonly switchedOn?: readonly { readonly what: Power; readonly key: string }[];
  readonly lacking?: () => Promise<readonly Lacking[]>;
  /** What was said in a conversation that ends is gone through for facts. */
  readonly hasPasses?: boolean;
  readonly agentName: string;
  /** Of whoever gives the command. */
  readonly role: Role;
  readonly operations: Pick<OperationsStore, "session" | "spent" | "usage" | "waitingFrom" | "whereabouts">;
  readonly background: Pick<BackgroundStore, "running">;
  readonly calls: Pick<CallStore, "waiting">;
  /** How much waits in other conversations for whoever gives the command. */
  readonly waitingElsewhere: () => Promise<number>;
  readonly skills?: Pick<SkillStore, "list">;
}

/** Those that decide about a call are in `decide.ts`, those about memories in `memory-commands.ts`. */
type ControlCommand = Exclude<
  CommandName,
  | "answer"
  | "approve"
  | "deny"
  | "approvals"
  | "revoke"
  | "sethome"
  | "trust"
  | "memory"
  | "learned"
  | "processes"
  | "lift"
  | "model"
  | "effort"
  | "people"
  | "search"
  | "start"
  | MemoryCommand
>;

/** What a control command does and answers, ready to be committed as one. `authority` is its sender's. */
export async function commandSettlement(
  command: GivenCommand & { readonly name: ControlCommand },
  event: InboundEvent,
  sessionKey: SessionKey,
  authority: Exclude<Authority, "refused">,
  deps: CommandDeps,
): Promise<DirectSettlement> {
  const settlement = await settlementOf(command, event, sessionKey, deps);
  if (authority === "allowed") return settlement;
  const { userId } = event.sender;
  const { notices, backgroundNotices } = wordsFor(event);
  const told = {
    markdown: notices.needsMember(command.name),
    ownMarkdown: backgroundNotices.stoppedOwn,
    withheldMarkdown: notices.answerWithheld,
  };
  return { ...settlement, onlyFor: { userId, reason: "needs_member", ...told } };
}

async function settlementOf(
  { name: command, argument, turnId }: GivenCommand & { readonly name: ControlCommand },
  event: InboundEvent,
  sessionKey: SessionKey,
  deps: CommandDeps,
): Promise<DirectSettlement> {
  const settlement = (markdown: string, effect?: SessionEffect, idleMarkdown?: string): DirectSettlement => ({
    event,
    outcome: "command",
    reason: `command:${command}`,
    notice: { ...noticeTo(event, "command", markdown), sessionKey },
    ...(effect === undefined ? {} : { effect }),
    ...(idleMarkdown === undefined ? {} : { idleMarkdown }),
  });
  const { notices, backgroundNotices } = wordsFor(event);
  switch (command) {
    case "help":
      return settlement(helpText(deps.agentName, deps.role, wordsFor(event), await skillsFor(deps.role, deps)));
    case "new":
    case "stop": {
      const why = endsAll(argument);
      const [waiting, { ends, goesOn: inBackground }] = await Promise.all([
        deps.operations.waitingFrom(sessionKey),
        stillRunning(command, event, sessionKey, deps),
      ]);
      const running = why === undefined ? inBackground : "";
      const [done, kind, idle] =
        command === "new"
          ? ([notices.reset, "reset", undefined] as const)
          : ([
              why !== undefined && inBackground !== ""
                ? backgroundNotices.stoppedAll
                : inBackground !== "" && (await isIdle(sessionKey, deps))
                  ? notices.nothingToStop
                  : notices.stopped,
              "stop",
              notices.nothingToStop,
            ] as const);
      const effect = { kind, sessionKey, ...(why !== undefined && { why }), ...passIn(kind, deps) };
      const markdown = (dropped: WaitingFrom = waiting, answer = "") =>
        joined(inLine(done, answer), droppedText(dropped, event), ends, running);
      const settled = settlement(markdown(waiting), effect, idle && joined(idle, "", running));
      const atStop = idle && {
        withheld: (dropped?: WaitingFrom) => markdown(dropped, notices.answerWithheld),
        sent: (dropped?: WaitingFrom) => markdown(dropped, notices.answerGoesOut),
        idle: joined(idle, notices.answerGoesOut, running),
      };
      return { ...settled, dropped: { waiting, markdown }, ...(atStop && { atStop }) };
    }
    case "retry":
      return settlement(
        notices.retrying,
        {
          ...{ kind: "retry", sessionKey, ...(turnId === undefined ? {} : { turnId }) },
          roles: await askersRoles(sessionKey, event.conversation.accountId, deps),
        },
        notices.nothingToRetry,
      );
    case "whoami":
      return settlement(whoAmI(event));
    case "usage":
      return settlement(await usageText(event, deps));
    case "where":
      return settlement(await whereText(event, sessionKey, deps));
    case "cost":
      return settlement(await costOfAnswer(event, sessionKey, deps));
    case "settings":
      return settlement(await settingsText(event, sessionKey, deps));
    case "status":
      return settlement(await statusText(event, sessionKey, deps));
    default:
      return command satisfies never;
  }
}

function passIn(kind: "reset" | "stop", { hasPasses = false }: CommandDeps): { readonly pass?: true } {
  return kind === "reset" && hasPasses ? { pass: true } : {};
}

/**
 * A text of the gateway itself to the place an event came from. In groups it answers the event's message, and is for its
 * sender alone where nobody else sees that. `topic`: an operational one.
 */
export function noticeTo(
  event: InboundEvent,
  kind: OutboxText["kind"],
  markdown: string,
  topic?: NoticeTopic,
): OutboxText {
  const { conversation, sender } = event;
  const replies = event.type === "message.created" && conversation.kind !== "direct";
  const isPrivate = replies && event.message.unseen === true;
  return {
    deliveryKey: brandAs<DeliveryKey>(`${kind}:${conversation.accountId}:${event.id}`),
    kind,
    conversation,
    markdown,
    attachments: [],
    ...(replies ? { replyTo: event.message.messageId } : {}),
    ...(isPrivate ? { privateTo: sender.userId } : {}),
    ...(topic === undefined ? {} : { operational: operational(topic, sender) }),
  };
}

/** Whoever is refused is told, whoever else was before. */
function operational(topic: NoticeTopic, { userId }: InboundEvent["sender"]): NonNullable<OutboxText["operational"]> {
  return topic === "refused" ? { topic, to: userId } : { topic };
}

/** Nothing but processes goes on, and none that a `/stop` ends. */
async function isIdle(sessionKey: SessionKey, { operations, calls, background }: CommandDeps): Promise<boolean> {
  const session = await operations.session(sessionKey);
  if (session === undefined || session.running || session.waiting > 0) return false;
  if ((await calls.waiting(sessionKey)).some(({ waitsFor }) => waitsFor !== "process")) return false;
  return (await background.running(sessionKey)).every(({ isLetGo }) => !isLetGo);
}

/** What waits and is dropped with all the rest. */
function droppedText({ messages, names, more }: WaitingFrom, event: InboundEvent): string {
  return messages === 0 ? "" : wordsFor(event).backgroundNotices.dropped(messages, names, more);
}

/** One line, and below it what runs. */
function joined(done: string, dropped: string, ...below: readonly string[]): string {
  return [inLine(done, dropped), ...below].filter((text) => text !== "").join("\n\n");
}

function inLine(...sentences: readonly string[]): string {
  return sentences.filter((text) => text !== "").join(" ");
}

function whoAmI(event: InboundEvent): string {
  const { sender, conversation } = event;
  const { platform, kind, conversationId, accountId } = conversation;
  return wordsFor(event).notices.whoAmI(principalOf(platform, sender), kind === "direct", conversationId, accountId);
}

async function statusText(event: InboundEvent, sessionKey: SessionKey, deps: CommandDeps): Promise<string> {
  const { head } = deps;
  const words = wordsFor(event);
  const { notices, backgroundNotices } = words;
  const [session, running, calls, spending, elsewhere] = await Promise.all([
    deps.operations.session(sessionKey),
    deps.background.running(sessionKey),
    deps.calls.waiting(sessionKey),
    spendingText(event, deps),
    deps.waitingElsewhere(),
  ]);
  const asked = toBeAnswered(calls, words);
  const waits = asked.length === 0 ? "" : notices.toBeAnswered(asked);
  const model = session && deps.choices ? notices.answersWith(chosenIn(session.chosen ?? {}, deps.choices)) : "";
  const others = elsewhere === 0 ? "" : notices.waitElsewhere(elsewhere);
  const count = running.length + (head?.running.length ?? 0);
  const processes = count === 0 ? "" : backgroundNotices.count(count);
  const above = head !== undefined && isUnanswered(head.found) ? notices.aboutHead(words.where.is(head.found)) : "";
  return [above, sessionText(session, asked.length > 0, above !== "", words), processes, model, waits, others, spending]
    .filter((text) => text !== "")
    .join("\n\n");
}

function sessionText(
  session: SessionSummary | undefined,
  hasAsked: boolean,
  isBelowWork: boolean,
  { notices }: Words,
): string {
  if (session === undefined) return isBelowWork ? "" : notices.neverSpoken;
  const { running: isOpen, asking: isAsking, waiting } = session;
  const doing = isOpen && !isAsking ? "works" : hasAsked ? "asks" : isBelowWork ? "nothing_in_thread" : "nothing";
  return notices.status({ doing, waiting });
}
