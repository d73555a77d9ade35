import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { callTool, say } from "@talaria/testkit";
import { picture } from "../support/picture.ts";
import { longestWaitMs } from "../support/wait-for.ts";
import { modelKey, startWorld, type World } from "../support/world.ts";

const token = "700000001:made";
const drawn = picture();

describe("pictures and recordings that people ask for", () => {
  let world: World;
  let chat: PrivateChat;
  let ada: ReturnType<World["telegram"]["user"]>;
  const asked: Readonly<Record<string, unknown>>[] = [];

  before(async () => {
    const note = (body: Readonly<Record<string, unknown>>) => asked.push(body);
    world = await startWorld({
      telegram: { bots: [{ token }] },
      model: {
        draw: (body) => {
          note(body);
          return drawn;
        },
        speak: (body) => {
          note(body);
          return Buffer.from(`ID3 ${body.voice}: ${body.input}`);
        },
        transcribe: ({ bytes, model }) => `${model} heard ${bytes.subarray(4).toString("latin1")}`,
      },
      env: { IMAGE_KEY: modelKey },
      config: (telegram, _port, model) => {
        ada = telegram.user({ first_name: "Ada" });
        chat = telegram.privateChat(ada);
        return `
owners: ["telegram:user:${ada.id}"]
sandbox: { backend: "off" }
policy: { rules: [{ allow: Sound is cheap, permission: spend, tool: speak }, { allow: Sound is cheap, permission: spend, tool: transcribe }] }
images: { baseUrl: "${model.baseUrl}", apiKey: "\${IMAGE_KEY}", model: gpt-image-2, price: { input: 5, output: 40 } }
speech: { baseUrl: "${model.baseUrl}", apiKey: "${modelKey}", model: gpt-4o-mini-tts, voice: marin }
transcription: { baseUrl: "${model.baseUrl}", apiKey: "${modelKey}", model: whisper-test }
accounts:
  bot: { platform: telegram, token: "${token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`;
      },
    });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  it("cost money, so a picture is asked about first, made once, and sent", async () => {
    world.plan.answer(
      "draw a boat",
      callTool("generate_image", { prompt: "a boat", shape: "landscape" }),
      say("A boat."),
    );
    chat.say(ada, "draw a boat");
    const question = await chat.waitForBotMessage(/May I /, longestWaitMs);
    assert.match(question.text, /have a picture made[\s\S]*a boat/);
    assert.deepEqual(asked, []);
    chat.press(ada, question.id, "Approve");
    const sent = await chat.waitForBotMessage(({ media }) => media !== undefined, longestWaitMs);
    assert.ok(drawn.equals(Buffer.from(sent.media?.bytes ?? [])), "the very picture");
    assert.deepEqual(asked.splice(0), [{ model: "gpt-image-2", prompt: "a boat", n: 1, size: "1536x1024" }]);
  });

  it("are said with the configured voice, and heard, where a rule allows it", async () => {
    world.plan.answer("say hello", callTool("speak", { text: "hello" }), say("Listen."));
    chat.say(ada, "say hello");
    const sent = await chat.waitForBotMessage(
      ({ media }) => media?.kind !== "photo" && media !== undefined,
      longestWaitMs,
    );
    assert.equal(Buffer.from(sent.media?.bytes ?? []).toString(), "ID3 marin: hello");
    assert.deepEqual(asked.splice(0), [
      { model: "gpt-4o-mini-tts", voice: "marin", input: "hello", response_format: "mp3" },
    ]);
    chat.sendDocument(
      ada,
      { bytes: Buffer.from("OggS the meeting"), name: "a.ogg", mimeType: "audio/ogg" },
      "write it down",
    );
    const { lastUserText } = await world.model.waitForRequest(
      (request) => request.lastUserText.includes("write it down"),
      longestWaitMs,
    );
    const id = /id="([0-9a-f]{12})"/.exec(lastUserText)?.[1];
    world.plan.answer("now, please", callTool("transcribe", { id }), say("Written down."));
    chat.say(ada, "now, please");
    await chat.waitForBotMessage("Written down.", longestWaitMs);
    assert.match(world.model.requests.at(-1)?.toolResults.join() ?? "", /<untrusted>\nwhisper-test heard +the meeting/);
  });

  it("are among what was used, a picture with what its tokens cost, a recording with a price that nobody knows", async () => {
    const { rows } = JSON.parse(await world.talaria.talaria("usage", "--by", "model", "--json"));
    const of = (name: string) => rows.find((row: { readonly of: string }) => row.of === name);
    const { inputTokens, outputTokens, cost } = of("images (openai)");
    assert.deepEqual([inputTokens, outputTokens, cost], [50, 4_160, 50 * 5 + 4_160 * 40]);
    const { answers, unpriced, ...speech } = of("speech (openai)");
    assert.deepEqual([answers, unpriced, "cost" in speech], [1, 1, false]);
  });
});
