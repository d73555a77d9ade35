import type { User } from "grammy/types";
import { PeopleChat } from "./people-chat.ts";
import { toWireChat } from "./wire.ts";
import type { BotAccount, World } from "./world.ts";

/** The conversation of one person with one bot. */
export class PrivateChat extends PeopleChat {
  readonly person: User;

  constructor(world: World, bot: BotAccount, person: User) {
    super(world, world.privateChat(bot, person), bot);
    this.person = person;
  }

  /** The person blocks the bot: its calls answer 403 from now on. */
  block(): void {
    this.state.blocked = true;
    this.world.changeMembership(this.state, this.bot, this.person, "member", "kicked");
  }

  unblock(): void {
    this.state.blocked = false;
    this.world.changeMembership(this.state, this.bot, this.person, "kicked", "member");
  }

  /** Presses Stop under the visible draft. Throws when the bot did not offer it. */
  stopGeneration(): number | undefined {
    const draft = this.visibleDraft();
    if (!draft?.canStop) throw new Error("there is no draft with a Stop button");
    if (!draft.keepOnStop) this.state.shownDraft = undefined;
    return this.bot.updates.push("stopped_message_generation", {
      chat: toWireChat(this.state),
      draft_id: draft.draftId,
      ...(draft.threadId !== undefined && { message_thread_id: draft.threadId }),
    });
  }

  /** Opens a topic, for bots that have topics in private chats. Returns its id. */
  openTopic(name: string): number {
    if (!this.bot.user.has_topics_enabled) throw new Error("this bot has no topics in private chats");
    return openTopic(this.world, this.state, this.person, name);
  }
}

/** Adds a topic and its service message, whose id is the topic's id. */
export function openTopic(world: World, state: PeopleChat["state"], by: User, name: string): number {
  const service = { forum_topic_created: { name, icon_color: 7_322_096 } };
  const { message } = world.postAsPerson(state, by, { text: "", entities: [], service });
  state.topics.set(message.id, { id: message.id, name, closed: false, deleted: false });
  return message.id;
}
