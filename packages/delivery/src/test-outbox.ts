import {
  type AccountId,
  brandAs,
  type Clock,
  type Conversation,
  type DeliveryKey,
  GatewayError,
  instantOf,
  type TurnId,
} from "@talaria/protocol";
import type { AbandonedPreview, AccountLease, OutboxDraft, OutboxRow, OutboxUpdate, Preview } from "@talaria/store";
import type { DeliveryDeps } from "./context.ts";
import { accountId, conversationOf } from "./test-platform.ts";

type DeliveryOutbox = DeliveryDeps["outbox"];

interface Stored {
  row: OutboxRow;
  state: OutboxUpdate["state"];
  error: string | undefined;
  dueAt: number;
}

/** A scripted outbox: what the lanes ask of the real one, in memory and on a simulated clock. */
export class TestOutbox implements DeliveryOutbox {
  readonly rows: Stored[] = [];
  readonly previews = new Map<TurnId, Preview>();
  /** Where turns went that were aborted without a text. */
  readonly aborted = new Map<TurnId, Conversation>();
  readonly updates: OutboxUpdate[] = [];
  fence = 1;
  /** Called before each write takes effect, and after it. */
  around: (when: "before" | "after") => Promise<void> = async () => undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get lease(): AccountLease {
    return { accountId, fence: this.fence };
  }

  put(conversation: string, markdown: string, more: Partial<OutboxDraft> = {}): void {
    const id = this.rows.length + 1;
    const row: OutboxRow = {
      id,
      accountId,
      deliveryKey: brandAs<DeliveryKey>(`key-${id}`),
      kind: "notice",
      conversation: conversationOf(conversation),
      markdown,
      attachments: [],
      createdAt: instantOf(this.#clock.now()),
      ...more,
    };
    this.rows.push({ row, state: "pending", error: undefined, dueAt: 0 });
  }

  async add(): Promise<void> {
    throw new Error("tests put rows themselves");
  }

  async due(lease: AccountLease, inFlight: readonly number[], limit: number): Promise<readonly OutboxRow[]> {
    this.#check(lease);
    const blocked = new Set<string>();
    const due: OutboxRow[] = [];
    for (const { row, state, dueAt } of this.rows) {
      const { conversationId } = row.conversation;
      if (state !== "pending" || blocked.has(conversationId)) continue;
      if (inFlight.includes(row.id) || dueAt > this.#clock.now()) blocked.add(conversationId);
      else if (due.length < limit) due.push(this.#withPreview(row));
    }
    return due;
  }

  async update(lease: AccountLease, update: OutboxUpdate): Promise<void> {
    await this.around("before");
    this.#check(lease);
    const stored = this.rows[update.id - 1];
    if (stored === undefined) throw new Error("no such row");
    stored.row = { ...stored.row, parts: structuredClone(update.parts) };
    stored.state = update.state;
    stored.error = update.error;
    if (update.retryInMs !== undefined) stored.dueAt = this.#clock.now() + update.retryInMs;
    this.updates.push(structuredClone(update));
    await this.around("after");
  }

  async savePreview(lease: AccountLease, turnId: TurnId, preview: Preview): Promise<void> {
    await this.around("before");
    this.#check(lease);
    this.previews.set(turnId, preview);
    await this.around("after");
  }

  async preview(turnId: TurnId): Promise<Preview | undefined> {
    return this.previews.get(turnId);
  }

  async abandonedPreviews(_: AccountId, turnIds?: readonly TurnId[]): Promise<readonly AbandonedPreview[]> {
    return [...this.aborted].flatMap(([turnId, conversation]) => {
      const messageId = this.previews.get(turnId)?.messageId;
      const isAsked = turnIds === undefined || turnIds.includes(turnId);
      return isAsked && messageId !== undefined ? [{ turnId, conversation, messageId }] : [];
    });
  }

  async forgetPreview(turnId: TurnId): Promise<void> {
    this.previews.delete(turnId);
  }

  #check({ fence }: AccountLease): void {
    if (fence !== this.fence) throw new GatewayError("another gateway holds the account now", { code: "conflict" });
  }

  #withPreview(row: OutboxRow): OutboxRow {
    const preview = row.kind === "reply" && row.turnId !== undefined ? this.previews.get(row.turnId) : undefined;
    return preview === undefined ? row : { ...row, preview };
  }
}
