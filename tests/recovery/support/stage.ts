import { type AccountId, brandAs, type ConversationId, type EventId, type MessageId } from "@talaria/protocol";
import type { GroupChat, PrivateChat } from "@talaria/testkit";
import { waitFor } from "../../support/wait-for.ts";
import { openQuestions, question } from "./answers.ts";
import type { FleetProcess } from "./fleet-process.ts";
import type { FleetWorld } from "./world.ts";

/** How long anything may take on a busy machine. */
export const patienceMs = 30_000;

const account = brandAs<AccountId>("bot-0");

export type Processes = Readonly<Record<FleetProcess["kind"], FleetProcess>>;

/** One question on its way through a fleet, and the two processes that carry it. */
export class Stage {
  readonly world: FleetWorld;
  readonly gateway: FleetProcess;
  readonly worker: FleetProcess;
  readonly chat: PrivateChat | GroupChat;
  readonly asked = question();
  readonly #say: (text: string) => number | undefined;
  #eventId: EventId | undefined;

  constructor(world: FleetWorld, processes: Processes, place: "direct" | "group") {
    const { telegram } = world;
    const ada = telegram.user({ first_name: "Ada" });
    const chat =
      place === "direct"
        ? telegram.privateChat(ada)
        : telegram.group({ title: "Team", members: [ada], botIsAdministrator: true });
    this.world = world;
    this.gateway = processes.gateway;
    this.worker = processes.worker;
    this.chat = chat;
    this.#say = (text) => chat.say(ada, text).updateId;
  }

  /** The event of the question, once it was written. */
  get eventId(): EventId {
    if (this.#eventId === undefined) throw new Error("nothing has been written yet");
    return this.#eventId;
  }

  write(): void {
    this.#eventId = brandAs<EventId>(`u${this.#say(this.asked)}`);
  }

  /** A further message of the same person. */
  writeMore(text: string): void {
    this.#say(text);
  }

  /** Resolves when the model has been asked. */
  async isAsked(): Promise<void> {
    await this.world.model.waitForRequest((request) => openQuestions(request).includes(this.asked), patienceMs);
  }

  timesAsked(): number {
    return this.world.model.requests.filter((request) => openQuestions(request).includes(this.asked)).length;
  }

  /** Resolves when the turn is committed, sent or not. */
  async isAnswered(): Promise<void> {
    const state = async () => (await this.world.fleet.store.inbox.status(account, this.eventId))?.state;
    await waitFor(async () => (await state()) === "answered", "the turn's commit", patienceMs);
  }

  async isRecorded(): Promise<boolean> {
    return (await this.world.fleet.store.inbox.status(account, this.eventId)) !== undefined;
  }

  /** Resolves when the id of the preview that stands in the chat is stored. */
  async previewIsStored(): Promise<void> {
    const { sentByUs } = this.world.fleet.store.operations;
    const conversation = brandAs<ConversationId>(String(this.chat.id));
    const ids = () => this.chat.botMessages().map(({ id }) => brandAs<MessageId>(String(id)));
    await waitFor(
      async () => (await Promise.all(ids().map((id) => sentByUs(account, conversation, id)))).includes(true),
      "the preview's id",
      patienceMs,
    );
  }

  /** The next message to this chat whose text has these words is posted, and its sender never learns it. */
  loseNextAnswerOfTelegram(words = ""): void {
    const chatId = String(this.chat.id);
    const here = ({ chat_id, text }: Readonly<Record<string, unknown>>) =>
      String(chat_id) === chatId && String(text).includes(words);
    this.world.telegram.fail("sendMessage", { kind: "hang", effect: "done" }, 1, here);
  }

  /** Resolves when so many messages with these words stand in the chat. */
  async isShown(words: string, times = 1): Promise<void> {
    await waitFor(() => this.timesShown(words) === times, `${times} messages with ${words}`, patienceMs);
  }

  timesShown(words: string): number {
    return this.chat.botMessages().filter(({ text }) => text.includes(words)).length;
  }
}
