import { noticing, type Person, type Place, type PlatformStage } from "@talaria/testkit";
import { startMailServer } from "./mail-server.ts";

/** Mail: each direct conversation is one thread, each mail in it an answer to the last one, unless it answers another. */
export async function startStage(): Promise<PlatformStage> {
  const server = await startMailServer();
  const placeOf = (only?: string): Place => {
    const thread: string[] = [];
    const sent = () =>
      only === undefined ? server.sent() : server.sent().filter(({ to }) => to.includes(`${only}@people.test`));
    return {
      say: async (person: Person, text, { picture, file, replyTo, isForward = false, seenBy = [] } = {}) => {
        const files = [
          ...(picture === undefined ? [] : [{ name: "picture.png", type: "image/png", bytes: picture }]),
          ...(file === undefined ? [] : [{ ...file, type: "text/plain" }]),
        ];
        if (replyTo !== undefined) thread.splice(0, Infinity, replyTo);
        const last = thread.at(-1);
        const id = server.say(`${only ?? person} <${only ?? person}@people.test>`, isForward ? passedOn(text) : text, {
          subject: isForward ? "Fwd: Hello" : "Hello",
          files,
          ...(last === undefined ? {} : { inReplyTo: last, references: [...thread] }),
          ...(seenBy.length === 0 ? {} : { cc: seenBy.map((each) => `${each}@people.test`).join(", ") }),
        });
        thread.push(id);
        return id;
      },
      answers: () => sent().map(({ text, files }) => ({ text, files })),
      glance: () =>
        sent()
          .map(({ text }) => text)
          .join("\n"),
    };
  };

  return {
    platform: "email",
    account: {
      platform: "email",
      ...server.settings,
      access: { direct: "open", groups: "off" },
      pace: { burst: 20, refillMs: 100 },
    },
    direct: placeOf(),
    meet: placeOf,
    files: true,
    progress: "none",
    neverDoubles: false,
    reachedAt: async () => undefined,
    loseNextAnswer: (words) => {
      const { when, met } = noticing((raw: string) => raw.includes(words));
      server.failNextSend({ kind: "hang", keep: true, when });
      return met;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** As Gmail writes it. */
function passedOn(text: string): string {
  return `---------- Forwarded message ---------
From: Dora <dora@elsewhere.test>
Date: Mon, Nov 23, 2026 at 9:00 AM
Subject: Hello
To: Cleo <cleo@people.test>


${text}
`;
}
