import { brandAs, type ConversationId, type DeliveryKey, type SessionKey, type TurnId } from "@talaria/protocol";
import type { OutboxRow, OutboxText, OutboxUpdate, Preview } from "@talaria/store";
import { accountId, conversationOf } from "./test-platform.ts";

/** What the model of the outbox keeps of a row. */
export interface ModelRow {
  row: OutboxRow;
  state: OutboxUpdate["state"];
  error: string | undefined;
  dueAt: number;
}

/** The outbox in a few lines: what the lanes rely on, and nothing else. Tried against the real one in `model-store.test.ts`. */
export class ModelOutbox {
  readonly rows: ModelRow[] = [];
  readonly previews = new Map<TurnId, Preview>();

  add(text: OutboxText, now: number): void {
    if (this.rows.some(({ row }) => row.deliveryKey === text.deliveryKey)) return;
    const row = { ...text, id: this.rows.length + 1, accountId, committedAt: now };
    this.rows.push({ row, state: "pending", error: undefined, dueAt: now });
  }

  due(inFlight: readonly number[], limit: number, now: number): readonly OutboxRow[] {
    const blocked = new Set<ConversationId>();
    const due: OutboxRow[] = [];
    for (const { row, state, dueAt } of this.rows) {
      const { conversationId } = row.conversation;
      if (state !== "pending" || blocked.has(conversationId)) continue;
      if (inFlight.includes(row.id) || dueAt > now) blocked.add(conversationId);
      else if (due.length < limit) due.push(this.#withPreview(row));
    }
    return due;
  }

  update({ id, state, parts, retryInMs, error }: OutboxUpdate, now: number): void {
    const stored = this.rows[id - 1];
    if (stored === undefined) throw new RangeError("no such row");
    stored.row = { ...stored.row, parts };
    stored.state = state;
    stored.error = error;
    if (retryInMs !== undefined) stored.dueAt = now + retryInMs;
  }

  #withPreview(row: OutboxRow): OutboxRow {
    const preview = row.kind === "reply" && row.turnId !== undefined ? this.previews.get(row.turnId) : undefined;
    return preview === undefined ? row : { ...row, preview };
  }
}

/** A reply of this turn, or a notice. */
export function modelText(n: number, markdown: string, conversation: string, turnId?: TurnId): OutboxText {
  const deliveryKey = brandAs<DeliveryKey>(`key-${n}`);
  const base = { deliveryKey, conversation: conversationOf(conversation), markdown, attachments: [] };
  if (turnId === undefined) return { ...base, kind: "notice" };
  return { ...base, kind: "reply", turnId, sessionKey: brandAs<SessionKey>(`acct/${conversation}`) };
}
