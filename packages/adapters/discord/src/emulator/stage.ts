import { noticing, type Person, type Place, type PlatformStage } from "@talaria/testkit";
import type { DiscordPlace } from "./place.ts";
import { startDiscordServer } from "./server.ts";
import type { DiscordUser } from "./state.ts";

/** The emulator as its people use it. */
export async function startStage(): Promise<PlatformStage> {
  const server = await startDiscordServer();
  const people = { ada: server.user("ada"), bob: server.user("bob"), cleo: server.user("cleo") };
  const channel = server.channel(server.guild("Workshop"), "general");

  function placeOf(place: DiscordPlace, only?: DiscordUser): Place {
    const senderOf = (person: Person) => only ?? people[person];
    return {
      say: async (person: Person, text, { mention = false, picture, file, replyTo, isForward } = {}) => {
        const files = [
          ...(picture === undefined ? [] : [{ bytes: picture, name: "picture.png", contentType: "image/png" }]),
          ...(file === undefined ? [] : [{ ...file, contentType: "text/plain" }]),
        ];
        if (isForward) return place.say(senderOf(person), "", { forwards: { content: text } });
        return place.say(senderOf(person), text, { mentionBot: mention, files, ...(replyTo && { replyTo }) });
      },
      answers: () =>
        place
          .botMessages()
          .map(({ text, files, buttons }) => ({ text, files, buttons: buttons.map(({ label }) => label) })),
      glance: () =>
        place
          .botMessages()
          .map(({ text }) => text)
          .join("\n"),
    };
  }

  return {
    platform: "discord",
    account: {
      platform: "discord",
      token: server.token,
      apiRoot: server.api,
      access: { direct: "open", groups: "open" },
      updateIntervalMs: 200,
    },
    direct: placeOf(server.direct(people.ada)),
    group: placeOf(channel),
    meet: (name) => {
      const person = server.user(name);
      return placeOf(server.direct(person), person);
    },
    files: true,
    progress: "message",
    longText: 1_700,
    neverDoubles: true,
    reachedAt: async () => undefined,
    loseNextAnswer: (words) => {
      const { when, met } = noticing<Readonly<Record<string, unknown>>>(({ content }) =>
        String(content).includes(words),
      );
      server.fail("createMessage", { kind: "hang", effect: "done" }, 1, when);
      return met;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
