import { type CallQuestion, type InboundEvent, longestWords, type SessionKey } from "@talaria/protocol";
import type { CallStore, OpenCall } from "@talaria/store";
import { wordsFor } from "@talaria/words";
import type { GivenCommand } from "./commands.ts";
import { type DecisionSettlement, isSamePlace, refusal, settlement } from "./decide.ts";
import { isAsked } from "./is-asked.ts";
import { questionOf } from "./question-of.ts";

export interface AnswerDeps {
  readonly calls: Pick<CallStore, "find" | "waiting" | "shownIn">;
}

/** Longer texts choose nothing. */
const longestChoice = 120;

/**
 * What `/answer <id> <number>` and the buttons of a question do: whoever was asked chooses, once, where it was asked. A question that
 * takes words takes those behind its number instead, unless they are one of its choices.
 */
export async function answer(
  command: GivenCommand,
  event: InboundEvent,
  { calls }: AnswerDeps,
): Promise<DecisionSettlement> {
  const { notices } = wordsFor(event);
  const [, id = "", said = ""] = /^(\S*)\s*([\s\S]*)$/.exec(command.argument ?? "") ?? [];
  const call = await calls.find(id.toLowerCase());
  const content = call === undefined ? undefined : answerOf(call, command.choice, said.trim());
  if (call === undefined || content === undefined || !isSamePlace(call, event))
    return settlement(command, event, notices.nothingToAnswer);
  if (!isAsked(call, event)) return refusal(event, notices.notAsked);
  return {
    ...settlement(command, event, notices.answered(content)),
    idleMarkdown: notices.answeredBefore,
    effect: {
      kind: "decide",
      id: call.id,
      sessionKey: call.sessionKey,
      settlement: "answered",
      by: event.sender,
      content,
    },
    wakes: call.sessionKey,
  };
}

function answerOf(call: OpenCall, choice: number | undefined, said: string): string | undefined {
  const { choices, takesWords } = questionOf(call);
  if (choice !== undefined) return choices[choice - 1];
  const number = numberOf(said, { choices, takesWords });
  if (number !== undefined) return choices[number - 1];
  return takesWords && said !== "" && said.length <= longestWords ? said : undefined;
}

/**
 * The answer that a message is: the number or the exact label of a choice of a question that waits for its sender here, or words
 * for one that takes them, by reply or, in a direct conversation, as the next ones. Undefined for all other words, and where two
 * questions could be meant: those go to the agent. `above`: the one whose question the event's thread stands below, which alone is meant.
 */
export async function answerIn(
  event: InboundEvent,
  sessionKey: SessionKey,
  { calls }: AnswerDeps,
  above?: OpenCall,
): Promise<GivenCommand | undefined> {
  if (event.type !== "message.created" || event.message.attachments.length > 0) return undefined;
  const { markdown, mentionsSelf } = event.message;
  if (markdown.length > longestWords) return undefined;
  const words = mentionsSelf
    ? markdown
        .trim()
        .replace(/^@\S+\s/, "")
        .trim()
    : markdown.trim();
  const said = words.replace(/\s+/g, " ");
  const waiting = above ? [above] : (await calls.waiting(sessionKey)).filter(({ isOverdue }) => !isOverdue);
  const asked = waiting.filter((call) => isAsked(call, event) && isSamePlace(call, event));
  const found = asked.flatMap((call) => {
    const choice = said.length > longestChoice ? undefined : numberOf(said, questionOf(call));
    return choice === undefined ? [] : [{ name: "answer" as const, argument: call.id, choice }];
  });
  if (found.length > 0) return found.length > 1 ? undefined : found[0];
  const open = asked.filter((call) => questionOf(call).takesWords);
  const [one] = open;
  if (one === undefined || open.length > 1 || words === "") return undefined;
  if (one !== above && !(await isMeant(one, event, calls))) return undefined;
  return { name: "answer", argument: `${one.id} ${words}` };
}

/** Whether somebody answers this question, and says nothing else. */
async function isMeant(
  { id }: OpenCall,
  { conversation, message: { replyTo } }: Extract<InboundEvent, { readonly type: "message.created" }>,
  calls: Pick<CallStore, "shownIn">,
): Promise<boolean> {
  if (replyTo === undefined) return conversation.kind === "direct";
  return (await calls.shownIn(conversation, replyTo)).some((shown) => shown.id === id);
}

/** A label goes before a number, where labels are numbers. Where words are taken, a number is one. */
function numberOf(said: string, { choices, takesWords }: CallQuestion): number | undefined {
  const index = choices.findIndex((choice) => plainLabel(choice) === plainLabel(said));
  if (index >= 0) return index + 1;
  return !takesWords && /^[1-9]\d?$/.test(said) && Number(said) <= choices.length ? Number(said) : undefined;
}

/** People write labels without their capitals, or end them as sentences. */
export function plainLabel(label: string): string {
  return label.toLowerCase().replace(/[.!]+$/, "");
}
