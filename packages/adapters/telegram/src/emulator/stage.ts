import { noticing, type Person, type Place, type PlatformStage } from "@talaria/testkit";
import type { User } from "grammy/types";
import type { GroupChat } from "./group-chat.ts";
import type { PrivateChat } from "./private-chat.ts";
import { startTelegramServer } from "./server.ts";

/** Who wrote what is forwarded. */
const elsewhere = { type: "hidden_user", sender_user_name: "Eve", date: 1_700_000_000 };

/** The emulator as its people use it. */
export async function startStage(): Promise<PlatformStage> {
  const server = await startTelegramServer();
  const people = {
    ada: server.user({ first_name: "Ada" }),
    bob: server.user({ first_name: "Bob" }),
    cleo: server.user({ first_name: "Cleo" }),
  };
  const group = server.group({ title: "Team", members: Object.values(people), botIsAdministrator: true });

  function placeOf(chat: PrivateChat | GroupChat, only?: User): Place {
    return {
      say: async (person: Person, text, { mention = false, picture, file, replyTo, isForward } = {}) => {
        const sender = only ?? people[person];
        const how = { mentionBot: mention, ...(replyTo === undefined ? {} : { replyTo: Number(replyTo) }) };
        const post = () => {
          if (picture !== undefined) return chat.sendPhoto(sender, picture, text, how);
          if (file !== undefined) return chat.sendDocument(sender, { ...file, mimeType: "text/plain" }, text, how);
          if (isForward) return chat.sendOther(sender, { forward_origin: elsewhere }, text, how);
          return chat.say(sender, text, how);
        };
        return String(post().messageId);
      },
      answers: () =>
        chat.botMessages().map(({ text, media, buttons }) => ({
          text,
          buttons: buttons.flat().map((button) => button.text),
          files: media === undefined ? [] : [{ name: media.name ?? "", bytes: media.bytes }],
        })),
      glance: () => [...chat.drafts(), ...chat.botMessages()].map(({ text }) => text).join("\n"),
    };
  }

  return {
    platform: "telegram",
    account: {
      platform: "telegram",
      token: server.token,
      apiRoot: server.apiRoot,
      access: { direct: "open", groups: "open" },
      updateIntervalsMs: { draft: 100, group: 200 },
    },
    direct: placeOf(server.privateChat(people.ada)),
    group: placeOf(group),
    meet: (name) => {
      const person = server.user({ first_name: name });
      return placeOf(server.privateChat(person), person);
    },
    files: true,
    progress: "draft",
    longText: 3_500,
    neverDoubles: false,
    reachedAt: async () => undefined,
    loseNextAnswer: (words) => {
      const { when, met } = noticing<Readonly<Record<string, unknown>>>(({ text }) => String(text).includes(words));
      server.fail("sendMessage", { kind: "hang", effect: "done" }, 1, when);
      return met;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
