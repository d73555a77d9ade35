import type { User } from "grammy/types";
import { PeopleChat } from "./people-chat.ts";
import { openTopic } from "./private-chat.ts";
import { wireUser } from "./wire.ts";
import type { BotAccount, World } from "./world.ts";

export interface GroupOptions {
  readonly title: string;
  readonly members: readonly User[];
  readonly type?: "group" | "supergroup";
  /** A supergroup with topics. */
  readonly forum?: boolean;
  /** Names of topics to open; look their ids up with `topic(name)`. */
  readonly topics?: readonly string[];
  /** Administrators get every message whatever their privacy mode. */
  readonly botIsAdministrator?: boolean;
}

/** A group or supergroup. */
export class GroupChat extends PeopleChat {
  readonly #bots: readonly BotAccount[];

  constructor(world: World, bots: readonly BotAccount[], first: BotAccount, options: GroupOptions) {
    const isForum = options.forum ?? (options.topics?.length ?? 0) > 0;
    const kind = options.type ?? (isForum ? "supergroup" : "group");
    super(world, world.addGroup({ kind, title: options.title, isForum }), first);
    this.#bots = bots;
    for (const bot of bots) this.state.bots.set(bot.user.id, options.botIsAdministrator ? "administrator" : "member");
    for (const member of options.members) this.state.members.set(member.id, member);
    for (const name of options.topics ?? []) this.openTopic(name);
  }

  /** Opens a topic in the name of the first member. Returns its id, which is the id of the service message. */
  openTopic(name: string): number {
    return openTopic(this.world, this.state, this.#someone(), name);
  }

  /** The id of a topic by its name. */
  topic(name: string): number {
    const topic = [...this.state.topics.values()].find((one) => one.name === name && !one.deleted);
    if (topic === undefined) throw new Error(`there is no topic ${JSON.stringify(name)}`);
    return topic.id;
  }

  /** Messages to a closed topic are refused with TOPIC_CLOSED. */
  closeTopic(id: number): void {
    const topic = this.state.topics.get(id);
    if (topic) topic.closed = true;
  }

  /** Its messages go with it; further ones are refused: the thread is not found. */
  deleteTopic(id: number): void {
    const topic = this.state.topics.get(id);
    if (topic) topic.deleted = true;
    for (const message of this.state.messages.values())
      if (message.threadId === id && !message.deleted) this.state.remove(message);
  }

  addMember(person: User): void {
    this.state.members.set(person.id, person);
    const service = { new_chat_members: [wireUser(person)], new_chat_member: wireUser(person) };
    this.world.postAsPerson(this.state, person, { text: "", entities: [], service });
  }

  removeMember(person: User): void {
    this.state.members.delete(person.id);
    const service = { left_chat_member: wireUser(person) };
    this.world.postAsPerson(this.state, person, { text: "", entities: [], service });
  }

  kickBot(bot: BotAccount = this.bot): void {
    const before = this.state.bots.get(bot.user.id) ?? "left";
    this.state.bots.set(bot.user.id, "kicked");
    this.world.changeMembership(this.state, bot, this.#someone(), before, "kicked");
  }

  /** The bot stays and reads, but what it sends is refused with 400. */
  muteBot(bot: BotAccount = this.bot): void {
    const before = this.state.bots.get(bot.user.id) ?? "left";
    this.state.bots.set(bot.user.id, "restricted");
    this.world.changeMembership(this.state, bot, this.#someone(), before, "restricted");
  }

  addBot(bot: BotAccount = this.bot, status: "member" | "administrator" = "member"): void {
    const before = this.state.bots.get(bot.user.id) ?? "left";
    this.state.bots.set(bot.user.id, status);
    this.world.changeMembership(this.state, bot, this.#someone(), before, status);
  }

  /** Turns the group into a supergroup with a new id. Calls to the old one are answered with `migrate_to_chat_id`. */
  migrate(): GroupChat {
    if (this.state.kind !== "group") throw new Error("only a basic group can become a supergroup");
    const members = [...this.state.members.values()];
    const title = this.state.title ?? "";
    const moved = new GroupChat(this.world, this.#bots, this.bot, { title, members, type: "supergroup" });
    const announce = (chat: PeopleChat, service: Record<string, number>) =>
      this.world.postAsPerson(chat.state, this.#someone(), { text: "", entities: [], service });
    announce(this, { migrate_to_chat_id: moved.id });
    this.state.migratedTo = moved.id;
    announce(moved, { migrate_from_chat_id: this.id });
    return moved;
  }

  #someone(): User {
    const [member] = this.state.members.values();
    if (member === undefined) throw new Error("the group has no members");
    return member;
  }
}
