import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { say, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { MatrixPeer } from "./matrix-peer.ts";
import { Synapse, type SynapseUser, synapsePython } from "./synapse.ts";

const python = await synapsePython();
const missing = python === undefined ? "needs Synapse: run scripts/peers/synapse.sh" : "";
const skip = missing !== "" && process.env.CI !== "true" ? missing : false;

describe("an encrypted room on Synapse through the whole house", { skip }, () => {
  let synapse: Synapse;
  let bot: SynapseUser;
  let ada: MatrixPeer;
  let room: string;

  before(async () => {
    assert.equal(missing, "", "a peer is missing");
    synapse = await Synapse.start(python ?? "");
    bot = await synapse.register("talaria", "Talaria");
    ada = await MatrixPeer.start(synapse.url, await synapse.register("ada", "Ada"));
  });
  after(async () => {
    await ada?.stop();
    await synapse?.stop();
  });

  it("answers, also what was said while it was down, with the same device after stop and after kill", async () => {
    await using model = await startModelServer({ respond: (request) => say(`answer to ${request.lastUserText}`) });
    const talaria = await Installation.start({
      config: `
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: "interop-key-0002", model: test } }
accounts:
  matrix-main:
    platform: matrix
    homeserver: "${synapse.url}"
    user: "${bot.userId}"
    password: "${bot.password}"
    invites: { allow: ["${ada.user.userId}"] }
    access: { direct: open }
`,
    });
    try {
      room = await ada.encryptedRoom(bot.userId);
      await ada.joined(room, bot.userId);
      await ada.say(room, "hello");
      const answer = await ada.seesText("answer to hello");
      assert.equal(answer.isEncrypted, true);
      const devices = await devicesOf(ada, bot.userId);
      assert.equal(devices.length, 1);

      for (const [signal, text] of [
        ["SIGTERM", "while it was stopped"],
        ["SIGKILL", "while it was dead"],
      ] as const) {
        await talaria.stop(signal);
        await ada.say(room, text);
        await talaria.begin();
        await ada.seesText(`answer to ${text}`);
        await ada.say(room, `again, after ${signal}`);
        await ada.seesText(`answer to again, after ${signal}`);
      }
      assert.deepEqual(await devicesOf(ada, bot.userId), devices, "the device and its key are the same");
      const answers = ada.seen().filter(({ sender, content }) => sender === bot.userId && content.msgtype === "m.text");
      const undecryptable = answers.filter(({ content }) => content.msgtype === "m.bad.encrypted");
      assert.deepEqual(undecryptable, []);
    } finally {
      await talaria.remove();
    }
  });
});

async function devicesOf(peer: MatrixPeer, userId: string): Promise<readonly string[]> {
  const devices = await peer.client.getCrypto()?.getUserDeviceInfo([userId], true);
  return [...(devices?.get(userId)?.values() ?? [])].map((device) => `${device.deviceId} ${device.getFingerprint()}`);
}
