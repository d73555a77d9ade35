import {
  type AccountId,
  brandAs,
  type Conversation,
  type DeliveryKey,
  isHomeOf,
  type Log,
  mandateOf,
  type SessionKey,
} from "@talaria/protocol";
import { unaskedPauseFor, voidNotice } from "@talaria/sessions";
import type { CallStore, OpenCall, OutboxText } from "@talaria/store";
import { type Reader, wordsFor } from "@talaria/words";
import { type Repeated, repeat } from "./repeat.ts";

const everyMs = 10_000;

export interface CallExpiryDeps {
  readonly calls: Pick<CallStore, "overdue" | "abandoned" | "settle" | "homes">;
  /** Both are lossy and never throw. */
  readonly wake: (sessionKey: SessionKey) => void;
  readonly deliver: (accountId: AccountId) => void;
  readonly log: Log;
}

/** Settles calls that nobody has decided in time, and tells the people; and those whose worker is gone with what they waited for. Several gateways may do it: one of them counts. */
export function startCallExpiry(deps: CallExpiryDeps): Repeated {
  const seen = { abandoned: new Set<string>() };
  const failed = (error: unknown) => deps.log.warn({ error }, "overdue calls could not be read");
  return repeat(() => expire(deps, seen), { everyMs, failed });
}

/** One that can't be settled now, for example since its session is locked, keeps no other one waiting. */
async function expire(deps: CallExpiryDeps, seen: { abandoned: Set<string> }): Promise<void> {
  for (const calls of askedByOne(await deps.calls.overdue()))
    await expireTogether(calls, deps).catch((error: unknown) =>
      deps.log.warn({ sessionKey: calls[0]?.sessionKey, error }, "overdue calls were not settled"),
    );
  const abandoned = await deps.calls.abandoned();
  const before = seen.abandoned;
  seen.abandoned = new Set(abandoned.map(({ id }) => id));
  for (const call of abandoned) {
    const { id, sessionKey, shown, waitsFor, route } = call;
    // After an outage of the database every lease has run out; workers that live take theirs again before the next look.
    if (!before.has(id)) continue;
    // A process was noted as one that runs.
    const what = shown.replace(/^(p\d+) {2}running(?: {2}|$)/, "$1  ");
    const content = `It is gone with the worker that ran it, and how far it came is not known: ${what}`;
    // Nobody is left to read the answer of a call that ran there.
    const end =
      waitsFor === "form"
        ? ({ settlement: "cancelled" } as const)
        : ({ settlement: "answered", content, pause: unaskedPauseFor(readerOf(call)) } as const);
    const notice = waitsFor === "form" ? voidNotice(call) : undefined;
    const settled = await deps.calls.settle({ id, sessionKey, ...end }, notice).catch(() => false);
    if (settled) deps.wake(sessionKey);
    if (settled && notice !== undefined) deps.deliver(route.accountId);
  }
}

/** What a turn has asked people for their approval, as one message asks it; each other call for itself. */
function askedByOne(calls: readonly OpenCall[]): readonly (readonly OpenCall[])[] {
  const keyOf = ({ waitsFor, sessionKey, turnId, id }: OpenCall) =>
    JSON.stringify(waitsFor === "approval" ? [sessionKey, turnId] : [id]);
  return [...Map.groupBy(calls, keyOf).values()];
}

/** The notice is that of all, and goes with the first of them that is settled: its key is the same. */
async function expireTogether(calls: readonly OpenCall[], deps: CallExpiryDeps): Promise<void> {
  const [first] = calls;
  if (first === undefined) return;
  const told = await toldOf(first, deps.calls);
  const notice = told && noticeOf(first, calls, told);
  for (const call of calls) {
    const { id, sessionKey, name: tool } = call;
    const settled = await deps.calls
      .settle({ id, sessionKey, settlement: "expired", pause: unaskedPauseFor(readerOf(call)) }, notice)
      .catch((error: unknown) => deps.log.warn({ sessionKey, tool, error }, "an overdue call was not settled"));
    if (settled !== true) continue;
    deps.log.info({ sessionKey, tool }, "a call that waited has expired");
    deps.wake(sessionKey);
    if (told !== undefined) deps.deliver(told.accountId);
  }
}

/** Where people were asked. What is done on an owner's behalf is no news for the place that gets the answer. */
async function toldOf(call: OpenCall, calls: CallExpiryDeps["calls"]): Promise<Conversation | undefined> {
  if (call.waitsFor !== "approval") return undefined;
  const mandate = mandateOf(call.askers);
  if (mandate === undefined) return call.route;
  return (await calls.homes()).find((home) => isHomeOf(mandate, home))?.conversation;
}

/** Where the answer goes. */
function readerOf({ route, askers }: Pick<OpenCall, "route" | "askers">): Reader {
  return { conversation: route, sender: askers[0]?.sender };
}

function noticeOf(call: OpenCall, calls: readonly OpenCall[], conversation: Conversation): OutboxText {
  const { id, sessionKey } = call;
  const words = wordsFor({ ...readerOf(call), conversation });
  const key = calls.length === 1 ? `expired:${id}` : `expired:${id}:${calls.length}`;
  return {
    deliveryKey: brandAs<DeliveryKey>(key),
    kind: "notice",
    conversation,
    markdown: words.callNotices.expired(calls),
    attachments: [],
    sessionKey,
  };
}
