import type { GroupChat, PrivateChat } from "@talaria/adapter-telegram/emulator";
import type { Setting } from "./setting.ts";

type Person = Setting["owner"];

/** Something on Telegram that starts no turn. */
export interface TelegramRow {
  readonly id: string;
  readonly what: string;
  /** Who sends it; a stranger of this description unless it says `owner`. */
  readonly by?: "owner" | { readonly id?: number; readonly first_name: string; readonly username?: string };
  readonly send: (setting: Setting, by: Person) => Sent;
  /** What the audit says; undefined: there was nothing to record. */
  readonly recorded: string | undefined;
}

export interface Sent {
  readonly updateId: number | undefined;
  /** Where the bot stays silent. */
  readonly chat: PrivateChat | GroupChat;
}

const notAllowed = "refused:not_allowed";
const unverified = "refused:unverified_sender";

export const telegramRows: readonly TelegramRow[] = [
  said("A04", "an id that ends with the owner's", { id: 912_345, first_name: "End" }),
  said("A04", "an id that starts with the owner's", { id: 123_450, first_name: "Start" }),
  said("A04", "an id that contains the owner's", { id: 9_123_450, first_name: "Middle" }),
  said("A05", "the owner's user name", { first_name: "Taker", username: "olive" }),
  said("A06", "the owner's name", { first_name: "Olive Owner" }),
  said("A06", "the owner's name in letters that look alike", { first_name: "Οlіve Оwner" }),
  said("A06", "the owner's name behind invisible and turning characters", {
    first_name: "\u200b\u202eOlive\u2066 Owner\u2069",
  }),
  said("A18", "a command", { first_name: "Commander" }, "/status"),
  said("A18", "an order to approve", { first_name: "Approver" }, "/approve 1"),
  {
    id: "A03",
    what: "a sender without an id",
    send: (setting, by) =>
      raw(setting, direct(setting, by), { message: { ...message(by, "no id"), from: { first_name: "Nobody" } } }),
    recorded: unverified,
  },
  {
    id: "A03",
    what: "no sender at all",
    send: (setting, by) =>
      raw(setting, direct(setting, by), { message: { ...message(by, "nobody"), from: undefined } }),
    recorded: unverified,
  },
  {
    id: "A03",
    what: "the owner's chat, and no sender",
    by: "owner",
    send: (setting, by) => raw(setting, setting.ownerChat, { message: { ...message(by, "nobody"), from: undefined } }),
    recorded: unverified,
  },
  {
    id: "A07",
    what: "a group that has the title of a listed one",
    by: "owner",
    send: ({ world, guarded, owner }) => {
      const chat = world.telegram.group({ title: "Team", members: [owner], botIsAdministrator: true }, [guarded]);
      return { updateId: chat.say(owner, "in the wrong team", { mentionBot: true }).updateId, chat };
    },
    recorded: "refused:group_not_allowed",
  },
  {
    id: "A08",
    what: "a group, for the account that reads none",
    by: "owner",
    send: ({ world, pairing, owner }) => {
      const chat = world.telegram.group({ title: "Others", members: [owner] }, [pairing]);
      return { updateId: chat.say(owner, "from a group", { mentionBot: true }).updateId, chat };
    },
    recorded: "refused:account_off",
  },
  {
    id: "A09",
    what: "a stranger's edit",
    send: (setting, by) => {
      const chat = direct(setting, by);
      const { messageId } = chat.say(by, "first words");
      return { updateId: chat.edit(by, messageId, "other words").updateId, chat };
    },
    recorded: notAllowed,
  },
  {
    id: "A09",
    what: "a stranger's reaction",
    send: (setting, by) => {
      const chat = direct(setting, by);
      const { messageId } = chat.say(by, "words");
      return { updateId: chat.react(by, messageId, "👍").updateId, chat };
    },
    recorded: notAllowed,
  },
  other("A09", "a stranger's sticker", { sticker: { file_id: "s", emoji: "🙂", width: 1, height: 1 } }),
  other("A09", "a stranger's poll", { poll: { id: "1", question: "?", options: [{ text: "a" }] } }),
  other("A09", "a stranger's forwarded message", {
    forward_origin: { type: "user", sender_user: { id: 12_345, first_name: "Olive" } },
    text: "x",
  }),
  {
    id: "A10",
    what: "a stranger's press on a button of the owner's chat",
    send: ({ world, guarded, ownerChat, owner }, by) => {
      const card = { ...message(owner, "a card"), from: { id: guarded.user.id, is_bot: true, first_name: "Bot" } };
      const query = {
        id: "77",
        chat_instance: "1",
        data: "stop",
        message: card,
        from: { id: by.id, first_name: "Presser" },
      };
      return { updateId: world.telegram.raw({ callback_query: query }, guarded), chat: ownerChat };
    },
    recorded: notAllowed,
  },
  {
    id: "A11",
    what: "a stranger's voice",
    send: (setting, by) => {
      const chat = direct(setting, by);
      return { updateId: chat.sendVoice(by, { bytes: Uint8Array.of(1, 2, 3), duration: 1 }).updateId, chat };
    },
    recorded: notAllowed,
  },
  {
    id: "A19",
    what: "words of the bot itself",
    send: (setting, by) => {
      const from = { id: setting.guarded.user.id, is_bot: true, first_name: "Bot" };
      return raw(setting, direct(setting, by), { message: { ...message(setting.owner, "my own"), from } });
    },
    recorded: undefined,
  },
  {
    id: "A19",
    what: "words of another bot in the team",
    send: ({ world, guarded, team }) => {
      const robot = world.telegram.user({ first_name: "Robot", is_bot: true });
      return {
        updateId: world.telegram.raw(
          { message: { ...message(robot, "/status"), from: { ...robot }, chat: { id: team.id, type: "supergroup" } } },
          guarded,
        ),
        chat: team,
      };
    },
    recorded: "ignored:from_bot",
  },
  owners("J02", "only characters that show nothing", "\u200b\u2060\u00ad", "ignored:empty"),
  owners("J02", "only spaces", "\u2003 \n", undefined),
  ...["a handle that only begins like the bot's", "the bot's handle as code"].map(
    (what, index): TelegramRow => ({
      id: "J11",
      what,
      by: "owner",
      send: ({ guarded, team, owner }) => {
        const handle = `@${guarded.user.username}`;
        const text = index === 0 ? `${handle}2 hello` : `${handle} hello`;
        const entities = index === 0 ? [] : [{ type: "code" as const, offset: 0, length: handle.length }];
        return { updateId: team.say(owner, text, { entities }).updateId, chat: team };
      },
      recorded: "ignored:not_addressed",
    }),
  ),
  unread("J08", "a kind of update that does not exist yet", { hologram: { from: 1 } }),
  unread("J08", "a message that is none", { message: "hello" }),
  unread("J08", "a message without anything", { message: {} }),
  unread("J08", "a chat without an id", {
    message: { message_id: 1, date: 1, text: "x", chat: {}, from: { id: 12_345 } },
  }),
  unread("J08", "nothing but a number", {}),
  unread("J13", "somebody who joined", {
    message: {
      message_id: 9,
      date: 1,
      chat: { id: 12_345, type: "private" },
      from: { id: 12_345 },
      new_chat_members: [],
    },
  }),
];

function said(id: string, what: string, by: NonNullable<TelegramRow["by"]>, text = "let me in"): TelegramRow {
  const send = (setting: Setting, person: Person) => {
    const chat = direct(setting, person);
    return { updateId: chat.say(person, text).updateId, chat };
  };
  return { id, what, by, send, recorded: notAllowed };
}

function other(id: string, what: string, fields: Record<string, unknown>): TelegramRow {
  const send = (setting: Setting, by: Person) => {
    const chat = direct(setting, by);
    return { updateId: chat.sendOther(by, fields).updateId, chat };
  };
  return { id, what, send, recorded: notAllowed };
}

function owners(id: string, what: string, text: string, recorded: string | undefined): TelegramRow {
  const send = ({ ownerChat: chat, owner }: Setting) => ({ updateId: chat.say(owner, text).updateId, chat });
  return { id, what, by: "owner", send, recorded: recorded ?? "ignored:empty" };
}

function unread(id: string, what: string, update: Record<string, unknown>): TelegramRow {
  return { id, what, by: "owner", send: (setting) => raw(setting, setting.ownerChat, update), recorded: undefined };
}

function raw({ world, guarded }: Setting, chat: PrivateChat, update: Record<string, unknown>): Sent {
  return { updateId: world.telegram.raw(update, guarded), chat };
}

function direct({ world, guarded }: Setting, person: Person): PrivateChat {
  return world.telegram.privateChat(person, guarded);
}

/** A message in the person's direct chat, as Telegram would put it. */
function message(person: Person, text: string) {
  const { id, first_name } = person;
  const from = { id, is_bot: person.is_bot, first_name };
  return {
    message_id: 4_242,
    date: Math.floor(Date.now() / 1000),
    text,
    from,
    chat: { id, type: "private", first_name },
  };
}
