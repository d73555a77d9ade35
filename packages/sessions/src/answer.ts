import { askedQuestion, type InboundEvent, isAtLeast, type SessionKey } from "@talaria/protocol";
import type { CallStore, OpenCall } from "@talaria/store";
import type { GivenCommand } from "./commands.ts";
import { type DecisionSettlement, isSamePlace, refusal, settlement } from "./decide.ts";
import { notices } from "./notices.ts";

export interface AnswerDeps {
  readonly calls: Pick<CallStore, "find" | "waiting">;
}

/** Longer texts are no answers: nobody looks whether a question waits. */
const longestAnswer = 120;

/** What `/answer <id> <number>` and the buttons of a question do: whoever was asked chooses, once, where it was asked. */
export async function answer(
  command: GivenCommand,
  event: InboundEvent,
  { calls }: AnswerDeps,
): Promise<DecisionSettlement> {
  const [id = "", number = ""] = (command.argument ?? "").toLowerCase().split(/\s+/);
  const call = await calls.find(id);
  const choice = call === undefined ? undefined : choicesOf(call)[Number(number) - 1];
  if (call === undefined || choice === undefined || !isSamePlace(call, event))
    return settlement(command, event, notices.nothingToAnswer);
  if (!isAsked(call, event)) return refusal(event, notices.notAsked);
  return {
    ...settlement(command, event, notices.answered(choice)),
    idleMarkdown: notices.answeredBefore,
    effect: {
      kind: "decide",
      id: call.id,
      sessionKey: call.sessionKey,
      settlement: "answered",
      by: event.sender,
      content: choice,
    },
    wakes: call.sessionKey,
  };
}

/**
 * The answer that a message is: the number or the exact label of a choice of a question that waits for its sender here.
 * Undefined for all other words, and where two questions could be meant: those go to the agent.
 */
export async function answerIn(
  event: InboundEvent,
  sessionKey: SessionKey,
  { calls }: AnswerDeps,
): Promise<GivenCommand | undefined> {
  if (event.type !== "message.created" || event.message.attachments.length > 0) return undefined;
  const { markdown, mentionsSelf } = event.message;
  if (markdown.length > longestAnswer) return undefined;
  const plain = markdown.replace(/\s+/g, " ").trim();
  const said = mentionsSelf ? plain.replace(/^@\S+ /, "") : plain;
  const waiting = (await calls.waiting(sessionKey)).filter(({ isOverdue }) => !isOverdue);
  const asked = waiting.filter((call) => isAsked(call, event) && isSamePlace(call, event));
  const found = asked.flatMap((call) => {
    const number = numberOf(said, choicesOf(call));
    return number === undefined ? [] : [`${call.id} ${number}`];
  });
  const [argument] = found;
  return argument === undefined || found.length > 1 ? undefined : { name: "answer", argument };
}

/** A label goes before a number, where labels are numbers. */
function numberOf(said: string, choices: readonly string[]): number | undefined {
  const index = choices.indexOf(said);
  if (index >= 0) return index + 1;
  return /^[1-9]$/.test(said) && Number(said) <= choices.length ? Number(said) : undefined;
}

function choicesOf(call: OpenCall): readonly string[] {
  return call.waitsFor === "form" ? (askedQuestion(call)?.choices ?? []) : [];
}

/** Whoever asked the agent is asked. Nobody answers under an id that was not checked. */
function isAsked({ askers }: OpenCall, { sender }: InboundEvent): boolean {
  if (sender.role !== "person" || sender.assurance === "claimed") return false;
  return askers.some((one) => one.sender.userId === sender.userId && isAtLeast(one.role, "guest"));
}
