import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { before, describe, it } from "node:test";
import type { Clock } from "@talaria/protocol";
import { silentLog, systemClock } from "@talaria/protocol";
import { createModel } from "../index.ts";
import { answerOf, deps, request } from "../model.fixture.ts";
import type { ModelConfig, RemoteConfig } from "../model-config.ts";
import { startWire } from "./wire.fixture.ts";

type Provider = Exclude<ModelConfig["provider"], "demo">;

/** How each API begins an answer without saying anything of it, and how it ends one that says `ok`. */
const dialects: Readonly<Record<"openai-chat" | "openai-responses" | "anthropic" | "google" | "mistral", Spoken>> = {
  // The comments of OpenRouter, and of everybody who keeps a connection alive.
  "openai-chat": {
    model: "some-model",
    life: ": OPENROUTER PROCESSING\n\n",
    answer: 'data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  },
  "openai-responses": {
    model: "some-model",
    life: ": keepalive\n\n",
    answer: [
      '{"type":"response.output_item.added","output_index":0,"item":{"type":"message"}}',
      '{"type":"response.output_text.delta","output_index":0,"delta":"ok"}',
      '{"type":"response.completed","response":{"status":"completed"}}',
    ]
      .map((data) => `data: ${data}\n\n`)
      .join(""),
  },
  anthropic: {
    model: "claude-3-5-haiku",
    life: 'event: ping\ndata: {"type": "ping"}\n\n',
    answer: [
      '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"x","usage":{"input_tokens":1,"output_tokens":1}}}',
      '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}}',
      '{"type":"content_block_stop","index":0}',
      '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}',
      '{"type":"message_stop"}',
    ]
      .map((data) => `event: ${/"type":"(\w+)"/.exec(data)?.[1]}\ndata: ${data}\n\n`)
      .join(""),
  },
  google: {
    model: "gemini-2.0-flash",
    life: ": keepalive\n\n",
    answer:
      'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]},"finishReason":"STOP","index":0}]}\n\n',
  },
  mistral: {
    model: "mistral-small-latest",
    life: ": keepalive\n\n",
    answer:
      'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  },
};

interface Spoken {
  readonly model: string;
  readonly life: string;
  readonly answer: string;
}

/** A busy machine stands still for seconds; signs of life come ten times as often, for longer than it. */
const quiet = 6_000;
/** Linux tells of each connection what it waits for. */
const sockets = "/proc/net/tcp";

/** Loading takes as long as silence may, on a busy machine. */
const packages = ["openai", "@anthropic-ai/sdk", "@ai-sdk/google", "@ai-sdk/mistral"];

describe("silence", { concurrency: true }, () => {
  before(() => Promise.all(packages.map((name) => import(name))));

  for (const [provider, { model, life, answer }] of Object.entries(dialects))
    it(`is ended by whatever comes over the wire: ${provider}`, async () => {
      await using server = await startWire(async (response) => {
        for (let sign = 0; sign < 12; sign += 1) {
          response.write(life);
          await systemClock.sleep(quiet / 10);
        }
        response.end(answer);
      });
      const config = { provider, model, baseUrl: server.url, apiKey: "k", firstChunkMs: quiet, idleMs: quiet };
      const { text, end } = await answerOf(createModel(config as ModelConfig, deps));
      assert.equal(text, "ok", JSON.stringify(end));
    });

  it("is heard in a stream that calls itself JSON, and its words are handed on as they come", async () => {
    const { life, answer } = dialects["openai-chat"];
    const gate = Promise.withResolvers<void>();
    await using server = await startWire(
      async (response) => {
        response.write(answer.replace("data: [DONE]\n\n", life));
        await gate.promise;
        response.end("data: [DONE]\n\n");
      },
      { type: "application/json" },
    );
    const model = createModel({ provider: "openai-chat", model: "m", baseUrl: server.url }, deps);
    const seen: string[] = [];
    for await (const event of model.stream(request(), new AbortController().signal)) {
      seen.push(event.type);
      gate.resolve();
    }
    assert.deepEqual(seen, ["delta", "done"]);
  });

  it("is not ended by comments once the answer is whole: its usage is not awaited for ever", async () => {
    const { answer } = dialects["openai-chat"];
    let stopped = false;
    await using server = await startWire(async (response) => {
      response.once("close", () => {
        stopped = true;
      });
      response.write(answer.replace("data: [DONE]\n\n", ""));
      while (!stopped) {
        response.write(": still here\n\n");
        await systemClock.sleep(50);
      }
    });
    const model = createModel({ provider: "openai-chat", model: "m", baseUrl: server.url }, deps);
    assert.equal((await answerOf(model)).end.type, "done");
  });

  const limits: readonly (readonly [Provider, Partial<RemoteConfig>, firstMs: number])[] = [
    ["openai-chat", { model: "llama3.3" }, 120_000],
    ["openai-chat", { model: "gpt-4o" }, 120_000],
    ["openai-chat", { model: "gpt-4o", effort: "high" }, 120_000],
    ["openai-chat", { model: "some-model", effort: "high" }, 300_000],
    ["openai-chat", { model: "deepseek/deepseek-r1" }, 300_000],
    ["openai-chat", { model: "Qwen/Qwen3-32B" }, 300_000],
    ["openai-chat", { model: "z-ai/glm-4.6" }, 300_000],
    ["openai-chat", { model: "moonshotai/kimi-k2-thinking:nitro" }, 300_000],
    ["openai-responses", { model: "gpt-5.6" }, 300_000],
    ["openai-responses", { model: "gpt-5.6", firstChunkMs: 7_000 }, 7_000],
    ["anthropic", { model: "claude-sonnet-4-5" }, 120_000],
    ["anthropic", { model: "claude-sonnet-4-5", effort: "low" }, 300_000],
    ["anthropic", { model: "claude-opus-5" }, 300_000],
    ["google", { model: "gemini-2.5-pro", apiKey: "k" }, 300_000],
  ];
  for (const [provider, more, firstMs] of limits)
    it(`lasts ${firstMs / 1_000} s at most with ${JSON.stringify(more)}`, async () => {
      await using server = await startWire(async () => undefined);
      const { clock, sleeps } = listeningClock(firstMs);
      const config = { provider, baseUrl: server.url, ...more } as ModelConfig;
      const { end } = await answerOf(createModel(config, { clock, log: silentLog }));
      assert.ok(end.type === "failed");
      assert.equal(end.error.kind, "stalled");
      assert.ok(sleeps.includes(firstMs));
      assert.equal(
        end.error.exhausted,
        firstMs === 120_000 ? undefined : true,
        "who thought so long is not asked again",
      );
    });
});

it("silence is not ended by time-outs of Node's own", async () => {
  const key = Symbol.for("undici.globalDispatcher.1");
  await using server = await startWire(async (response) => void response.end(dialects["openai-chat"].answer));
  const holder = globalThis as unknown as Record<symbol, { dispatch(options: object, receiver: unknown): boolean }>;
  await fetch(server.url, { method: "POST" }).then((response) => response.text());
  const usual = holder[key];
  assert.ok(usual !== undefined, "Node keeps it there");
  const seen: object[] = [];
  holder[key] = { dispatch: (options, receiver) => seen.push(options) > 0 && usual.dispatch(options, receiver) };
  try {
    const model = createModel({ provider: "openai-chat", model: "m", baseUrl: server.url }, deps);
    assert.equal((await answerOf(model)).text, "ok");
  } finally {
    holder[key] = usual;
  }
  assert.deepEqual(
    seen.map((options) => {
      const { headersTimeout, bodyTimeout } = options as Readonly<Record<string, unknown>>;
      return { headersTimeout, bodyTimeout };
    }),
    [{ headersTimeout: 0, bodyTimeout: 0 }],
  );
});

/** Time passes at once for those who wait as long as `ms`, and never for the others. */
function listeningClock(ms: number): { readonly clock: Clock; readonly sleeps: number[] } {
  const sleeps: number[] = [];
  let now = 1_000_000;
  const sleep = (asked: number, signal?: AbortSignal) => {
    sleeps.push(asked);
    return new Promise<void>((resolve) => {
      signal?.addEventListener("abort", () => resolve(), { once: true });
      if (asked === ms)
        setTimeout(() => {
          now += ms;
          resolve();
        }, 100);
    });
  };
  return { clock: { now: () => now, elapsed: () => now, sleep }, sleeps };
}

it("a silent connection is kept alive, so that nobody on the way forgets it", {
  skip: !existsSync(sockets),
}, async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await startWire(async (response) => {
    await gate.promise;
    response.end(dialects["openai-chat"].answer);
  });
  const model = createModel({ provider: "openai-chat", model: "m", baseUrl: server.url }, deps);
  const answering = answerOf(model);
  const port = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, "0");
  let ours: string | undefined;
  for (let look = 0; look < 100 && ours === undefined; look += 1) {
    await systemClock.sleep(50);
    const lines = (await readFile(sockets, "utf8")).split("\n").map((line) => line.trim().split(/\s+/));
    // The remote end of an open connection, state 01: https://www.kernel.org/doc/Documentation/networking/proc_net_tcp.txt
    ours = lines.find(([, , remote, state]) => remote?.endsWith(`:${port}`) && state === "01")?.[5];
  }
  gate.resolve();
  assert.equal((await answering).text, "ok");
  const [timer, dueIn] = (ours ?? "").split(":");
  assert.equal(timer, "02", "the timer is that of keep-alive");
  assert.ok(Number.parseInt(String(dueIn), 16) <= 60 * 100, "within a minute");
});
