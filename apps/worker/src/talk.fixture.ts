import {
  type BusyMode,
  brandAs,
  type GrantScope,
  type InboundEvent,
  type ProcessId,
  type Role,
  type SessionKey,
  sessionKeyOf,
} from "@talaria/protocol";
import type { OutboxRow, SessionEffect, Store } from "@talaria/store";
import { type EventFacts, messageFrom } from "@talaria/testkit";

const firstMessageMs = Date.UTC(2026, 0, 1);

/** A conversation with an account of its own, so that tests share a database. */
export class Talk {
  readonly account = `account-${crypto.randomUUID()}`;
  readonly #store: Store;
  readonly #facts: EventFacts;
  #messages = 0;

  constructor({ store }: { readonly store: Store }, facts: EventFacts = {}) {
    this.#store = store;
    this.#facts = facts;
  }

  get key(): SessionKey {
    const { conversation, sender } = this.#message("");
    return sessionKeyOf(conversation, sender, "conversation");
  }

  async say(
    text: string,
    mode: BusyMode = "queue",
    role: Role = "member",
    facts: EventFacts = {},
  ): Promise<InboundEvent> {
    const event = this.#next(text, facts);
    await this.#store.inbox.record({ sessionKey: this.key, event, route: event.conversation, mode, role });
    return event;
  }

  /** As the gateway settles `/sethome` of whoever writes here. */
  async isHome(): Promise<void> {
    const { conversation, sender } = this.#message("");
    await this.settle({ kind: "home", sessionKey: this.key, userId: sender.userId, conversation });
  }

  /** As the gateway settles a decision. Tells whether it counted. */
  async decide(settlement: "approved" | "denied", id?: string, scope?: GrantScope): Promise<boolean> {
    const [call] = await this.#store.calls.waiting(this.key);
    const effect = { kind: "decide", id: id ?? call?.id ?? "", sessionKey: this.key, settlement } as const;
    const event = this.#next(`/${settlement}`);
    const by = event.sender;
    const reason = `command:${settlement}`;
    const grant = scope === undefined ? {} : { grant: { scope, byRole: "owner" as const } };
    const settled = await this.#store.inbox.settle({
      event,
      outcome: "command",
      reason,
      effect: { ...effect, by, ...grant },
    });
    return settled.outcome === "settled" && settled.applied;
  }

  /** As the gateway settles `/stop`, `/retry`, `/compact` and `/new`. Tells whether there was something to do. */
  control(kind: "stop" | "retry" | "compact" | "reset"): Promise<boolean> {
    return this.settle({ kind, sessionKey: this.key });
  }

  /** As the gateway settles `/model` and `/effort`. Without a name, `default`. */
  choose(what: "model" | "effort", name?: string, role: Role = "owner"): Promise<boolean> {
    return this.settle({
      kind: "choose",
      sessionKey: this.key,
      what,
      ...(name !== undefined && { chosen: { name, role } }),
    });
  }

  /** As the gateway settles any command. Tells whether there was something to do. */
  async settle(effect: SessionEffect): Promise<boolean> {
    const event = this.#next(`/${effect.kind}`);
    const settled = await this.#store.inbox.settle({ event, outcome: "command", reason: "command", effect });
    return settled.outcome === "settled" && settled.applied;
  }

  async stateOf({ id, conversation }: InboundEvent): Promise<string | undefined> {
    return (await this.#store.inbox.status(conversation.accountId, id))?.state;
  }

  /** Every text on its way to the conversation, oldest first. */
  async texts(): Promise<readonly string[]> {
    return (await this.outbox()).map(({ markdown }) => markdown);
  }

  async outbox(): Promise<readonly OutboxRow[]> {
    const { accountId, platform } = this.#message("").conversation;
    const lease = await this.#store.accounts.acquire(accountId, platform, brandAs<ProcessId>("gateway"), 60_000);
    return lease === undefined ? [] : await this.#store.outbox.due(lease, [], 100);
  }

  #message(text: string) {
    return messageFrom({ ...this.#facts, account: this.account, text });
  }

  /** With the same id and time as the message of any other conversation that has as many before it: the same words take the same room. */
  #next(text: string, facts: EventFacts = {}) {
    this.#messages += 1;
    const id = `event-${String(this.#messages).padStart(4, "0")}`;
    const at = firstMessageMs + this.#messages * 1_000;
    return messageFrom({ id, at, ...this.#facts, ...facts, account: this.account, text });
  }
}
