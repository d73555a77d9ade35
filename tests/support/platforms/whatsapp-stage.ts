import { startWhatsappServer } from "@talaria/testkit";
import type { Person, Place, PlatformStage } from "./platform-stage.ts";

/** The Cloud API knows direct conversations only. */
export async function startWhatsappStage(): Promise<PlatformStage> {
  const server = await startWhatsappServer();
  const ada = server.person("Ada");

  const direct: Place = {
    say: async (_person: Person, text, { picture } = {}) => {
      if (picture === undefined) ada.say(text);
      else ada.send({ kind: "image", bytes: picture, mimeType: "image/png", caption: text });
    },
    answers: () =>
      ada.answers().map(({ text, file }) => ({
        text,
        files: file === undefined ? [] : [{ name: file.name ?? "", bytes: file.bytes }],
      })),
    glance: () =>
      ada
        .answers()
        .map(({ text }) => text)
        .join("\n"),
  };

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
    direct,
    showsProgress: false,
    neverDoubles: false,
    reachedAt: async (gatewayUrl) => server.callTo(`${gatewayUrl}/platforms/main`),
    loseNextAnswer: (words) =>
      server.fail("send", { kind: "hang", effect: "done" }, 1, (body) => JSON.stringify(body).includes(words)),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
