import { noticing, type Person, type Place, type PlatformStage } from "@talaria/testkit";
import type { WhatsappPerson } from "./person.ts";
import { startWhatsappServer } from "./server.ts";

/** The Cloud API knows direct conversations only. */
export async function startStage(): Promise<PlatformStage> {
  const server = await startWhatsappServer();

  const placeOf = (person: WhatsappPerson): Place => ({
    say: async (_: Person, text, { picture, file, replyTo } = {}) => {
      const how = replyTo === undefined ? {} : { replyTo };
      const caption = text === "" ? {} : { caption: text };
      if (picture !== undefined)
        return person.send({ kind: "image", bytes: picture, mimeType: "image/png", ...caption }, how);
      if (file !== undefined)
        return person.send({ kind: "document", ...file, mimeType: "text/plain", ...caption }, how);
      return person.say(text, how);
    },
    answers: () =>
      person.answers().map(({ text, file, choices = [] }) => ({
        text,
        buttons: choices.map(({ title }) => title),
        files: file === undefined ? [] : [{ name: file.name ?? "", bytes: file.bytes }],
      })),
    glance: () =>
      person
        .answers()
        .map(({ text }) => text)
        .join("\n"),
  });

  return {
    platform: "whatsapp",
    account: {
      platform: "whatsapp",
      mode: "cloud",
      phoneNumberId: server.phoneNumberId,
      accessToken: server.accessToken,
      appSecret: server.appSecret,
      verifyToken: server.verifyToken,
      apiRoot: server.url,
      access: { direct: "open", groups: "off" },
    },
    direct: placeOf(server.person("Ada")),
    meet: (name) => placeOf(server.person(name)),
    files: true,
    progress: "none",
    longText: 3_500,
    neverDoubles: false,
    reachedAt: async (gatewayUrl) => server.callTo(`${gatewayUrl}/platforms/main`),
    loseNextAnswer: (words) => {
      const { when, met } = noticing((body: unknown) => JSON.stringify(body).includes(words));
      server.fail("send", { kind: "hang", effect: "done" }, 1, when);
      return met;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
