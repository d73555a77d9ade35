import type { Acceptance, AccountPolicy, InboundEvent } from "@talaria/protocol";
import type { DirectSettlement, Joining } from "@talaria/store";
import type { AdmissionReason } from "./admission-reasons.ts";
import type { Decision } from "./admit.ts";
import { noticeTo } from "./control.ts";
import type { GateDeps } from "./gate-deps.ts";
import { overheardOf } from "./overheard.ts";
import { unansweredNotice } from "./unanswered.ts";

type SettleDeps = Pick<GateDeps, "inbox" | "count" | "deliver" | "log">;

type Ignored = Extract<Decision, { kind: "ignore" }>;

interface How extends Pick<DirectSettlement, "outcome" | "overheard" | "unanswered" | "texts"> {
  readonly reason: AdmissionReason;
  readonly notice?: string | undefined;
}

/** Ends an event that needs no turn, and counts it. */
export async function settle(event: InboundEvent, deps: SettleDeps, how: How): Promise<Acceptance> {
  const acceptance = await settleUnless(event, deps, how, undefined);
  return acceptance === "joins" ? "dropped" : acceptance;
}

/** Ends an event that is ignored. Talk among others is kept for a while; whoever wrote too long ago is told. */
export function dropped(decision: Ignored, event: InboundEvent, policy: AccountPolicy, deps: SettleDeps) {
  return settle(event, deps, howToIgnore(decision, event, policy));
}

/** The same, unless it is ours after all: then nothing is written or counted. */
export function ignore(
  decision: Ignored,
  event: InboundEvent,
  policy: AccountPolicy,
  deps: SettleDeps,
  joining: Joining | undefined,
): Promise<Acceptance | "joins"> {
  const unless = decision.reason === "not_addressed" ? joining : undefined;
  return settleUnless(event, deps, howToIgnore(decision, event, policy), unless);
}

function howToIgnore({ reason, unanswered }: Ignored, event: InboundEvent, policy: AccountPolicy): How {
  const overheard = reason === "not_addressed" ? overheardOf(event, policy) : undefined;
  const isTold = unanswered === true && policy.catchUp.notice;
  return {
    outcome: "ignored",
    reason,
    ...(overheard === undefined ? {} : { overheard }),
    ...(isTold ? { unanswered: unansweredNotice(event, policy.catchUp.maxAgeMs) } : {}),
  };
}

async function settleUnless(
  event: InboundEvent,
  deps: SettleDeps,
  { notice: markdown, ...how }: How,
  unless: Joining | undefined,
): Promise<Acceptance | "joins"> {
  const { accountId } = event.conversation;
  const topic = how.outcome === "refused" ? "refused" : "loop";
  const { platform, title } = event.conversation;
  const isForeignGroup = how.reason === "group_not_allowed";
  const settled = await deps.inbox.settle({
    event,
    outcome: how.outcome,
    reason: how.reason,
    ...(markdown === undefined ? {} : { notice: noticeTo(event, "notice", markdown, topic) }),
    ...(how.texts === undefined ? {} : { texts: how.texts }),
    ...(how.overheard === undefined ? {} : { overheard: how.overheard }),
    ...(how.unanswered === undefined ? {} : { unanswered: how.unanswered }),
    ...(unless === undefined ? {} : { unless }),
    ...(isForeignGroup ? { group: { platform, ...(title === undefined ? {} : { title }) } } : {}),
  });
  if (settled.outcome === "joins") return "joins";
  if (settled.outcome === "duplicate") {
    deps.count("duplicate", event);
    return "duplicate";
  }
  deps.count(how.outcome, event, how.reason);
  deps.log.debug({ accountId, eventId: event.id, reason: how.reason }, "event settled without a turn");
  if (markdown !== undefined) deps.deliver(accountId);
  return "dropped";
}
