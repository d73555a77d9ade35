import assert from "node:assert/strict";
import { type AccountPolicy, brandAs, type InboundEvent, type Log, systemClock, type UserId } from "@talaria/protocol";
import {
  type AdmissionReason,
  createGate,
  type GateDeps,
  type PersonVerb,
  peopleMeant,
  personDecision,
} from "@talaria/sessions";
import type { Store } from "@talaria/store";
import { createMetrics } from "@talaria/telemetry";
import { type EventFacts, messageFrom } from "@talaria/testkit";
import { recentLine } from "../../../apps/cli/src/commands/why.ts";
import { measureGate } from "../../../apps/gateway/src/measure.ts";
import { policyWith } from "../../../packages/sessions/src/testing/policy.ts";
import { type Row, steady } from "./page.ts";

/** How somebody comes to be refused for a reason: the events in their order, the last of which is. */
interface Case {
  readonly access?: Partial<AccountPolicy["access"]>;
  readonly facts?: EventFacts;
  /** Before the last event. */
  readonly first?: (desk: ReasonDesk) => Promise<unknown>;
  readonly change?: (event: InboundEvent) => InboundEvent;
}

const group = { kind: "group", conversation: "g1", title: "Team" } as const;
const decided = (verb: PersonVerb) => async (desk: ReasonDesk) => {
  await desk.say({});
  await desk.decide(verb);
};
const times = (count: number, facts: EventFacts | ((n: number) => EventFacts)) => async (desk: ReasonDesk) => {
  for (let n = 0; n < count; n += 1) await desk.say(typeof facts === "function" ? facts(n) : facts);
};

/** A reason that is added needs a case. */
export const cases: Readonly<Record<AdmissionReason, Case>> = {
  no_sender_id: { facts: { from: " " } },
  from_bot: { facts: { role: "bot" } },
  from_system: { facts: { role: "system" } },
  not_allowed: { access: { direct: "allowlist" } },
  unverified_sender: { facts: { assurance: "claimed" } },
  account_off: { access: { direct: "off" } },
  group_not_allowed: { facts: group },
  unknown_account: { facts: { account: "gone" } },
  pairing_code: {},
  pairing_waiting: { first: (desk) => desk.say({}) },
  pairing_full: { first: times(20, (n) => ({ from: `other-${n}`, conversation: `other-${n}` })) },
  pairing_ignored: { first: decided("ignore") },
  pairing_blocked: { first: decided("block") },
  pairing_removed: {
    first: async (desk) => {
      await decided("add")(desk);
      await desk.decide("remove");
    },
  },
  too_old: {
    access: { direct: "open" },
    change: (event) => ({ ...event, occurredAt: brandAs("2020-01-01T00:00:00.000Z") }),
  },
  not_addressed: { access: { groups: "open" }, facts: group },
  reaction: {
    access: { direct: "open" },
    change: (event) => {
      const { message, ...about } = event as Extract<InboundEvent, { type: "message.created" }>;
      return { ...about, type: "reaction.added", messageId: message.messageId, emoji: "👍" };
    },
  },
  empty: { access: { direct: "open" }, facts: { text: " " } },
  too_long: { access: { direct: "open" }, facts: { text: "x".repeat(1_001) } },
  bot_loop: {
    access: { groups: "open", bots: "on", maxBotTurns: 1 },
    facts: { ...group, role: "bot", mentionsSelf: true },
    first: times(1, { ...group, role: "bot", mentionsSelf: true }),
  },
  mail_loop: {
    access: { direct: "open" },
    facts: { platform: "email" },
    first: times(20, { platform: "email" }),
  },
  needs_member: {
    access: { groups: "open" },
    facts: { ...group, mentionsSelf: true, text: "/new" },
    first: times(1, { ...group, mentionsSelf: true, from: "somebody" }),
  },
  may_not_decide: { access: { direct: "open" }, facts: { text: "/people" } },
};

/** One account, with its own gate, in a database that has an owner's home. */
export class ReasonDesk {
  readonly #store: Store;
  readonly #account: string;
  readonly #case: Case;
  readonly #gate: ReturnType<typeof createGate>;
  readonly #lines: string[] = [];
  readonly #metrics = createMetrics({ process: "gateway" });

  constructor(store: Store, account: string, given: Case) {
    this.#store = store;
    this.#account = account;
    this.#case = given;
    const policy = policyWith({ access: { owners: [brandAs<UserId>("owner")], ...given.access } });
    const none = () => undefined;
    const off = { turnsPerMinute: "off", tokensPerDay: "off" } as const;
    const deps: GateDeps = {
      ...store,
      agentName: "Talaria",
      maxTextChars: 1_000,
      policyOf: (accountId) => (accountId === brandAs(account) ? policy : undefined),
      spending: { person: off, guest: off, conversation: off, account: off },
      ...{ wake: none, wakeIn: none, cancel: none, deliver: none },
      count: measureGate(this.#metrics, systemClock),
      log: this.#log(),
    };
    this.#gate = createGate(deps);
  }

  async say(facts: EventFacts): Promise<InboundEvent> {
    const event = messageFrom({ account: this.#account, from: "eve", name: "Eve", conversation: "eve", ...facts });
    await this.#gate(event);
    return event;
  }

  async decide(verb: PersonVerb): Promise<void> {
    const rows = (await this.#store.pairing.list()).filter(({ accountId }) => accountId === brandAs(this.#account));
    const [row] = peopleMeant(rows, "eve", false);
    assert.ok(row);
    const decision = personDecision(verb, row);
    assert.ok(decision);
    await this.#store.pairing.decide(decision);
  }

  /** Drives the case and looks from all sides. */
  async row(reason: AdmissionReason): Promise<Row> {
    const { facts = {}, first, change = (event) => event } = this.#case;
    const home = messageFrom({ account: this.#account, from: "owner", conversation: "home", text: "/sethome" });
    await this.#gate(home);
    await first?.(this);
    const event = change(
      messageFrom({ account: this.#account, from: "eve", name: "Eve", conversation: "eve", ...facts }),
    );
    const before = { person: await this.#said(event.conversation), owner: await this.#said(home.conversation) };
    const counted = await this.#metrics.text();
    const outcome = await this.#gate(event);
    assert.equal(outcome, "dropped", reason);
    const told = async (place: InboundEvent["conversation"], known: readonly string[]) =>
      steady((await this.#said(place)).slice(known.length).join(" ")).replaceAll(this.#account, "main");
    const [recent] = (await this.#store.operations.recent({ limit: 1 })).filter(({ eventId }) => eventId === event.id);
    const line = this.#lines.find((one) => one.includes(`reason=${reason} `));
    const metric = (await this.#metrics.text())
      .split("\n")
      .find((one) => one.includes(`reason="${reason}"`) && !counted.includes(one));
    const why = recent === undefined ? "" : steady(recentLine(recent).replace(/^.*? on [^:]*: /, ""));
    this.#metrics.close();
    return {
      code: reason,
      person: (await told(event.conversation, before.person)) || "(nothing)",
      owner: (await told(home.conversation, before.owner)) || "(nothing)",
      status: "(nothing)",
      why: why.replaceAll(this.#account, "main"),
      log: line === undefined ? "(nothing at `info`)" : "`not answered`, with ids and the reason",
      metric: metric?.replace(/\{.*\}.*/, `{reason="${reason}"}`) ?? "",
    };
  }

  async #said({ accountId, conversationId, ...place }: InboundEvent["conversation"]): Promise<readonly string[]> {
    const { lines } = await this.#store.chats.history({ ...place, accountId, conversationId }, 100);
    return lines.flatMap((line) => (line.from === "agent" ? [line.markdown] : []));
  }

  #log(): Log {
    const write = (fields: Readonly<Record<string, unknown>>, sentence: string) => {
      if (sentence === "not answered") this.#lines.push(`reason=${String(fields.reason)} `);
    };
    const none = () => undefined;
    return { debug: none, info: write, warn: write, error: write, child: () => this.#log() };
  }
}
