import { randomUUID } from "node:crypto";
import { createTestDatabase } from "@talaria/postgres";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type DeliveryKey,
  type EventId,
  type InboundEvent,
  type Instant,
  type MessageId,
  type ProcessId,
  type SessionKey,
  silentLog,
  systemClock,
  turnIdOf,
  type UserId,
} from "@talaria/protocol";
import type { BusyMode, InboxEntry } from "./ports/inbox.ts";
import type { AccountLease, OutboxText } from "./ports/outbox.ts";
import type { Claim, SessionLease, StoredEntry, Stranded, TurnStart } from "./ports/turns.ts";
import { migrate } from "./schema/migrate.ts";
import { createStore, type Store } from "./store.ts";

export const accountId = brandAs<AccountId>("acct");
export const limits = {
  historyEntries: 100,
  historyBytes: 1_000_000,
  pendingEvents: 50,
  givenUpMarkdown: "I gave up.",
};

/** A signal that never aborts. */
export const never = new AbortController().signal;

export interface TestStore extends AsyncDisposable {
  readonly store: Store;
  readonly url: string;
  /** Another process's view of the same database. */
  open(): Store;
}

/** A migrated database of its own with one store; closes and drops everything at the end. */
export async function createTestStore(): Promise<TestStore> {
  const { url, drop } = await createTestDatabase();
  await migrate(url, silentLog);
  const stores: Store[] = [];
  const open = () => {
    const store = createStore({
      url,
      log: silentLog,
      clock: systemClock,
      secretKey: new Uint8Array(32).fill(7),
      maxConnections: 6,
    });
    stores.push(store);
    return store;
  };
  return {
    store: open(),
    url,
    open,
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map((store) => store.close()));
      await drop();
    },
  };
}

export function conversationOf(name: string): Conversation {
  return { accountId, platform: "loopback", conversationId: brandAs<ConversationId>(name), kind: "direct" };
}

export function keyOf(name: string): SessionKey {
  return brandAs<SessionKey>(`acct/${name}`);
}

export function eventOf(id: string, conversation: string, markdown = id): InboundEvent {
  const at = brandAs<Instant>("2026-11-20T10:00:00.000Z");
  return {
    id: brandAs<EventId>(id),
    type: "message.created",
    conversation: conversationOf(conversation),
    sender: { userId: brandAs<UserId>("42"), role: "person", displayName: "Ada", assurance: "platform" },
    occurredAt: at,
    receivedAt: at,
    message: {
      messageId: brandAs<MessageId>(`m-${id}`),
      markdown,
      attachments: [],
      mentions: [],
      mentionsSelf: false,
      repliesToSelf: false,
    },
  };
}

/** The session has the name of its conversation. */
export function entryOf(id: string, session: string, mode: BusyMode = "queue"): InboxEntry {
  return {
    sessionKey: keyOf(session),
    event: eventOf(id, session),
    route: conversationOf(session),
    mode,
    role: "member",
  };
}

export function textOf(key: string, conversation: string, more: Partial<OutboxText> = {}): OutboxText {
  return {
    deliveryKey: brandAs<DeliveryKey>(key),
    kind: "notice",
    conversation: conversationOf(conversation),
    markdown: `text of ${key}`,
    attachments: [],
    ...more,
  };
}

export async function newWorker(store: Store, ttlMs = 60_000): Promise<ProcessId> {
  const id = brandAs<ProcessId>(`worker-${randomUUID()}`);
  await store.processes.register({ id, kind: "worker", host: "here", pid: 1 }, ttlMs);
  return id;
}

export async function newAccountLease(store: Store, holder = "gateway-1", ttlMs = 60_000): Promise<AccountLease> {
  const lease = await store.accounts.acquire(accountId, "loopback", brandAs<ProcessId>(holder), ttlMs);
  if (lease === undefined) throw new Error("the account is held by another gateway");
  return lease;
}

/** Every session with work that nobody who lives has. */
export async function strandedSessions(store: Store): Promise<readonly Stranded[]> {
  const found: Stranded[] = [];
  let after: SessionKey | undefined;
  do {
    const { sessions, next } = await store.turns.stranded(after);
    found.push(...sessions);
    after = next;
  } while (after !== undefined);
  return found;
}

/** Claims a session that must be free and have work. */
export async function claim(store: Store, session: string, worker: ProcessId): Promise<Claim> {
  const found = await store.turns.claim(keyOf(session), worker, limits);
  if (found === undefined) throw new Error(`nothing to claim in ${session}`);
  return found;
}

/** A start that takes the given events, or everything the claim found. */
export function startOf({ lease, pending }: Claim, take = pending.map(({ seq }) => seq)): TurnStart {
  const events = pending.filter(({ seq }) => take.includes(seq));
  return {
    turnId: turnIdOf(lease.sessionKey, Math.min(...take)),
    take,
    drop: [],
    route: events[0]?.route ?? conversationOf("nowhere"),
    entries: events.map(({ event }) => said(event.id)),
    prompt: "be kind",
  };
}

export function said(text: string): StoredEntry & { readonly text: string } {
  return { kind: "user", text };
}

export function answered(text: string): StoredEntry & { readonly text: string } {
  return { kind: "assistant", text };
}

export interface RunningTurn {
  readonly lease: SessionLease;
  readonly claim: Claim;
  readonly start: TurnStart;
}

/** Claims the session and begins a turn with everything that waits. */
export async function beginTurn(store: Store, session: string, worker: ProcessId): Promise<RunningTurn> {
  const found = await claim(store, session, worker);
  const start = startOf(found);
  await store.turns.begin(found.lease, start);
  return { lease: found.lease, claim: found, start };
}

/** Commits an answer with one reply. */
export async function completeTurn(store: Store, { lease, start }: RunningTurn): Promise<{ released: boolean }> {
  const text = `answer to ${start.turnId}`;
  return await store.turns.commit(lease, {
    turnId: start.turnId,
    outcome: "completed",
    entries: [answered(text)],
    outbox: [
      textOf(`${start.turnId}:reply`, start.route.conversationId, {
        kind: "reply",
        turnId: start.turnId,
        sessionKey: lease.sessionKey,
        markdown: text,
      }),
    ],
    usage: { inputTokens: 3 },
  });
}
