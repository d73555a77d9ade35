import { type AccountPolicy, type InboundEvent, isAtLeast, type Role, type SessionKey } from "@talaria/protocol";
import type { DirectSettlement, Memory, MemoryEffect, MemoryStore, MemoryTurn, StoredContext } from "@talaria/store";
import { compressibleTokens, longestTitle, plainLine, type Words, wordsFor } from "@talaria/words";
import type { Authority } from "./authority.ts";
import type { GivenCommand, MemoryCommand } from "./commands.ts";
import { noticeTo } from "./control.ts";
import { roleOf } from "./role.ts";
import { type BackgroundDeps, endsWithMemory } from "./still-running.ts";

/** Turns that one `/undo` takes back, at most. */
const mostUndone = 20;
/** Turns and memories in which words are looked for. */
const searched = 100;
const mostMemories = 200;
/** Memories that are shown. */
const mostListed = 10;
/** Of what is less nothing can be won that anybody would notice: so many tokens, or this share of the window. */
const leastCompressed = { tokens: 1_000, share: 1 / 20 };

export interface MemoryCommandDeps extends BackgroundDeps {
  readonly memories: MemoryStore;
  readonly policy: AccountPolicy;
}

/** One command, who gives it, and what the session remembers now. */
interface Asked {
  readonly event: InboundEvent;
  readonly sessionKey: SessionKey;
  readonly role: Role;
  readonly argument: string | undefined;
  readonly memory: Memory;
  readonly isBusy: boolean;
  readonly memories: MemoryStore;
  readonly policy: AccountPolicy;
  readonly words: Words["memoryNotices"];
}

type Answer =
  | string
  | { readonly markdown: string; readonly effect: MemoryEffect }
  | { readonly refused: string; readonly reason: string };

/**
 * What these commands do and answer, ready to be committed as one. Everything is read, and done, under the key of the event's
 * session alone. What was read may be outdated when it is committed: then the store does nothing, and the notice says so.
 */
export async function memorySettlement(
  given: GivenCommand & { readonly name: MemoryCommand },
  event: InboundEvent,
  sessionKey: SessionKey,
  who: { readonly role: Role; readonly authority: Exclude<Authority, "refused"> },
  deps: MemoryCommandDeps,
): Promise<DirectSettlement> {
  const { name, argument } = given;
  const answer = await answerTo(given, event, sessionKey, who, deps);
  const { memoryNotices } = wordsFor(event);
  const notice = (markdown: string) => ({ ...noticeTo(event, "command", markdown), sessionKey });
  if (typeof answer === "string")
    return { event, outcome: "command", reason: `command:${name}`, notice: notice(answer) };
  if ("refused" in answer) {
    // A group is told once an hour who may do what, and each time whose words these are.
    const topic = answer.reason === "needs_member" ? "refused" : undefined;
    return {
      event,
      outcome: "refused",
      reason: answer.reason,
      notice: noticeTo(event, "command", answer.refused, topic),
    };
  }
  const ends = await endsWithMemory(event, answer.effect, deps);
  return {
    event,
    outcome: "command",
    reason: `command:${name}`,
    notice: notice([answer.markdown, ends].filter((text) => text !== "").join("\n\n")),
    effect: answer.effect,
    idleMarkdown: memoryNotices.busy([name, argument].filter(Boolean).join(" ")),
  };
}

async function answerTo(
  { name, argument }: GivenCommand & { readonly name: MemoryCommand },
  event: InboundEvent,
  sessionKey: SessionKey,
  { role, authority }: { readonly role: Role; readonly authority: Exclude<Authority, "refused"> },
  { memories, policy }: MemoryCommandDeps,
): Promise<Answer> {
  const { memoryNotices: words, notices } = wordsFor(event);
  const isRead = name === "context" || (name === "title" && argument === undefined);
  if (authority !== "allowed" && !isRead) return { refused: words.needsMember(name), reason: "needs_member" };
  const found = await memories.current(sessionKey);
  if (found === undefined) return notices.neverSpoken;
  return await answers[name]({ ...found, event, sessionKey, role, argument, memories, policy, words });
}

const answers: Readonly<Record<MemoryCommand, (asked: Asked) => Answer | Promise<Answer>>> = {
  undo,
  branch,
  resume,
  title,
  context: ({ memory, words }) => (memory.context === undefined ? words.contextUnknown : words.context(memory.context)),
  compact,
};

function compact({ memory, sessionKey, isBusy, words }: Asked): Answer {
  const { context } = memory;
  if (memory.lastUsedAt === undefined) return words.empty;
  if (memory.compact) return words.compactingAlready;
  if (!isBusy && context !== undefined && isTooLittle(context)) return words.tooLittle(context);
  return { markdown: words.compacting, effect: { kind: "compact", sessionKey } };
}

/** A summary would take about as much. What the last one stands for is as short as it gets. */
function isTooLittle(context: StoredContext): boolean {
  return compressibleTokens(context) < Math.min(leastCompressed.tokens, context.windowTokens * leastCompressed.share);
}

async function undo(asked: Asked): Promise<Answer> {
  const { argument = "1", sessionKey, memories, isBusy, words } = asked;
  const count = wholeNumber(argument);
  if (count === undefined || count < 1 || count > mostUndone) return words.undoUsage(mostUndone);
  if (isBusy) return words.busy("undo");
  const turns = await memories.turns(sessionKey, count);
  if (turns.length === 0) return words.empty;
  const refusal = refusedUndo(turns, asked);
  if (refusal !== undefined) return { refused: refusal, reason: "owners_turn" };
  const effect = { kind: "undo", sessionKey, turns: turns.map(({ turnId }) => turnId) } as const;
  return { markdown: words.undone(turns), effect };
}

/** In a group nobody takes back what an owner has asked. Who is one is decided as it is now. */
function refusedUndo(turns: readonly MemoryTurn[], { event, role, policy, words }: Asked): string | undefined {
  const isShared = event.conversation.kind !== "direct" && policy.sessions.groups !== "sender";
  if (!isShared || isAtLeast(role, "owner")) return undefined;
  const ofOwner = turns.find(({ asked }) => asked.some(({ sender }) => roleOf(sender, policy, false) === "owner"));
  if (ofOwner !== undefined) return words.ownersTurn(ofOwner);
  return turns.some(({ asked }) => asked.length === 0) ? words.unknownAskers : undefined;
}

async function branch(asked: Asked): Promise<Answer> {
  const { argument, event, sessionKey, memory, isBusy, memories, words } = asked;
  if (isBusy) return words.busy("branch");
  const title = branchTitle(memory, await memories.list(sessionKey, mostMemories));
  const replied = event.type === "message.created" ? event.message.replyTo : undefined;
  if (argument === undefined && replied === undefined) {
    if (memory.lastUsedAt === undefined) return words.empty;
    return { markdown: words.branched(undefined, memory), effect: { kind: "branch", sessionKey, title } };
  }
  const point = await branchPoint(asked, replied);
  if (point === undefined) return words.noBranchPoint;
  const { turnId } = point;
  return { markdown: words.branched(point, memory), effect: { kind: "branch", sessionKey, turnId, title } };
}

/** A branch of a branch is one of what that began with. Of several each has its number behind it. */
function branchTitle({ title, beginning, number }: Memory, all: readonly Memory[]): string {
  const [, trunk] = /^(?:Branch of )+(.*?)(?: \(\d{1,4}\))?$/.exec(title ?? "") ?? [];
  const name = `Branch of ${trunk || (title ?? beginning ?? number)}`;
  const taken = new Set(all.map((memory) => memory.title));
  for (let n = 1; ; n += 1) {
    const behind = n === 1 ? "" : ` (${n})`;
    const given = plainLine(name, longestTitle - behind.length) + behind;
    if (!taken.has(given)) return given;
  }
}

type MessageId = Parameters<MemoryStore["turnOf"]>[1]["messageId"];

/** A number counts back, words are somebody's; else it is the message that is answered. */
async function branchPoint(
  { argument, event, sessionKey, memories }: Asked,
  replied: MessageId | undefined,
): Promise<MemoryTurn | undefined> {
  if (argument === undefined) {
    const { accountId, conversationId } = event.conversation;
    return replied && (await memories.turnOf(sessionKey, { accountId, conversationId, messageId: replied }));
  }
  const back = wholeNumber(argument);
  if (back !== undefined) return back >= searched ? undefined : (await memories.turns(sessionKey, back + 1))[back];
  const sought = foldedWords(argument);
  const turns = sought === "" ? [] : await memories.turns(sessionKey, searched);
  return turns.find(({ asked }) => asked.some((one) => foldedWords(one.words).includes(sought)));
}

async function resume({ argument, sessionKey, memory, isBusy, memories, words }: Asked): Promise<Answer> {
  const all = await memories.list(sessionKey, mostMemories);
  if (all.length === 0) return words.empty;
  if (argument === undefined) return words.memories(all.slice(0, mostListed), all.length > mostListed);
  const found = memoriesMeant(argument, all);
  const [chosen] = found;
  if (chosen === undefined) return words.noMemory;
  if (found.length > 1) return words.severalMemories(found.slice(0, mostListed));
  if (chosen.isCurrent) return words.isCurrent(chosen);
  if (isBusy) return words.busy(`resume ${chosen.number}`);
  const former = memory.lastUsedAt === undefined ? undefined : memory;
  const effect = { kind: "resume", sessionKey, number: chosen.number } as const;
  return { markdown: words.resumed(chosen, former), effect };
}

/** A number is a memory's; words that are a whole title mean that one. */
function memoriesMeant(argument: string, all: readonly Memory[]): readonly Memory[] {
  const number = wholeNumber(argument);
  if (number !== undefined) return all.filter((memory) => memory.number === number);
  const sought = foldedWords(argument);
  if (sought === "") return [];
  const names = all.map((memory) => ({ memory, words: foldedWords(memory.title ?? memory.beginning ?? "") }));
  const whole = names.filter(({ words }) => words === sought);
  return (whole.length > 0 ? whole : names.filter(({ words }) => words.includes(sought))).map((one) => one.memory);
}

function title({ argument, memory, sessionKey, words }: Asked): Answer {
  if (argument === undefined) return words.title(memory);
  const { length } = [...plainLine(argument, argument.length)];
  if (length > longestTitle) return words.titleTooLong(length);
  const given = plainLine(argument, longestTitle);
  if (!/[\p{L}\p{N}]/u.test(given)) return words.titleEmpty;
  return { markdown: words.titled(given), effect: { kind: "title", sessionKey, title: given } };
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function foldedWords(text: string): string {
  return plainLine(text.normalize("NFKC"), text.length + 1).toLowerCase();
}
