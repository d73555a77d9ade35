import { createHash } from "node:crypto";
import type { Clock, Conversation, Derived, Log, SessionKey, TurnId } from "@talaria/protocol";
import type { AskedCall, Authorise } from "./authorise.ts";
import { needsWorkspace } from "./call-tool.ts";
import { type ChosenTools, chooseTools } from "./choose-tools.ts";
import { notesFrom } from "./context/ask-for-notes.ts";
import { estimateTokens } from "./context/estimate-tokens.ts";
import { TurnWindow } from "./context/turn-window.ts";
import { visibleEntries } from "./context/visible-entries.ts";
import { WindowBudget } from "./context/window-budget.ts";
import type { FactAccess } from "./facts.ts";
import type { FileTaint, MarkedCalls, OneCall } from "./file-taint.ts";
import { FolderInstructions } from "./folder-instructions.ts";
import type { NoteBeside } from "./go-on-beside.ts";
import { Inbox } from "./inbox.ts";
import type { ToolResultEntry, TranscriptEntry } from "./journal.ts";
import { lastPlan } from "./last-plan.ts";
import { filesOf, type MediaAccess, noMedia } from "./media.ts";
import type { MessageAccess } from "./messages.ts";
import type { ModelPort, ModelRequest, ToolSpec } from "./model.ts";
import { renderEntries } from "./render.ts";
import { shownSoFar } from "./reply-text.ts";
import { withRetries } from "./retries.ts";
import type { RunningTurn } from "./running-turn.ts";
import type { SkillAccess } from "./skill-access.ts";
import { type LaterNews, type Tool, toolSpecs } from "./tool.ts";
import type { BatchSettings } from "./tool-batch.ts";
import type { TurnEvent, TurnOutcome } from "./turn-event.ts";
import { derivedAskers, rolesOf, speakersOf, TurnJournal } from "./turn-journal.ts";
import { takeStep } from "./turn-step.ts";
import type { Workspace } from "./workspace.ts";

export interface TurnInput {
  readonly turnId: TurnId;
  readonly sessionKey: SessionKey;
  readonly system: string;
  /** Several people write in this conversation. */
  readonly shared: boolean;
  /** Settled turns, oldest first, from the same first entry each time. */
  readonly history: readonly TranscriptEntry[];
  /** This turn so far: its user entries and, when it is resumed, everything that was journaled. */
  readonly journal: readonly TranscriptEntry[];
  readonly tools: readonly Tool[];
  readonly conversation: Conversation;
  /** Answers of the model in one turn, at most. */
  readonly maxSteps: number;
  /** Characters of the whole reply, at most. */
  readonly maxOutputChars: number;
  /** Characters of one tool result, at most; the middle of a longer one is left out. It may be less where the window is small. */
  readonly maxToolOutputChars: number;
  /** Estimated tokens of all tools' schemas above which those on demand are found by `find_tools`. Default: any number. */
  readonly toolTokens?: number;
  /** The window of the model. */
  readonly windowTokens: number;
  /** What an answer may take of it. */
  readonly answerTokens: number;
  /** Somebody has asked for the conversation to be shortened. */
  readonly compact?: boolean;
  /** Results bring what the folders that they touch say to agents. Default: they don't. */
  readonly showsInstructions?: boolean;
  /** Calls of other turns in this conversation that wait for approval or for an answer. Default: none. */
  readonly questions?: number;
  /** Somebody waits behind this turn: it doesn't wait for calls, the model goes on without their answers. */
  readonly isHurried?: boolean;
}

export interface TurnDeps {
  readonly model: ModelPort;
  /** Ends the turn as `aborted`, promptly even when a model or tool ignores it. */
  readonly signal: AbortSignal;
  /** The time of the turn is over: what runs is ended, and the model may say what it has found. Without it, `signal` alone ends it. */
  readonly timeUp?: AbortSignal;
  /**
   * Takes what people have said meanwhile into the turn: writes `unwritten` and the entries made of it into the journal,
   * all or none, and gives all that it wrote. Writes and gives nothing when nobody has said anything. Asked after every
   * round of calls and before the turn ends; never cut short, since what it has taken must be answered.
   */
  steering(unwritten: readonly TranscriptEntry[]): Promise<readonly TranscriptEntry[]>;
  /** Whether somebody has said something that `steering` would take. Asked while long calls run; without it, each is waited for. */
  readonly wordsWait?: () => Promise<boolean>;
  /** Without it, every call may run. */
  readonly authorise?: Authorise;
  /** Calls that began in a process which is gone, and whose question to people nobody had answered. Default: none. */
  readonly unanswered?: ReadonlySet<string>;
  /** Without it, no file of the workspace counts as a stranger's. */
  readonly fileTaint?: FileTaint;
  /** Opens the session's workspace, when a tool that declares `exec` or `fs.*` is called. */
  readonly openWorkspace?: () => Promise<Workspace>;
  /** What untrusted content entries hold, for what is made of them. Without it, none. */
  readonly taintOf?: (entries: readonly TranscriptEntry[]) => Derived["taint"];
  /** Adds decisions and reasons to what stands for a conversation that is shortened. Without it, that stands for itself. */
  readonly notesModel?: ModelPort;
  /** Takes what a call tells later, see `ToolContext`. Without it, no call can. */
  readonly tellLater?: (callId: string, news: LaterNews) => void;
  /** See `NoteBeside`. Without it, no call goes on beside its turn. */
  readonly noteBeside?: NoteBeside;
  /** Without it, tools reach no other conversation. */
  readonly messages?: MessageAccess;
  /** What a call may see and change of what is kept beyond the session. Without it, nothing is. */
  readonly facts?: (asked: AskedCall) => FactAccess;
  /** The same for skills that it writes. */
  readonly skills?: (asked: AskedCall) => SkillAccess;
  /** Asked once the conversation was shortened: the prompt from then on. Undefined, or without it: as it was. */
  readonly renewPrompt?: () => Promise<string | undefined>;
  /** Without it, tools find no files. */
  readonly media?: MediaAccess;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * One batch of messages in, one reply out. The reader sets the pace and writes what `journal` events carry; after a
 * crash the turn goes on from there. The `text.delta`s since the start or the last `text.restart`, joined, are always
 * the reply so far. Throws only what `steering` and `renewPrompt` throw.
 */
export async function* runTurn(input: TurnInput, given: TurnDeps): AsyncGenerator<TurnEvent, TurnOutcome> {
  const { clock, log, signal: ending, timeUp } = given;
  const signal = timeUp === undefined ? ending : AbortSignal.any([ending, timeUp]);
  const deps: TurnDeps = { ...given, signal };
  const journal = new TurnJournal(input.turnId, input.journal);
  const chosen = chooseTools(input.tools, [...input.history, ...input.journal], input.toolTokens);
  const specs = toolSpecs(chosen.shown);
  const promptTokens = estimateTokens(input.system);
  const budget = new WindowBudget(input, promptTokens + estimateTokens(JSON.stringify(specs)));
  const window = turnWindow(input, deps, journal, budget, promptTokens, chosen);
  let { system } = input;
  const turn: RunningTurn = {
    journal,
    signal,
    ending,
    log,
    model: withRetries(deps.model, { clock, log, random: jitterOf(input.turnId) }),
    window,
    request: requestMaker(input, () => system, specs, window, chosen.callable.some(needsWorkspace)),
    shortened: async () => {
      system = (await deps.renewPrompt?.()) ?? system;
    },
    batch: batchSettings(input, chosen, deps, journal, (results) => budget.roomForEach(results, window.entries)),
    shown: () => shownSoFar(journal.entries),
    steering: (unwritten) => deps.steering(unwritten),
    maxSteps: input.maxSteps,
    maxOutputChars: input.maxOutputChars,
    isHurried: input.isHurried ?? false,
  };
  const earlier = shownSoFar(journal.entries);
  if (earlier.text !== "") yield { type: "text.delta", text: earlier.text };
  // Whoever had the turn before may have died when it was about to look.
  if (journal.isBetweenSteps && !signal.aborted) journal.add(await turn.steering([]));
  for (;;) {
    const outcome = yield* takeStep(turn);
    if (outcome?.status === "suspended") return outcome;
    if (outcome !== undefined) return { ...outcome, context: window.report(outcome.final) };
  }
}

function turnWindow(
  input: TurnInput,
  deps: TurnDeps,
  journal: TurnJournal,
  budget: WindowBudget,
  promptTokens: number,
  { hidesOnDemand }: ChosenTools,
): TurnWindow {
  const { history, conversation, sessionKey, compact = false } = input;
  const { clock, log, signal, media = noMedia, taintOf = () => [], notesModel: model } = deps;
  return new TurnWindow({
    ...{ history, journal, budget, promptTokens, hidesOnDemand, compact, media, signal, clock, taintOf },
    platform: conversation.platform,
    audience: [`${conversation.accountId}/${conversation.conversationId}`],
    notesOn: model && notesFrom({ model, sessionKey, signal, clock, log }),
  });
}

/** The request for the next answer: everything said and done so far, as far as it is shown. */
function requestMaker(
  { sessionKey, shared, conversation }: TurnInput,
  system: () => string,
  tools: readonly ToolSpec[],
  window: TurnWindow,
  inbox: boolean,
): () => ModelRequest {
  const options = { shared, platform: conversation.platform, inbox };
  return () => {
    const { entries, guess } = window;
    const messages = renderEntries(visibleEntries(entries), options);
    return {
      system: system(),
      tools,
      cacheKey: sessionKey,
      messages,
      ...(guess !== undefined && { estimatedTokens: guess }),
    };
  };
}

function batchSettings(
  input: TurnInput,
  { callable, shown }: ChosenTools,
  {
    clock,
    log,
    signal,
    authorise,
    unanswered,
    fileTaint,
    openWorkspace,
    tellLater,
    noteBeside,
    wordsWait,
    messages,
    facts,
    skills,
    media = noMedia,
  }: TurnDeps,
  journal: TurnJournal,
  roomForEach: BatchSettings["roomForEach"],
): BatchSettings {
  const { turnId, sessionKey, conversation, maxToolOutputChars, history, system, questions = 0 } = input;
  const visible = () => ({ system, entries: visibleEntries([...history, ...journal.entries]) });
  const tools = new Map(callable.map((tool) => [tool.name, tool]));
  const askedOf: AskedOf = (one, meanwhile) => {
    const entries = [...journal.entries, ...meanwhile];
    return { ...one, conversation, system, tools, history, journal: entries };
  };
  const marks = fileTaint && markedCalls(fileTaint, askedOf);
  return {
    clock,
    log,
    signal,
    journal,
    maxToolOutputChars,
    earlierQuestions: questions,
    roomForEach,
    tools,
    shownTools: new Set(toolSpecs(shown).map(({ name }) => name)),
    earlierSpeakers: speakersOf(history),
    earlierRoles: rolesOf(history, derivedAskers(history)),
    earlierFiles: filesOf(history),
    earlierPlan: lastPlan(history),
    authorise: (tool, call, parsed, askers, meanwhile) =>
      authorise?.(askedOf({ tool, call, input: parsed, askers }, meanwhile)) ?? allowed,
    ...(facts && { facts: (one: OneCall, meanwhile) => facts(askedOf(one, meanwhile)) }),
    ...(skills && { skills: (one: OneCall, meanwhile) => skills(askedOf(one, meanwhile)) }),
    ...(unanswered === undefined ? {} : { unanswered }),
    ...(marks === undefined ? {} : { files: marks }),
    ...(openWorkspace === undefined ? {} : { openWorkspace }),
    inbox: new Inbox({ media, log, files: marks }),
    ...(input.showsInstructions === true ? { instructions: new FolderInstructions({ visible, log }) } : {}),
    ...(tellLater === undefined ? {} : { tellLater }),
    ...(noteBeside === undefined ? {} : { noteBeside }),
    ...(wordsWait === undefined ? {} : { wordsWait }),
    context: { turnId, sessionKey, conversation, media, ...(messages === undefined ? {} : { messages }) },
  };
}

type AskedOf = (one: OneCall & Pick<AskedCall, "askers">, meanwhile: readonly ToolResultEntry[]) => AskedCall;

function markedCalls(files: FileTaint, askedOf: AskedOf): MarkedCalls {
  return {
    mark: (one, meanwhile) => files.mark(askedOf(one, meanwhile ?? []), meanwhile !== undefined),
    brings: (one) => files.brings(one),
    markPath: (path) => files.markPath(path),
  };
}

const allowed = { decision: "allow" } as const;

/** Numbers from 0 up to 1 that differ between turns, so that turns that failed together do not come back together. */
function jitterOf(turnId: TurnId): () => number {
  let draw = 0;
  return () => {
    draw += 1;
    return createHash("sha256").update(`${turnId} ${draw}`).digest().readUInt32BE(0) / 2 ** 32;
  };
}
