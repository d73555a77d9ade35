import { noticing, type Person, type Place, type PlatformStage } from "@talaria/testkit";
import type { SlackPlace } from "./place.ts";
import { startSlackServer } from "./server.ts";
import type { SlackUser } from "./world.ts";

/** The emulator as its people use it. */
export async function startStage(): Promise<PlatformStage> {
  const server = await startSlackServer({ redelivery: { silenceMs: 1_000, pausesMs: [200, 1_000, 5_000] } });
  const people = { ada: server.user("ada"), bob: server.user("bob"), cleo: server.user("cleo") };
  const channel = server.channel("general");

  function placeOf(place: SlackPlace, only?: SlackUser): Place {
    const senderOf = (person: Person) => only ?? people[person];
    return {
      say: async (person: Person, text, { mention = false, picture, file, replyTo: thread, isForward } = {}) => {
        const files = [
          ...(picture === undefined ? [] : [{ bytes: picture, name: "picture.png", mimetype: "image/png" }]),
          ...(file === undefined ? [] : [{ ...file, mimetype: "text/plain" }]),
        ];
        if (isForward) return place.say(senderOf(person), "", { forwards: { author: "Eve", text } });
        return place.say(senderOf(person), text, { mentionBot: mention, files, ...(thread && { thread }) });
      },
      answers: () =>
        place
          .botMessages()
          .filter(({ isStreaming }) => !isStreaming)
          .map(({ text, files, buttons }) => ({ text, files, buttons: buttons.map(({ label }) => label) })),
      glance: () =>
        place
          .botMessages()
          .map(({ text }) => text)
          .join("\n"),
    };
  }

  return {
    platform: "slack",
    account: {
      platform: "slack",
      botToken: server.botToken,
      appToken: server.appToken,
      apiRoot: server.api,
      access: { direct: "open", groups: "open" },
    },
    direct: placeOf(server.direct(people.ada)),
    group: placeOf(channel),
    meet: (name) => {
      const person = server.user(name);
      return placeOf(server.direct(person), person);
    },
    files: true,
    progress: "draft",
    longText: 9_000,
    neverDoubles: false,
    reachedAt: async () => undefined,
    loseNextAnswer: (words) => {
      const { when, met } = noticing((body: unknown) => JSON.stringify(body).includes(words));
      server.fail("chat.postMessage", { kind: "hang", effect: "done" }, 1, when);
      return met;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
