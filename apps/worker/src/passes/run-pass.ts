import {
  holdsInstructions,
  type ModelPort,
  type Tool,
  type TranscriptEntry,
  transcriptEntrySchema,
} from "@talaria/agent";
import {
  audienceFor,
  decidePass,
  isPassLine,
  isTrusted,
  mayTeach,
  type PassAnswer,
  type PassEntry,
  type PassLine,
  passInstructions,
  passLines,
  passText,
  type Reach,
  reachOf,
} from "@talaria/memory";
import { chargesOf, rightsOf, type SpendingLimits } from "@talaria/policy";
import {
  type Asker,
  type Clock,
  type Conversation,
  type Fact,
  type FactSubject,
  instantOf,
  joinAskers,
  type Log,
  rolesIn,
} from "@talaria/protocol";
import type { FactStore, PassCost, PassLease, PassReading, PassStore, PassWrite, Spender } from "@talaria/store";
import { type AuthoriseOptions, taintIn } from "../authorise.ts";
import { everyoneIn } from "../first-facts.ts";
import { countUsage, type TurnMetrics } from "../turn-metrics.ts";
import { askForChanges } from "./ask-for-changes.ts";

/** Others may write the same subject: so often it is decided again. */
const mostAttempts = 30;
/** Whom a limit stops is not asked about again sooner, nor later. */
const waits = { leastMs: 60_000, mostMs: 86_400_000 };

export type PassOutcome = "kept" | "nothing" | "failed" | "given_up" | "postponed";

export interface PassDeps extends Pick<AuthoriseOptions, "commands"> {
  readonly passes: PassStore;
  readonly facts: Pick<FactStore, "of">;
  readonly model: ModelPort;
  readonly spending: SpendingLimits;
  /** Those whose results may hold only what the agent itself has made, by their names, for `taintIn`. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly metrics: Pick<TurnMetrics, "modelUsed" | "factsDropped">;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Goes through one conversation: what people wrote there themselves is shown to the model, and what it proposes is kept as if each line's
 * writer had taught it, with the end of the pass in one transaction. Rejects as the store does.
 */
export async function runPass(lease: PassLease, deps: PassDeps, signal: AbortSignal): Promise<PassOutcome> {
  const seen = await whatIsSeen(await deps.passes.read(lease), lease, deps);
  if (seen === undefined) {
    await deps.passes.finish(lease, undefined, undefined);
    return "nothing";
  }
  const { conversation, lines, shown, reach, askers } = seen;
  const spenders = spendersOf(askers, conversation, deps.spending);
  const reached = await deps.passes.reached(lease, spenders);
  if (reached.length > 0) {
    const endsInMs = Math.min(...reached.map((one) => one.endsInMs));
    await deps.passes.postpone(lease, Math.min(waits.mostMs, Math.max(waits.leastMs, endsInMs)));
    return "postponed";
  }
  const { sessionKey } = lease;
  const answer = await askForChanges({
    ...{ model: deps.model, sessionKey, clock: deps.clock, signal },
    instructions: passInstructions(reach.isPrivate),
    text: passText(lines, shown),
  });
  if (signal.aborted) {
    await deps.passes.postpone(lease, 0);
    return "postponed";
  }
  const entry = { kind: "note", text: "", ...(answer.usage && { usage: answer.usage }) } as const;
  countUsage([entry], deps.metrics);
  const { accountId, conversationId } = conversation;
  const cost: PassCost = {
    ...{ accountId, conversationId, spenders },
    answer: { ...entry, ...(answer.servedBy !== undefined && { model: answer.servedBy }) },
    people: askers.map(({ sender }) => `${accountId}/${sender.userId}`),
  };
  if ("failure" in answer) {
    const isGivenUp = await deps.passes.fail(lease, cost);
    deps.log.warn({ sessionKey, reason: answer.failure }, `the model for facts failed${isGivenUp ? " again" : ""}`);
    return isGivenUp ? "given_up" : "failed";
  }
  return await keep(answer, seen, { lease, cost }, deps);
}

interface Seen extends Pick<PassReading, "conversation"> {
  readonly lines: readonly (PassLine | PassAnswer)[];
  /** Everyone whose words the model reads, in whatever form. */
  readonly askers: readonly Asker[];
  readonly reach: Reach;
  readonly subject: FactSubject;
  /** The facts that the model reads. */
  readonly shown: readonly Fact[];
}

/** Undefined where nothing may be learnt. */
async function whatIsSeen(reading: PassReading, { sessionKey }: PassLease, deps: PassDeps): Promise<Seen | undefined> {
  const { conversation } = reading;
  const parsed = reading.entries.map(({ entry, ...more }) => ({ ...more, ...transcriptEntrySchema.safeParse(entry) }));
  const entries = parsed.flatMap(({ data, at, isNew }) => (data === undefined ? [] : [{ entry: data, at, isNew }]));
  const all = entries.map(({ entry }) => entry);
  const everyone = everyoneIn(all);
  const reach = reachOf({ sessionKey, conversation, askers: everyone });
  const scope = reach?.isPrivate ? "person" : "group";
  const subject = reach?.subjects.find((one) => one.scope === scope);
  if (reach === undefined || subject === undefined) return undefined;
  const { facts, settledAt = "" } = await deps.facts.of(subject);
  const fresh: readonly PassEntry[] = entries.filter(({ at, isNew }) => isNew && at > settledAt);
  // What the agent says is made of all that it has read.
  const isPlain =
    reading.isWhole &&
    entries.length === parsed.length &&
    everyone.every(mayTeach) &&
    !reading.prompts.some(holdsInstructions) &&
    isClean(all, deps);
  const lines = passLines(fresh, isPlain);
  const own = lines.filter(isPassLine);
  if (own.length === 0) return undefined;
  const askers = joinAskers([...own.map(({ sender, role }) => ({ sender, role })), ...(isPlain ? everyone : [])]);
  return { conversation, lines, askers, reach, subject, shown: facts.filter(isShownIn(reach, askers)) };
}

function isClean(entries: readonly TranscriptEntry[], { tools, commands }: PassDeps): boolean {
  return taintIn(entries, tools, { ...(commands && { commands }) }).length === 0;
}

/** No model that writes facts reads what strangers have taught. */
function isShownIn({ place, isPrivate }: Reach, [asker]: readonly Asker[]): (fact: Fact) => boolean {
  const trusting = isPrivate && asker !== undefined ? { person: asker.sender.userId } : {};
  return (fact) => isTrusted(fact, trusting) && (fact.derived.audience?.includes(place) ?? true);
}

/** Of tokens and money: a pass is no turn. */
function spendersOf(
  askers: readonly Asker[],
  { accountId, conversationId }: Conversation,
  limits: SpendingLimits,
): readonly Spender[] {
  return askers.map(({ sender, role }) => ({
    charges: chargesOf({ sender, role, accountId, conversationId }, limits)
      .filter(({ unit }) => unit !== "turns")
      .map(({ key, unit, windowMs, max }) => ({ key, unit, windowMs, max })),
  }));
}

async function keep(
  { changes: proposed, unreadable }: Extract<Awaited<ReturnType<typeof askForChanges>>, { readonly changes: unknown }>,
  { lines, askers, reach, subject }: Seen,
  { lease, cost }: { readonly lease: PassLease; readonly cost: PassCost },
  { passes, facts: store, clock, metrics, log }: PassDeps,
): Promise<PassOutcome> {
  const role = rightsOf(rolesIn(askers));
  const derived = { taint: [], askers, ...audienceFor(subject, reach, askers) };
  const isSeen = isShownIn(reach, askers);
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const { version, ...known } = await store.of(subject);
    const now = instantOf(clock.now());
    const { changes, dropped } = decidePass(proposed, lines.filter(isPassLine), {
      ...{ ...known, subject, isSeen, role, derived, now },
    });
    const writes = changes.map(
      ({ write, source }): PassWrite => ({ ...write, author: source.sender.userId, eventId: source.eventId }),
    );
    if (!(await passes.finish(lease, { ...subject, version, writes }, cost))) continue;
    metrics.factsDropped(dropped + unreadable);
    log.info(
      { sessionKey: lease.sessionKey, count: writes.length, dropped: dropped + unreadable },
      "gone through for facts",
    );
    return writes.length > 0 ? "kept" : "nothing";
  }
  log.warn(
    { sessionKey: lease.sessionKey },
    "others keep changing the same facts: nothing of the conversation is kept",
  );
  await passes.finish(lease, undefined, cost);
  return "given_up";
}
