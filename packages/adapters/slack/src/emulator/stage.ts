import { noticing, type Person, type Place, type PlatformStage } from "@talaria/testkit";
import type { SlackPlace } from "./place.ts";
import { startSlackServer } from "./server.ts";

/** The emulator as its people use it. */
export async function startStage(): Promise<PlatformStage> {
  const server = await startSlackServer({ redelivery: { silenceMs: 1_000, pausesMs: [200, 1_000, 5_000] } });
  const people = { ada: server.user("ada"), bob: server.user("bob"), cleo: server.user("cleo") };
  const channel = server.channel("general");

  function placeOf(place: SlackPlace): Place {
    return {
      say: async (person: Person, text, { mention = false, picture, file, replyTo: thread, isForward } = {}) => {
        const files = [
          ...(picture === undefined ? [] : [{ bytes: picture, name: "picture.png", mimetype: "image/png" }]),
          ...(file === undefined ? [] : [{ ...file, mimetype: "text/plain" }]),
        ];
        if (isForward) return place.say(people[person], "", { forwards: { author: "Eve", text } });
        return place.say(people[person], text, { mentionBot: mention, files, ...(thread && { thread }) });
      },
      answers: () =>
        place
          .botMessages()
          .filter(({ isStreaming }) => !isStreaming)
          .map(({ text, files }) => ({ text, files })),
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
