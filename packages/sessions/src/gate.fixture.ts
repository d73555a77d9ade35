import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { SpendingLimits } from "@talaria/policy";
import {
  type AccountId,
  type AccountPolicy,
  brandAs,
  type Conversation,
  type ConversationId,
  type DeliveryKey,
  type InboundEvent,
  type MessageId,
  type ProcessId,
  type SessionKey,
  sessionKeyOf,
  silentLog,
  type TurnId,
  type UserId,
} from "@talaria/protocol";
import type { BegunInBackground, OutboxText, Spender, Store, StoredContext, StoredEntry } from "@talaria/store";
import { type EventFacts, type MessageCreated, messageFrom } from "@talaria/testkit";
import { createTestStore, type TestStore } from "../../store/src/test-store.ts";
import { createGate, type Gate } from "./gate.ts";
import type { GateDeps } from "./gate-deps.ts";
import { policyWith } from "./testing/policy.ts";

const limits = { historyEntries: 10, historyBytes: 100_000, pendingEvents: 500, givenUpMarkdown: "Given up." };

export const off = { turnsPerMinute: "off", tokensPerDay: "off" } as const;
const spending: SpendingLimits = { person: off, guest: off, conversation: off, account: off };

export function policyOf(busy: AccountPolicy["busy"]["direct"] = "queue"): AccountPolicy {
  return policyWith({
    access: { allow: { users: [brandAs<UserId>("u1")], groups: [] } },
    sessions: { direct: "conversation" },
    busy: { direct: busy },
  });
}

export function openGroups(): AccountPolicy {
  const policy = policyOf();
  return { ...policy, access: { ...policy.access, groups: "open" } };
}

/** A store for the tests of one `describe`, in a database of its own. Each of them gets a desk of a new account. */
export function useStore(): { readonly store: Store; readonly url: string; newDesk(): Desk } {
  let test: TestStore;
  let desks = 0;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());
  return {
    get store() {
      return test.store;
    },
    get url() {
      return test.url;
    },
    newDesk() {
      desks += 1;
      return new Desk(test.store, `account-${desks}`);
    },
  };
}

/** One account with a gate, and what the gate told the others, one line each. */
export class Desk {
  readonly accountId: AccountId;
  readonly gate: Gate;
  readonly said: string[] = [];
  lease = { sessionKey: this.#key("c1"), holder: brandAs<ProcessId>("nobody"), fence: 0 };
  firstSeq = 0;
  #running: TurnId | undefined;
  readonly #store: Store;

  constructor(store: Store, account: string) {
    this.#store = store;
    this.accountId = brandAs<AccountId>(account);
    this.gate = this.gateWith({});
  }

  gateWith(deps: Partial<GateDeps>): Gate {
    const { inbox, outbox, calls, memories, facts, background, pairing, groups, rights, operations } = this.#store;
    return createGate({
      agentName: "Talaria",
      maxTextChars: 1_000,
      policyOf: () => policyOf(),
      inbox,
      outbox,
      calls,
      memories,
      facts,
      background,
      pairing,
      groups,
      rights,
      operations,
      spending,
      wake: (key) => this.said.push(`wake ${key.split("/")[1]}`),
      wakeIn: (key, _cause, ms) => this.said.push(`wake ${key.split("/")[1]} in ${Math.ceil(ms / 100) * 100}`),
      cancel: (worker, key) => this.said.push(`cancel ${worker} ${key.split("/")[1]}`),
      deliver: () => this.said.push("deliver"),
      count: (outcome, _event, reason) => this.said.push(["count", outcome, reason].filter(Boolean).join(" ")),
      log: silentLog,
      ...deps,
    });
  }

  message(facts: EventFacts = {}): MessageCreated {
    return messageFrom({ account: this.accountId, ...facts });
  }

  /** A button of a message of ours. */
  pressed(actionId: string, facts: EventFacts = {}): Extract<InboundEvent, { type: "action.invoked" }> {
    const { message, type: _, ...about } = this.message(facts);
    return { ...about, type: "action.invoked", messageId: message.messageId, actionId };
  }

  /** Begins a turn with one message, in `c1` unless told otherwise, and leaves it running. Answers with the worker's id. */
  async runTurn(
    text: string,
    facts: EventFacts = {},
    gate = this.gate,
    spenders: readonly Spender[] = [],
  ): Promise<ProcessId> {
    await gate(this.message({ text, ...facts }));
    const holder = await this.#worker();
    const claim = await this.#store.turns.claim(this.#key(facts.conversation ?? "c1", facts), holder, limits);
    const [first] = claim?.pending ?? [];
    assert.ok(claim && first);
    const start = {
      turnId: brandAs<TurnId>(`turn-${claim.lease.sessionKey}${first.seq === 1 ? "" : `-${first.seq}`}`),
      take: [first.seq],
      drop: [],
      entries: [{ kind: "user", text }],
      prompt: "",
    };
    await this.#store.turns.begin(claim.lease, { ...start, spenders, route: first.route });
    this.lease = claim.lease;
    this.#running = start.turnId;
    this.firstSeq = first.seq;
    return holder;
  }

  /** The running turn has a process in the background begin. Answers with its number. */
  async beginProcess(process: Pick<BegunInBackground, "command" | "askers" | "route" | "isLetGo">): Promise<string> {
    assert.ok(this.#running);
    const all = { ...process, hosts: ["example.org"], covers: [] };
    const id = await this.#store.background.begin(this.lease, this.#running, all);
    assert.ok(id);
    return id;
  }

  /** Answers the turn that `runTurn` has begun: with these words in `c1`, or none. */
  async endTurn(context?: StoredContext, entries: readonly StoredEntry[] = [], words?: string): Promise<void> {
    assert.ok(this.#running);
    const deliveryKey = brandAs<DeliveryKey>(`reply:${this.#running}`);
    const { conversation } = this.message({ conversation: "c1" });
    const turnId = this.#running;
    const reply: OutboxText[] =
      words === undefined
        ? []
        : [{ deliveryKey, kind: "reply", conversation, markdown: words, attachments: [], turnId }];
    const end = { turnId, outcome: "completed", entries, outbox: reply } as const;
    const { released } = await this.#store.turns.commit(this.lease, { ...end, ...(context && { context }) });
    if (!released) await this.#store.turns.handOver(this.lease);
  }

  /** What people have said that a worker would find in the memory now. */
  async remembered(conversation: string): Promise<readonly string[]> {
    const turns = await this.#store.memories.turns(this.#key(conversation), 100);
    return turns.map(({ asked }) => asked.map(({ words }) => words).join()).reverse();
  }

  async waiting(conversation: string): Promise<readonly string[]> {
    return (await this.pending(conversation)).map(({ event }) =>
      "message" in event ? event.message.markdown : event.type,
    );
  }

  /** What a worker would find now. */
  async pending(conversation: string, facts: EventFacts = {}) {
    const claim = await this.#store.turns.claim(this.#key(conversation, facts), await this.#worker(), limits);
    if (claim !== undefined) await this.#store.turns.handOver(claim.lease);
    return claim?.pending ?? [];
  }

  async notices(conversation: string): Promise<readonly string[]> {
    return (await this.outbox(conversation)).map(({ markdown }) => markdown);
  }

  async outbox(conversation: string) {
    const holder = brandAs<ProcessId>("gateway");
    const lease = await this.#store.accounts.acquire(this.accountId, "loopback", holder, 60_000);
    assert.ok(lease);
    const rows = await this.#store.outbox.due(lease, [], 100);
    return rows.filter((row) => row.conversation.conversationId === brandAs<ConversationId>(conversation));
  }

  /** A message of the agent stands in a conversation: the answer of the running turn, or one that it began with. */
  async sent(
    markdown: string,
    messageId: string,
    conversation: Conversation,
    isAnswer = false,
    attachments: OutboxText["attachments"] = [],
  ): Promise<void> {
    const deliveryKey = brandAs<DeliveryKey>(`sent-${this.accountId}-${messageId}`);
    const turn = isAnswer && this.#running !== undefined ? { turnId: this.#running } : {};
    const row = { deliveryKey, kind: "reply", conversation, markdown, attachments, ...turn } as const;
    await this.#store.outbox.add([row]);
    const holder = brandAs<ProcessId>("gateway");
    const lease = await this.#store.accounts.acquire(this.accountId, "loopback", holder, 60_000);
    assert.ok(lease);
    const added = (await this.#store.outbox.due(lease, [], 100)).find((one) => one.deliveryKey === deliveryKey);
    assert.ok(added);
    const part = { markdown, attachments: [], state: "sent", attempts: 1, unknown: 0 } as const;
    const parts = [{ ...part, messageId: brandAs<MessageId>(messageId) }];
    await this.#store.outbox.update(lease, { id: added.id, state: "sent", parts });
  }

  async #worker(): Promise<ProcessId> {
    const id = brandAs<ProcessId>(`worker-${this.accountId}-${this.said.length}-${performance.now()}`);
    await this.#store.processes.register({ id, kind: "worker", host: "here", pid: 1 }, 60_000);
    return id;
  }

  #key(conversation: string, { thread }: EventFacts = {}): SessionKey {
    const event = messageFrom({ account: this.accountId, conversation, ...(thread === undefined ? {} : { thread }) });
    return sessionKeyOf(event.conversation, event.sender, "thread");
  }
}
