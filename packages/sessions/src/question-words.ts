import { brandAs, type Choice, type InboundEvent, type MessageId } from "@talaria/protocol";
import type { CallStore } from "@talaria/store";
import { plainLabel } from "./answer.ts";
import { withoutClosing } from "./closing-lines.ts";
import { type GivenCommand, pressedCommand } from "./commands.ts";
import { mayBeDecision } from "./decision-words.ts";

/** `Let in` is the first button, `Ignore` the second. */
const agrees = /^(?:(?:approve|yes|ok)(?:,? let (?:them|him|her|it) in)?|let (?:them|him|her|it) in)$/;
const declines = /^(?:deny|no)$/;
/** In a thread below a question the agent is talked to as well: there only what means nothing else. */
const inThread = /^(?:approve|deny)$/;
const longest = 120;

interface Deps {
  readonly calls: Pick<CallStore, "choicesShownIn">;
}

/**
 * What an owner's words decide that answer, alone with the agent, the question about a person or a group: the label or the number of a button,
 * or a word that agrees or does not. Undefined for all other words: those go to the agent.
 */
export async function questionWordsIn(event: InboundEvent, deps: Deps): Promise<GivenCommand | undefined> {
  if (event.type !== "message.created" || event.message.attachments.length > 0) return undefined;
  const { message, sender } = event;
  const said = plainLabel(withoutClosing(message.markdown.trim(), sender.displayName).replace(/\s+/g, " "));
  if (said === "" || said.length > longest) return undefined;
  const { choices } = await questionAnswered(event, deps);
  const choice = choiceMeant(said, choices, message.replyTo !== undefined);
  const command = choice && pressedCommand(choice.id);
  return command && { ...command, isAnswer: true };
}

/** The labels of the open question that an event answers, where its words may be meant as a decision. None where they can't be. */
export async function labelsOfUnsure(event: InboundEvent, deps: Deps): Promise<readonly string[]> {
  if (event.type !== "message.created" || event.message.replyTo === undefined) return [];
  if (!mayBeDecision(event.message.markdown)) return [];
  const { choices, isOpen } = await questionAnswered(event, deps);
  return isOpen ? choices.map(({ label }) => label) : [];
}

function choiceMeant(said: string, choices: readonly Choice[], isReply: boolean): Choice | undefined {
  const labelled = choices.find(({ label }) => plainLabel(label) === said);
  if (labelled !== undefined || !(isReply || inThread.test(said))) return labelled;
  if (agrees.test(said)) return choices[0];
  if (declines.test(said)) return choices[1];
  return /^[1-9]$/.test(said) ? choices[Number(said) - 1] : undefined;
}

/** Those of the message that an event answers, or below which its thread stands: threads are named by their first message. */
async function questionAnswered(
  { conversation, message }: Extract<InboundEvent, { readonly type: "message.created" }>,
  { calls }: Deps,
): ReturnType<CallStore["choicesShownIn"]> {
  const { kind, threadId } = conversation;
  const head = threadId === undefined ? undefined : brandAs<MessageId>(threadId);
  const messageId = message.replyTo ?? head;
  return kind !== "direct" || messageId === undefined
    ? { choices: [], isOpen: false }
    : await calls.choicesShownIn(conversation, messageId);
}
