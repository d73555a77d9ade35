import type { WebChannel, WebLine, WebPlace, WebQuestion, WebSignal } from "@talaria/adapter-web";
import { closedWords, waitingChoices } from "@talaria/delivery";
import {
  type AccountId,
  brandAs,
  type ConversationId,
  type Log,
  type Role,
  type Sender,
  type SessionKey,
  sessionKeyOf,
  type UserId,
} from "@talaria/protocol";
import type { AccountSignal, QueueSystem } from "@talaria/queue";
import type { ChatLine, ChatStore, MediaLimits, MediaStore, OperationsStore } from "@talaria/store";
import { english } from "@talaria/words";
import { webAccountId } from "./account-policy.ts";

/** What the model reads of processes that ended with their conversation. */
const whyEnded = "somebody has deleted the conversation";

export interface WebChannelDeps {
  readonly store: {
    readonly operations: Pick<OperationsStore, "stepCounts" | "steps">;
    readonly chats: Omit<ChatStore, "catchUp">;
    readonly media: MediaStore;
  };
  readonly queue: Pick<QueueSystem, "bus" | "wakes">;
  readonly limits: MediaLimits;
  /** The rights of whoever has the gateway's token. */
  readonly role: Role;
  readonly log: Log;
}

/** Connects the web chat's pages with the store and with the bus, so that it does not matter which gateway serves a page. */
export function createWebChannel({
  store: { operations, chats, media },
  queue: { bus, wakes },
  limits,
  role,
  log,
}: WebChannelDeps): WebChannel & { receive(accountId: AccountId, signal: AccountSignal): void } {
  const readers = new Set<(signal: WebSignal) => void>();
  const tell = (signal: WebSignal) => {
    for (const read of readers) read(signal);
  };
  const read = (place: WebPlace, what: string): Required<WebPlace> => {
    const at = placeOf(place);
    if (at.accountId !== webAccountId) log.info({ ...at }, `an operator reads ${what} of another platform`);
    return at;
  };
  return {
    role,
    conversations: ({ all, ...query }) => chats.list({ ...query, ...(all ? {} : { accountId: webAccountId }) }),
    name: (conversationId, title) => chats.name(own(conversationId), title),
    read: (conversationId, upTo) => chats.read(own(conversationId), upTo),
    retriable: (conversationId) => chats.retriable(sessionOf(conversationId)),
    async forget(conversationId, signal) {
      const sessionKey = sessionOf(conversationId);
      const { holder, ended } = await chats.forget({ ...own(conversationId), sessionKey, why: whyEnded }, signal);
      log.info({ accountId: webAccountId, conversationId }, "conversation deleted");
      for (const one of ended) bus.cancel(one.holder, one.sessionKey);
      if (holder !== undefined) bus.cancel(holder, sessionKey);
      else await wakes.wake(sessionKey).catch(() => undefined);
    },
    async history(place, limit, before) {
      const { lines, ...rest } = await chats.history(read(place, "a conversation"), limit, before);
      return { lines: lines.map(toLine), ...rest };
    },
    file: (place, ref) => chats.file(read(place, "a file of a conversation"), ref),
    running: (place) => chats.running(placeOf(place)),
    stepCounts: (turnIds) => operations.stepCounts(turnIds),
    steps: (place, turnId) => {
      const { accountId, conversationId } = read(place, "the steps of a conversation");
      return operations.steps(accountId, conversationId, turnId);
    },
    keep: (content, claimedType, signal) => media.put(content, claimedType, limits, signal),
    announce: (conversationId) => bus.sent(webAccountId, conversationId),
    subscribe: (reader) => {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    receive: (accountId, signal) => {
      if (accountId !== webAccountId) {
        if (isSaid(signal)) tell({ type: "elsewhere" });
      } else if (signal.type === "sent") tell(signal);
      else if (signal.type === "frames") for (const frame of signal.frames) tell({ type: "frame", frame });
    },
  };
}

/** Something has begun or ended, or goes out. */
function isSaid(signal: AccountSignal): boolean {
  if (signal.type === "frames") return signal.frames.some(({ type }) => type === "started" || type === "ended");
  return signal.type === "deliver";
}

function own(conversationId: ConversationId): Required<WebPlace> {
  return { accountId: webAccountId, conversationId };
}

function placeOf({ accountId = webAccountId, conversationId }: WebPlace): Required<WebPlace> {
  return { accountId, conversationId };
}

/** A conversation of the console has one session. */
function sessionOf(conversationId: ConversationId): SessionKey {
  const conversation = { ...own(conversationId), platform: "web", kind: "direct" } as const;
  return sessionKeyOf(conversation, operator, "conversation");
}

const operator: Sender = {
  userId: brandAs<UserId>("operator"),
  role: "person",
  displayName: "Operator",
  assurance: "platform",
};

function toLine({ outcomes = [], ...line }: ChatLine): WebLine {
  const question = questionOf(outcomes);
  const asked = question === undefined ? line : { ...line, question };
  const words = closedWords(outcomes, english.deliveryNotices);
  if (words === undefined) return asked;
  const { choices = [] } = line;
  const waiting = new Set(waitingChoices({ choices, outcomes }));
  const spent = choices.filter((choice) => !waiting.has(choice));
  return { ...asked, closed: { words, choices: spent.map(({ id }) => id) } };
}

function questionOf(outcomes: NonNullable<ChatLine["outcomes"]>): WebQuestion | undefined {
  if (outcomes.length === 0) return undefined;
  const calls = outcomes.map(({ id, settlement, by, isByRule, choice, scope, at, expiresAt, isLate }) => ({
    id,
    state: settlement ?? (isLate ? ("expired" as const) : ("waiting" as const)),
    ...(by === undefined || isByRule ? {} : { by }),
    ...(at === undefined ? {} : { at }),
    ...(choice === undefined ? {} : { choice }),
    ...(scope === undefined ? {} : { scope }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }));
  return { state: calls.some(({ state }) => state === "waiting") ? "waiting" : "settled", calls };
}
