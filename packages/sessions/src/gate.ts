import {
  type Acceptance,
  type AcceptOptions,
  type AccountPolicy,
  type BusyMode,
  type InboundEvent,
  isAtLeast,
  type SessionKey,
} from "@talaria/protocol";
import type { Deferral, DirectSettlement, InboxEntry, SessionEffect, Settled } from "@talaria/store";
import { wordsFor } from "@talaria/words";
import { letIn } from "./access.ts";
import { askForAccess } from "./access-request.ts";
import { admit, type Decision } from "./admit.ts";
import { type AlbumMemory, albumDeferMs, albumOf, createAlbumMemory } from "./albums.ts";
import { answerIn } from "./answer.ts";
import { arrivalOf } from "./arrival.ts";
import { askedAbove } from "./asked-above.ts";
import { authorityOver } from "./authority.ts";
import { isBareStop } from "./bare-stop.ts";
import { type GivenCommand, isFor } from "./commands.ts";
import { decisionAlone, decisionIn } from "./decision-words.ts";
import { askAboutGroup } from "./foreign-group.ts";
import { endFormerKind } from "./former-kind.ts";
import type { GateDeps } from "./gate-deps.ts";
import { givenSettlement } from "./given-settlement.ts";
import { joiningOf } from "./joining.ts";
import { Languages } from "./languages.ts";
import { type Loop, LoopGuard } from "./loop-guard.ts";
import { commandMeant, mistypedSettlement, onlyNear, skillNamed } from "./mistyped.ts";
import { createOrderedRunner } from "./ordered.ts";
import { hearingOf } from "./overheard.ts";
import { OwnersPlaces } from "./owners-place.ts";
import { paced } from "./paced.ts";
import type { Passing } from "./passing.ts";
import { pasteOf } from "./pastes.ts";
import { pressedOnce } from "./pressed-once.ts";
import { questionWordsIn } from "./question-words.ts";
import { RefusalLog } from "./refusal-log.ts";
import { readRole } from "./role.ts";
import { saidByQuestion } from "./said-by-question.ts";
import { sessionOf } from "./session-of.ts";
import { dropped, ignore, settle } from "./settle.ts";
import { skillsFor } from "./skills-for.ts";
import { withoutThreadHead, withThreadHead } from "./thread-head.ts";
import { unsureNotice } from "./unsure-decision.ts";

/** What an adapter hands its events to. Parts of an album are deferred without being told. */
export type Gate = (event: InboundEvent, options?: AcceptOptions) => Promise<Acceptance>;

/**
 * The way in. Resolves once the event is committed, known, or dropped on purpose; rejects when the store could not take
 * it, and then the platform must redeliver. Events of one conversation are committed in the order of the calls.
 */
export function createGate(given: GateDeps): Gate {
  const refusals = new RefusalLog(given.log);
  const count: GateDeps["count"] = (outcome, event, reason) => {
    refusals.note(outcome, event, reason);
    given.count(outcome, event, reason);
  };
  const deps = { ...given, count };
  const inOrder = createOrderedRunner();
  const memory = {
    albums: createAlbumMemory(),
    loops: new LoopGuard(),
    places: new OwnersPlaces(),
    languages: new Languages(),
  };
  return (event, options = {}) => {
    const { accountId, conversationId } = event.conversation;
    return inOrder(`${accountId}/${conversationId}`, () => pass(event, options, memory, deps));
  };
}

/** What the gate knows of events before this one. Lost with the process, which loosens its rules for a moment. */
interface Memory {
  readonly albums: AlbumMemory;
  readonly loops: LoopGuard;
  readonly places: OwnersPlaces;
  readonly languages: Languages;
}

async function pass(given: InboundEvent, options: AcceptOptions, memory: Memory, deps: GateDeps): Promise<Acceptance> {
  const { albums, loops, places, languages } = memory;
  const event = await arrivalOf(given, deps.inbox.now);
  const { accountId } = event.conversation;
  const policy = deps.policyOf(accountId);
  if (policy === undefined) return settle(event, deps, { outcome: "refused", reason: "unknown_account" });
  await endFormerKind(event.conversation, deps);
  const known = letIn(event, deps.pairing);
  const { approved } = known;
  const context = { ...known, maxTextChars: deps.maxTextChars };
  let decision = await admit(event, policy, { ...context, joins: albums.isKnown(event) });
  const role = () => readRole(event.sender, policy, approved);
  const above = await askedAbove(decision, { event, policy, role, deps });
  const sessionKey = above?.sessionKey ?? sessionOf(event, policy);
  const joins =
    above === undefined ? await isBareStop(decision, event, { sessionKey, policy, deps }) : decision.kind === "ignore";
  if (joins) decision = await admit(event, policy, { ...context, joins });
  const passing = { event, options, policy, sessionKey, approved, loops, deps, ...(above && { above }) };
  if (decision.kind === "ignore") {
    const traits = deps.traitsOf?.(accountId) ?? {};
    const ignored = await ignore(decision, event, policy, deps, joiningOf(event, sessionKey, policy, traits));
    if (ignored !== "joins") return ignored;
    decision = await admit(event, policy, { ...context, joins: true });
  }
  await places.note(decision, event, deps);
  await languages.note(decision, event, deps);
  const answered = decision.kind === "turn" ? await answeredIn(passing) : undefined;
  if (answered !== undefined) decision = { kind: "command", command: answered };
  if (decision.kind === "turn") decision = (await mistyped(passing)) ?? decision;
  if (decision.kind === "turn" || decision.kind === "command" || decision.kind === "mistyped") loops.addressed(event);
  if (decision.kind !== "turn") return carryOut(decision, passing);
  const loop = event.type === "message.deleted" ? undefined : loops.check(event, policy);
  if (loop !== undefined) return endLoop(loop, event, loops, deps);
  albums.remember(event);
  const outcome = await carryOut(decision, passing);
  if (outcome === "recorded" && event.type !== "message.deleted") loops.answered(event);
  return outcome;
}

/** What words answer or decide that people were asked. */
async function answeredIn({ event, sessionKey, above, deps }: Passing): Promise<GivenCommand | undefined> {
  const answered =
    (await questionWordsIn(event, deps)) ??
    (await answerIn(event, sessionKey, deps, above)) ??
    (await decisionIn(event, deps, above !== undefined));
  if (answered !== undefined || deps.traitsOf?.(event.conversation.accountId)?.noReplies !== true) return answered;
  return decisionAlone(event, sessionKey, deps);
}

async function mistyped({ event, policy, approved, deps }: Passing): Promise<Decision | undefined> {
  const [meant, word] = [commandMeant(event), skillNamed(event)];
  if (meant === undefined && word === undefined) return undefined;
  const role = await readRole(event.sender, policy, approved);
  const skills = word === undefined ? [] : await skillsFor(role, deps);
  if (word !== undefined && skills.includes(word)) return undefined;
  if (meant !== undefined && isFor(meant, role) && authorityOver(meant, event, role, policy) === "allowed")
    return { kind: "mistyped", meant };
  const near = word === undefined ? undefined : onlyNear(word, skills);
  return near === undefined ? undefined : { kind: "mistyped", meant: near };
}

async function endLoop(loop: Loop, event: InboundEvent, loops: LoopGuard, deps: GateDeps): Promise<Acceptance> {
  const notice = loop.isNews ? loop.notice : undefined;
  const outcome = await settle(event, deps, { outcome: "ignored", reason: loop.reason, notice });
  if (outcome === "dropped") loops.told(event);
  return outcome;
}

async function carryOut(decision: Decision, passing: Passing): Promise<Acceptance> {
  const { event, policy, sessionKey, deps } = passing;
  switch (decision.kind) {
    case "echo":
      deps.count("echo", event);
      return "dropped";
    case "ignore":
      return dropped(decision, event, policy, deps);
    case "refuse":
      // Before the event: whoever delivers it again after a failure asks only once.
      if (decision.reason === "group_not_allowed") await askAboutGroup(event, policy, deps);
      return settle(event, deps, { outcome: "refused", ...decision });
    case "pair":
      return askForAccess(passing);
    case "command":
      return runCommand(decision.command, passing);
    case "mistyped":
      return conclude(mistypedSettlement(decision.meant, event, sessionKey), "mistyped", sessionKey, passing);
    case "turn":
      return record(passing);
    default:
      return decision satisfies never;
  }
}

async function record(passing: Passing): Promise<Acceptance> {
  const { event: given, options, policy, sessionKey, above, approved, deps } = passing;
  const { accountId } = given.conversation;
  const traits = deps.traitsOf?.(accountId) ?? {};
  const pressed = traits.choices?.close ? pressedOnce(given) : given;
  const isHead = traits.threads === "talks" && above === undefined;
  const event = isHead ? await withThreadHead(pressed, sessionKey, policy, deps) : withoutThreadHead(pressed);
  const { replyTo = event.conversation, defer = albumDeferral(event) } = options;
  const paste = defer === undefined ? pasteOf(event, traits.cutsTextAt) : undefined;
  const mediaDeferMs = deps.mediaDeferMs?.(event);
  const mode = modeOf(event, policy);
  const role = () => readRole(event.sender, policy, approved);
  const unsure = await unsureNotice(passing, role);
  // Before the event: whoever delivers it again after a failure adds the notice only once.
  if (unsure !== undefined) await deps.outbox.add([unsure]);
  const recorded = await deps.inbox.record({
    sessionKey,
    event,
    route: above?.route ?? replyTo,
    mode,
    role: await role(),
    ...hearing(event, policy),
    ...(defer === undefined ? {} : { defer }),
    ...(paste === undefined ? {} : { paste }),
    ...(mediaDeferMs === undefined ? {} : { mediaDeferMs }),
  });
  deps.count(recorded.outcome, event);
  if (unsure !== undefined) deps.deliver(accountId);
  if (recorded.outcome === "duplicate") return "duplicate";
  deps.log.info({ accountId, eventId: event.id, sessionKey }, "event recorded");
  if (recorded.waitMs === undefined || recorded.waitMs === 0) deps.wake(sessionKey);
  else deps.wakeIn(sessionKey, defer?.key ?? paste?.key ?? event.id, recorded.waitMs);
  if (mode === "interrupt" && recorded.holder !== undefined) deps.cancel(recorded.holder, sessionKey);
  return "recorded";
}

async function runCommand(given: GivenCommand, passing: Passing): Promise<Acceptance> {
  const { event, options, policy, sessionKey, approved, deps } = passing;
  const command = given.name;
  const role = await readRole(event.sender, policy, approved);
  const authority = authorityOver(command, event, role, policy);
  if (authority === "refused") {
    const notice = wordsFor(event).notices.needsProof(command);
    return settle(event, deps, { outcome: "refused", reason: "unverified_sender", notice });
  }
  const forgetPlace = command === "new" ? hearingOf(event, policy)?.place : undefined;
  const { wakes = sessionKey, ...settled } = await givenSettlement(given, sessionKey, role, authority, passing);
  const said = saidByQuestion(settled, event);
  const settlement = options.tellRefused === undefined ? said : toldByButton(said, options.tellRefused);
  return conclude({ ...settlement, ...(forgetPlace === undefined ? {} : { forgetPlace }) }, command, wakes, passing);
}

/** Whoever may not press reads so at the button, and nobody else does. */
function toldByButton(settlement: DirectSettlement, tell: (words: string) => void): DirectSettlement {
  const { notice, ...rest } = settlement;
  if (settlement.outcome !== "refused" || notice === undefined) return settlement;
  tell(notice.markdown);
  return rest;
}

/** What several people may press, and one does. */
const decidingKinds: ReadonlySet<SessionEffect["kind"] | undefined> = new Set([
  "decide",
  "person",
  "add_person",
  "group",
  "lift",
]);

async function conclude(
  settlement: DirectSettlement,
  command: string,
  wakes: SessionKey,
  { event, options, policy, approved, loops, deps }: Passing,
): Promise<Acceptance> {
  const { accountId } = event.conversation;
  const role = await readRole(event.sender, policy, approved);
  const settled = await deps.inbox.settle(
    isAtLeast(role, "member") ? settlement : paced(settlement, event, command, loops),
  );
  if (settled.outcome === "duplicate") {
    deps.count("duplicate", event);
    return "duplicate";
  }
  // A platform that hears of a refusal leaves the buttons to those who may press them.
  if (settled.outcome === "refused" || settlement.outcome === "refused") {
    deps.count("refused", event, settlement.outcome === "refused" ? settlement.reason : "needs_member");
    deps.deliver(accountId);
    return "dropped";
  }
  deps.count("command", event, command);
  deps.log.info({ accountId, eventId: event.id, sessionKey: wakes, command }, "command carried out");
  const { effect } = settlement;
  if (effect?.kind === "title") deps.renamed?.(options.replyTo ?? event.conversation, effect.title);
  if (settled.outcome === "settled") tellOthers(settlement, settled, wakes, deps);
  // What was decided otherwise was not chosen by this press: its message loses its buttons and shows nothing else.
  const isTooLate = decidingKinds.has(effect?.kind) && settled.outcome === "settled" && !settled.applied;
  return isTooLate ? "duplicate" : "recorded";
}

function tellOthers(
  { event, effect }: DirectSettlement,
  settled: Extract<Settled, { readonly outcome: "settled" }>,
  wakes: SessionKey,
  deps: GateDeps,
): void {
  const { accountId } = event.conversation;
  for (const { holder, sessionKey } of settled.ended ?? []) deps.cancel(holder, sessionKey);
  for (const sessionKey of settled.takenUp?.sessions ?? []) deps.wake(sessionKey);
  for (const account of settled.takenUp?.accounts ?? []) deps.deliver(account);
  // A worker that has the session looks at once; else a turn that waits for nothing but an answer has to be ended or go on.
  if (settled.holder !== undefined) deps.cancel(settled.holder, wakes);
  else if (effect !== undefined) deps.wake(settled.wakes ?? wakes);
  deps.deliver(accountId);
  const isElsewhere = effect?.kind === "person" || effect?.kind === "add_person" || effect?.kind === "group";
  if (isElsewhere && effect.accountId !== accountId) deps.deliver(effect.accountId);
}

/** A message takes along what was overheard before it; a deletion takes out what it deletes. */
function hearing(event: InboundEvent, policy: AccountPolicy): Pick<InboxEntry, "overheard" | "forgetIn"> {
  const limits = hearingOf(event, policy);
  if (limits === undefined) return {};
  return event.type === "message.deleted" ? { forgetIn: limits.place } : { overheard: limits };
}

/** Only a new message waits for the rest of its album: an edit comes long after it. */
function albumDeferral(event: InboundEvent): Deferral | undefined {
  const key = event.type === "message.created" ? albumOf(event) : undefined;
  return key === undefined ? undefined : { key: `album ${key}`, ms: albumDeferMs };
}

/** Taking a message back says nothing new: it neither ends nor steers a running turn. */
function modeOf(event: InboundEvent, { busy }: AccountPolicy): BusyMode {
  if (event.type === "message.deleted") return "queue";
  return event.conversation.kind === "direct" ? busy.direct : busy.groups;
}
