import { awaitMessage } from "@talaria/testkit";
import { isRecord, type Json, type StoredEvent } from "./wire.ts";
import type { MatrixWorld } from "./world.ts";

/** A message of the bot as people see it: after its edits, in the order of posting. */
export interface SeenMatrixMessage {
  readonly id: string;
  readonly text: string;
  readonly content: Json;
  readonly threadId?: string;
  readonly edits: number;
  /** What it shows, as far as it is not encrypted. */
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
}

export interface MatrixSayOptions {
  readonly threadId?: string;
  readonly replyTo?: string;
  readonly mentions?: readonly string[];
  readonly file?: { readonly bytes: Uint8Array; readonly name: string; readonly mimeType: string };
  /** Added to the content, over everything else. */
  readonly content?: Json;
  readonly at?: number;
}

/** A room, and what people do in it. Ids are user ids. */
export class MatrixRoom {
  readonly id: string;
  readonly #world: MatrixWorld;
  readonly #botId: string;

  constructor(id: string, world: MatrixWorld, botId: string) {
    this.id = id;
    this.#world = world;
    this.#botId = botId;
  }

  /** Posts any event, also one that no client would make. */
  post(sender: string, type: string, content: Json, more: Partial<StoredEvent> = {}): string {
    return this.#world.post({ room_id: this.id, type, sender, content, ...more });
  }

  say(sender: string, text: string, options: MatrixSayOptions = {}): string {
    const { threadId, replyTo, mentions = [], file, content, at } = options;
    const answered = replyTo === undefined ? undefined : { event_id: replyTo };
    const thread = threadId && {
      rel_type: "m.thread",
      event_id: threadId,
      is_falling_back: replyTo === undefined,
      "m.in_reply_to": answered ?? { event_id: threadId },
    };
    const relation = thread || (answered && { "m.in_reply_to": answered });
    const body = {
      msgtype: "m.text",
      body: text,
      "m.mentions": mentions.length > 0 ? { user_ids: mentions } : {},
      ...(file && this.#fileFields(text, file)),
      ...(relation && { "m.relates_to": relation }),
      ...content,
    };
    return this.post(sender, "m.room.message", body, at === undefined ? {} : { origin_server_ts: at });
  }

  edit(sender: string, target: string, text: string): string {
    const changed = { msgtype: "m.text", body: text, "m.mentions": {} };
    const relation = { rel_type: "m.replace", event_id: target };
    return this.post(sender, "m.room.message", {
      ...changed,
      body: `* ${text}`,
      "m.new_content": changed,
      "m.relates_to": relation,
    });
  }

  react(sender: string, target: string, key: string): string {
    return this.post(sender, "m.reaction", { "m.relates_to": { rel_type: "m.annotation", event_id: target, key } });
  }

  redact(sender: string, target: string): string {
    return this.#world.redact(this.id, sender, target);
  }

  /** Changes somebody's membership. */
  member(userId: string, membership: "join" | "invite" | "leave", by = userId): string {
    const content = { membership, displayname: this.#world.displayNames.get(userId) ?? null };
    return this.post(by, "m.room.member", content, { state_key: userId });
  }

  /** Tells an event once more, as servers do after trouble among themselves. */
  redeliver(eventId: string): void {
    const event = this.#world.events.get(eventId);
    if (event !== undefined) this.#world.push(event);
  }

  /** Where an event stands in the stream; the first time if it was told again. */
  positionOf(eventId: string): number {
    return this.#world.stream.find(({ event }) => event.event_id === eventId)?.position ?? Number.POSITIVE_INFINITY;
  }

  events(type?: string): readonly StoredEvent[] {
    return [...this.#world.events.values()].filter(
      (event) => event.room_id === this.id && (type === undefined || event.type === type),
    );
  }

  botMessages(): readonly SeenMatrixMessage[] {
    const own = this.events("m.room.message").filter(
      ({ sender, unsigned }) => sender === this.#botId && unsigned.redacted_because === undefined,
    );
    const edits = own.filter(({ content }) => relationOf(content)?.rel_type === "m.replace");
    return own
      .filter((event) => !edits.includes(event))
      .map(({ event_id: id, content: first }) => {
        const changes = edits.filter(({ content }) => relationOf(content)?.event_id === id);
        const changed = changes.at(-1)?.content["m.new_content"];
        const content = isRecord(changed) ? changed : first;
        const thread = relationOf(first)?.rel_type === "m.thread" ? String(relationOf(first)?.event_id) : undefined;
        const text = String(content.body);
        const file = this.#fileOf(content);
        return {
          id,
          text,
          content,
          edits: changes.length,
          ...(thread !== undefined && { threadId: thread }),
          ...(file !== undefined && { file }),
        };
      });
  }

  /** What the bot put on an event. */
  reactionsOf(eventId: string): readonly string[] {
    return this.events("m.reaction").flatMap(({ sender, content }) => {
      const relation = relationOf(content);
      return sender === this.#botId && relation?.event_id === eventId ? [String(relation.key)] : [];
    });
  }

  waitForBotMessage(test: string | RegExp, timeoutMs = 120_000): Promise<SeenMatrixMessage> {
    return awaitMessage(() => this.botMessages(), test, timeoutMs);
  }

  #fileOf({ filename, url }: Json): SeenMatrixMessage["file"] {
    const stored = this.#world.media.get(String(url).split("/").at(-1) ?? "");
    return stored && { name: String(filename), bytes: stored.bytes };
  }

  #fileFields(caption: string, { bytes, name, mimeType }: NonNullable<MatrixSayOptions["file"]>): Json {
    const id = `media${this.#world.nextId()}`;
    this.#world.media.set(id, { bytes: Buffer.from(bytes), mimeType });
    const family = mimeType.split("/", 1)[0] ?? "";
    return {
      msgtype: ["image", "audio", "video"].includes(family) ? `m.${family}` : "m.file",
      body: caption === "" ? name : caption,
      filename: name,
      url: `mxc://${this.#world.name}/${id}`,
      info: { mimetype: mimeType, size: bytes.byteLength },
    };
  }
}

function relationOf(content: Json): Json | undefined {
  const relation = content["m.relates_to"];
  return isRecord(relation) ? relation : undefined;
}
