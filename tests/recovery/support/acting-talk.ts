import type { BotAccount, PrivateChat } from "@talaria/adapter-telegram/emulator";
import type { SessionKey } from "@talaria/protocol";
import type { OutboxRow } from "@talaria/store";
import { callTool, type ModelRequest, type ModelScript, say, textOf } from "@talaria/testkit";
import { type Ended, farewell, nameIn, type Query } from "../../../apps/worker/src/testing/conversation-play.ts";
import { didText } from "../../../apps/worker/src/testing/did-text.ts";
import { callName, type Move, type Plan, plannedCall } from "../../../apps/worker/src/testing/plan.ts";
import { waitFor } from "../../support/wait-for.ts";
import { effectsOf, openGate } from "./acting-tools.ts";

/** Where conversations are acted. */
interface ActingStage {
  readonly query: Query;
  /** The folder of all workspaces. */
  readonly workspaces: string;
}

/** An account of the configuration and its bot. */
interface ActingAccount {
  readonly id: string;
  readonly bot: BotAccount;
}

interface Row {
  readonly kind: OutboxRow["kind"];
  readonly turn_id: string | null;
  readonly body: OutboxRow;
  readonly state: string;
}

type Message = Ended["transcript"][number];

/**
 * One conversation on Telegram that follows a plan: what its people do, and what the model answers. Everything happens once,
 * whoever asks for it again.
 */
export class ActingTalk {
  readonly plan: Plan;
  readonly chat: PrivateChat;
  readonly #stage: ActingStage;
  readonly #account: ActingAccount;
  readonly #made = new Map<string, Promise<void>>();
  readonly #unknown = new Set<string>();
  #key: SessionKey | undefined;
  /** Answers that people are still busy with. */
  #open = 0;
  #shown: readonly Message[] = [];

  constructor(stage: ActingStage, account: ActingAccount, chat: PrivateChat, plan: Plan) {
    this.#stage = stage;
    this.#account = account;
    this.chat = chat;
    this.plan = plan;
  }

  get isBegun(): boolean {
    return this.#key !== undefined;
  }

  get key(): SessionKey {
    if (this.#key === undefined) throw new Error("nothing has been said yet");
    return this.#key;
  }

  /** What people write in this conversation, so that a request shows to whom it belongs. */
  get opening(): string {
    return `begin ${this.chat.id}.`;
  }

  /** Whoever had this call begun has died. */
  isUnknown(name: string): void {
    this.#unknown.add(name);
  }

  /** Plays to the end. Workers may die meanwhile. */
  async play(): Promise<void> {
    await this.#say(this.opening);
    await this.#rest();
    for (const [index, moves] of this.plan.idle.entries()) {
      for (const [place, move] of moves.entries()) await this.#make(`idle ${index}.${place}`, move);
      await this.#rest();
    }
    if (this.plan.ending === "stopped") await this.#make("ending", { kind: "stop" });
    await this.#rest();
    for (let calls = 0; (await this.#waiting()) !== undefined; calls += 1) {
      await this.#make(`ending ${calls}`, { kind: "decide" });
      await this.#rest();
    }
    await this.#say(farewell);
    await this.#rest();
  }

  async answer({ messages, hungUp }: ModelRequest): Promise<ModelScript> {
    this.#open += 1;
    try {
      this.#shown = messages.flatMap((message) => this.#toMessage(message));
      const number = messages.filter(({ role }) => role === "assistant").length;
      const isLast = textOf(messages.at(-1)).includes(farewell);
      const { calls, meanwhile } = (isLast ? undefined : this.plan.answers[number]) ?? { calls: [], meanwhile: [] };
      const isNew = !this.#made.has(`answer ${number}.0`);
      for (const [index, move] of meanwhile.entries()) await this.#make(`answer ${number}.${index}`, move);
      // The worker that asks hears of it in a moment.
      if (isNew && meanwhile.some(endsTurn) && !hungUp.aborted) return [{ kind: "stall" }];
      return [
        ...say(`answer ${number}`),
        ...calls.flatMap(({ kind, meanwhile: move }, index) => {
          const name = callName(number, index);
          return callTool(kind, { name, waits: move !== undefined }, { id: name, index });
        }),
      ];
    } finally {
      this.#open -= 1;
    }
  }

  /** All that is left. Texts as Telegram shows them, and those that stand in the outbox, of which some were withdrawn. */
  async ended(): Promise<Ended & { readonly texts: readonly string[]; readonly withdrawn: ReadonlySet<string> }> {
    const rows = await this.#stage.query<Row>(
      `select kind, turn_id, body, state from talaria.outbox
        where account_id = $1 and conversation_id = $2 order by id`,
      [this.#account.id, String(this.chat.id)],
    );
    return {
      key: this.key,
      transcript: this.#shown,
      outbox: rows.map(({ kind, turn_id, body }) => ({ ...body, kind, turnId: turn_id }) as OutboxRow),
      effects: await effectsOf(this.#stage.workspaces, this.key),
      unknown: this.#unknown,
      writes: 0,
      shortenedAt: [],
      texts: this.chat.botMessages().map(({ text }) => text),
      withdrawn: new Set(rows.flatMap(({ state, body }) => (state === "withdrawn" ? [body.deliveryKey] : []))),
    };
  }

  /** Makes the moves of people while calls run, and lets these go on. */
  async lookAtCalls(): Promise<void> {
    if (this.#key === undefined) return;
    const started = await this.#stage.query<{ call_id: string }>(
      "select body ->> 'callId' as call_id from talaria.entry where session_key = $1 and kind = 'tool.started'",
      [this.#key],
    );
    for (const { call_id: name } of started) {
      const place = `call ${name}`;
      if (!/^a\d+c\d+$/.test(name) || this.#made.has(place)) continue;
      const { meanwhile } = plannedCall(this.plan, name);
      if (meanwhile === undefined) continue;
      if (meanwhile.kind === "decide" && !(await this.#hasAsked(name))) continue;
      await this.#make(place, meanwhile);
      if (!endsTurn(meanwhile)) await openGate(this.#stage.workspaces, this.key, name);
    }
  }

  /** Whether each earlier call of the same answer that is asked about waits, or has its result. */
  async #hasAsked(name: string): Promise<boolean> {
    const [answer = "", index] = name.slice(1).split("c");
    const before = this.plan.answers[Number(answer)]?.calls.slice(0, Number(index)) ?? [];
    const asks = before.flatMap(({ kind }, place) =>
      kind === "ask" || kind === "look" ? [callName(Number(answer), place)] : [],
    );
    const rows = await this.#stage.query<{ call_id: string }>(
      `select call_id from talaria.open_call where session_key = $1
        union select body ->> 'callId' from talaria.entry where session_key = $1 and kind = 'tool.result'`,
      [this.key],
    );
    return asks.every((ask) => rows.some(({ call_id }) => call_id === ask));
  }

  #make(place: string, move: Move): Promise<void> {
    const made = this.#made.get(place) ?? this.#carryOut(place, move);
    this.#made.set(place, made);
    return made;
  }

  async #carryOut(place: string, move: Move): Promise<void> {
    if (move.kind === "say") await this.#say(`words (${place})`);
    else if (move.kind === "stop") await this.#say("/stop");
    else await this.#decide();
  }

  /** Resolves when it is recorded. */
  async #say(text: string): Promise<void> {
    const { updateId } = this.chat.say(this.chat.person, text);
    const { query } = this.#stage;
    await waitFor(
      async () =>
        (
          await query("select from talaria.seen where account_id = $1 and event_id = $2", [
            this.#account.id,
            `u${updateId}`,
          ])
        ).length > 0,
      `${text} to be recorded`,
    );
    this.#key ??= (
      await query<{ session_key: SessionKey }>(
        `select session_key from talaria.session
          where conversation ->> 'accountId' = $1 and conversation ->> 'conversationId' = $2`,
        [this.#account.id, String(this.chat.id)],
      )
    )[0]?.session_key;
  }

  /** Settles the call that has waited longest, if any, with its button. */
  async #decide(): Promise<void> {
    const call = await this.#waiting();
    if (call === undefined) return;
    const name = nameIn(call.arguments);
    const isQuestion = (text: string) => text.startsWith("May I ") && new RegExp(`\\b${name}\\b`).test(text);
    const question = await waitFor(
      () => this.chat.botMessages().find(({ text }) => isQuestion(text)),
      `the question about ${name} in\n${this.chat.describe()}`,
    );
    const { fate } = plannedCall(this.plan, name);
    this.chat.press(this.chat.person, question.id, fate === "approved" ? "Approve" : "Deny");
    await waitFor(async () => {
      const rows = await this.#stage.query("select from talaria.open_call where id = $1 and settled_at is null", [
        call.id,
      ]);
      return rows.length === 0;
    }, `${name} to be settled`);
  }

  async #waiting(): Promise<{ readonly id: string; readonly arguments: string } | undefined> {
    const rows = await this.#stage.query<{ id: string; arguments: string }>(
      `select id, arguments from talaria.open_call where session_key = $1 and settled_at is null
        order by asked_at, call_id limit 1`,
      [this.key],
    );
    return rows[0];
  }

  /** Resolves when nothing is left to do, for whoever lives. */
  async #rest(): Promise<void> {
    for (let moves = -1; moves !== this.#made.size; ) {
      moves = this.#made.size;
      await waitFor(async () => this.#open === 0 && (await this.#isIdle()), `${this.chat.describe()}\nto come to rest`);
      await Promise.all(this.#made.values());
    }
  }

  async #isIdle(): Promise<boolean> {
    const rows = await this.#stage.query(
      `select from talaria.session left join talaria.turn on turn_id = open_turn
        where session.session_key = $1 and owner is null
          and (open_turn is null or (suspended_at is not null and open_first_seq > greatest(cancel_seq, interrupt_seq)))
          and not exists (
            select from talaria.inbox
             where inbox.session_key = session.session_key and inbox.turn_id is null and reason is null)`,
      [this.key],
    );
    return rows.length > 0;
  }

  /** As the model reads it, without what differs between two conversations. */
  #toMessage(message: ModelRequest["messages"][number]): readonly Message[] {
    const { role, tool_calls = [], tool_call_id: callId } = message;
    const content = textOf(message).replaceAll(this.opening, "begin");
    if (role === "tool") {
      const isError = !content.startsWith(didText("")) && !content.startsWith("WAITING: ");
      return [{ role, callId: callId ?? "", name: "", content, isError }];
    }
    if (role === "assistant") {
      const toolCalls = tool_calls.map(({ id, function: { name, arguments: text } }) => ({
        ...{ callId: id, name },
        arguments: text,
      }));
      return [{ role, content, toolCalls }];
    }
    return role === "user" ? [{ role, content }] : [];
  }
}

/** Somebody wants the turn that runs to end. */
export function endsTurn(move: Move): boolean {
  return move.kind === "stop" || (move.kind === "say" && move.mode === "interrupt");
}
