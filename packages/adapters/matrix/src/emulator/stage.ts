import { noticing, type Person, type Place, type PlatformStage, type SeenAnswer } from "@talaria/testkit";
import type { MatrixRoom } from "./room.ts";
import { startMatrixServer } from "./server.ts";

/** The emulator as its people use it. */
export async function startStage(): Promise<PlatformStage> {
  const server = await startMatrixServer();
  const people = {
    ada: server.person("ada", "Ada"),
    bob: server.person("bob", "Bob"),
    cleo: server.person("cleo", "Cleo"),
  };
  const direct = server.room({ people: [people.ada] });
  const group = server.room({ name: "Team", people: Object.values(people) });

  function answersIn(room: MatrixRoom): readonly SeenAnswer[] {
    return room.botMessages().map(({ text, content }) => {
      const file = server.world.media.get(String(content.url).split("/").at(-1) ?? "");
      if (file === undefined) return { text, files: [] };
      const { filename } = content;
      const files = [{ name: String(filename ?? text), bytes: file.bytes }];
      return { text: filename === undefined ? "" : text, files };
    });
  }

  function placeOf(room: MatrixRoom, only?: string): Place {
    return {
      say: async (person: Person, text, { mention = false, picture, file: given, replyTo } = {}) => {
        const mentions = mention ? [server.bot.userId] : [];
        const image = picture && { bytes: picture, name: "p.png", mimeType: "image/png" };
        const file = image ?? (given && { ...given, mimeType: "text/plain" });
        return room.say(only ?? people[person], text, { mentions, ...(file && { file }), ...(replyTo && { replyTo }) });
      },
      answers: () => answersIn(room),
      glance: () =>
        answersIn(room)
          .map(({ text }) => text)
          .join("\n"),
    };
  }

  return {
    platform: "matrix",
    account: {
      platform: "matrix",
      homeserver: server.url,
      accessToken: server.token,
      encryption: false,
      access: { direct: "open", groups: "open" },
      updateIntervalMs: 500,
    },
    direct: placeOf(direct),
    group: placeOf(group),
    meet: (name) => {
      const person = server.person(name);
      return placeOf(server.room({ people: [person] }), person);
    },
    files: true,
    progress: "message",
    longText: 10_000,
    neverDoubles: true,
    reachedAt: async () => undefined,
    loseNextAnswer: (words) => {
      const { when, met } = noticing<Readonly<Record<string, unknown>>>(
        (body) => !("m.new_content" in body) && String(body.body).includes(words),
      );
      server.fail("send", { kind: "hang", effect: "done" }, 1, when);
      return met;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
