import type { GroupChat, PrivateChat, TelegramServer } from "@talaria/adapter-telegram/emulator";
import { brandAs, type EventId } from "@talaria/protocol";
import { noticing } from "@talaria/testkit";
import { Journey, type Processes, type Screen } from "./journey.ts";
import type { FleetWorld } from "./world.ts";

/** One question in a new Telegram chat. */
export class Stage extends Journey {
  readonly telegram: TelegramServer;
  readonly chat: PrivateChat | GroupChat;
  readonly #eventIds: EventId[];

  constructor(world: FleetWorld, processes: Processes, place: "direct" | "group") {
    const { telegram } = world;
    const ada = telegram.user({ first_name: "Ada" });
    const chat =
      place === "direct"
        ? telegram.privateChat(ada)
        : telegram.group({ title: "Team", members: [ada], botIsAdministrator: true });
    const eventIds: EventId[] = [];
    const say = (text: string) => eventIds.push(brandAs<EventId>(`u${chat.say(ada, text).updateId}`));
    super(world, processes, { ...screenOf(world, chat), say });
    this.telegram = telegram;
    this.chat = chat;
    this.#eventIds = eventIds;
  }

  /** The event of the question, once it was written. */
  get eventId(): EventId {
    const [first] = this.#eventIds;
    if (first === undefined) throw new Error("nothing has been written yet");
    return first;
  }
}

function screenOf({ telegram }: FleetWorld, chat: PrivateChat | GroupChat): Omit<Screen, "say"> {
  const texts = () => chat.botMessages().map(({ text }) => text);
  return {
    texts,
    glance: () => [...texts(), ...("drafts" in chat ? chat.drafts().map(({ text }) => text) : [])].join("\n"),
    lose: (words) => {
      const { when, met } = noticing<Readonly<Record<string, unknown>>>(
        ({ chat_id, text }) => String(chat_id) === String(chat.id) && String(text).includes(words),
      );
      telegram.fail("sendMessage", { kind: "hang", effect: "done" }, 1, when);
      return met;
    },
    longText: 3_500,
  };
}
