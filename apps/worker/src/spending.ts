import { type Charge, chargesOf, limitId, type SpendingLimits } from "@talaria/policy";
import { type Asker, brandAs, type DeliveryKey, isAtLeast } from "@talaria/protocol";
import { liftChoice, liftNumber, limitSubject } from "@talaria/sessions";
import type { PendingEvent, ReachedBy, Refusal, RefusalNotice, Spender, SteeringCosts } from "@talaria/store";
import { english, wordsFor } from "@talaria/words";

/** What the worker says and counts when a limit is reached. */
export interface SpendingDeps {
  readonly limits: SpendingLimits;
  /** `events` were not answered. */
  readonly refused: (scope: Charge["scope"], unit: Charge["unit"], events: number) => void;
}

/** A spender, with the events themselves and what each charge means. */
export interface Payer extends Spender {
  readonly charges: readonly Charge[];
  readonly events: readonly PendingEvent[];
}

/** Who pays for the spending of a turn, and what becomes of the events of those who can't. */
export type Spending = SteeringCosts<Payer>;

/** Everyone whose words are in the events, once, with the counters that a turn made of them is charged to. */
export function createSpending({ limits, refused }: SpendingDeps): Spending {
  return {
    spendersOf: (events) => payersOf(events, limits),
    refuse: (payers, reached) => refusalOf(payers, reached, refused),
  };
}

function payersOf(events: readonly PendingEvent[], limits: SpendingLimits): readonly Payer[] {
  const payers = new Map<string, Payer & { readonly events: PendingEvent[] }>();
  for (const item of events) {
    const { conversation, type } = item.event;
    const { accountId, conversationId } = conversation;
    const isOwed = type === "call.settled" && item.event.call.waitsFor !== "process";
    const neverRefused = isOwed ? ({ neverRefused: true } as const) : {};
    for (const { role, sender } of spendersIn(item)) {
      const charges = chargesOf({ role, accountId, conversationId, sender }, limits);
      if (charges.length === 0) continue;
      const name = JSON.stringify({ charges, ...neverRefused });
      const known = payers.get(name);
      if (known !== undefined) known.events.push(item);
      else payers.set(name, { charges, events: [item], ...neverRefused });
    }
  }
  return [...payers.values()];
}

/**
 * What was decided of a call is paid by those who asked for it, and is never refused: an approved action would be lost. News of a
 * process are refused, or an agent that starts one after the other would spend without an end.
 */
function spendersIn({ event, role = "guest" }: PendingEvent): readonly Asker[] {
  return event.type === "call.settled" ? event.call.askers : [{ sender: event.sender, role }];
}

function refusalOf(payers: readonly Payer[], reached: readonly ReachedBy[], count: SpendingDeps["refused"]): Refusal {
  const refusals = reached.flatMap((one) => {
    const payer = payers[one.n];
    const charge = payer?.charges.find(({ key }) => key === one.key);
    return payer === undefined || charge === undefined ? [] : [{ payer, charge, endsInMs: one.endsInMs }];
  });
  for (const { payer, charge } of refusals) count(charge.scope, charge.unit, payer.events.length);
  return {
    drop: refusals.flatMap(({ payer, charge }) =>
      payer.events.map(({ seq }) => ({ seq, reason: "spending_limit", limit: charge.key })),
    ),
    notices: refusals.map(({ payer, charge, endsInMs }) => noticeOf(payer, charge, endsInMs)),
  };
}

/**
 * Addressed to the newest event. Nobody reads what would be written to a machine. The button is where an owner may press it; of what
 * stops a member, or a whole group, owners read where they are told as well. A guest who is stopped is no news to them.
 */
function noticeOf({ events }: Payer, charge: Charge, endsInMs: number): RefusalNotice {
  const { key } = charge;
  const counted = { key, windowMs: charge.windowMs, events: events.length };
  const last = events.at(-1);
  if (last === undefined || last.event.sender.role === "system") return counted;
  const { event, route, role = "guest" } = last;
  const words = wordsFor({ conversation: route, sender: event.sender });
  const replies = event.type === "message.created" && route.kind !== "direct";
  const number = liftNumber(key);
  const isOwner = role === "owner";
  const text = {
    deliveryKey: brandAs<DeliveryKey>(`limit:${event.conversation.accountId}:${event.id}`),
    kind: "notice" as const,
    attachments: [],
    operational: { topic: "limit" as const, ...(charge.scope === "person" ? { to: event.sender.userId } : {}) },
    subject: limitSubject(limitId(key)),
  };
  const isPressable = number !== undefined && (isOwner || route.kind !== "direct");
  const name = event.sender.displayName;
  const named = event.sender.assurance === "claimed" ? english.limits.named(key) : english.limits.named(key, name);
  // An owner who writes reads it there. A shared limit stops others, too, whoever reaches it in a group.
  const isNews = isAtLeast(role, "member") || (route.kind !== "direct" && charge.scope !== "person");
  const tells = number !== undefined && !isOwner && isNews;
  return {
    ...counted,
    text: {
      ...text,
      ...(isPressable ? { choices: [liftChoice(number, route.kind, words)] } : {}),
      conversation: route,
      markdown: words.turnNotices.spent(charge, endsInMs, { number, isOwner }, route.kind === "direct" ? "" : name),
      ...(replies ? { replyTo: event.message.messageId } : {}),
    },
    ...(tells && {
      atHomes: {
        ...text,
        choices: [liftChoice(number, "direct")],
        // One text for all homes.
        markdown: english.turnNotices.spentElsewhere(named, name, english.spans.placeName(route), number, endsInMs),
      },
    }),
  };
}
