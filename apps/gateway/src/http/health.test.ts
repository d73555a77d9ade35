import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { silentLog } from "@talaria/protocol";
import type { PlannedAbsence } from "@talaria/store";
import { type HealthDeps, serveHealth } from "./health.ts";
import { createServer } from "./server.ts";
import { exchange } from "./testing/served.ts";

interface Parts {
  database: () => Promise<void>;
  queue: () => Promise<void>;
  processes: () => Promise<readonly { readonly kind: string; readonly stats?: unknown }[]>;
  accounts: () => Promise<readonly unknown[]>;
  metrics: () => Promise<string>;
  planned?: PlannedAbsence;
}

const healthy: Parts = {
  database: async () => undefined,
  queue: async () => undefined,
  processes: async () => [
    { kind: "gateway", stats: {} },
    { kind: "worker", stats: { workplace: { works: false, line: "no commands and files: bwrap is missing" } } },
    { kind: "worker", stats: { models: [{ model: "main", at: "2", code: "auth", line: "model main: refused" }] } },
    {
      kind: "worker",
      stats: {
        models: [
          { model: "main", at: "1" },
          { model: "other", at: "1" },
        ],
      },
    },
  ],
  accounts: async () => [
    {
      accountId: "main",
      platform: "telegram",
      holder: "gateway-1",
      connection: { status: "needs-operator", code: "unauthorized", hint: "x" },
      fence: 3,
    },
  ],
  metrics: async () => "# TYPE up gauge\nup 1\n",
};

const fails = async () => Promise.reject(new Error("connection refused"));
const hangs = () => new Promise<never>(() => undefined);

const token = "abcdefghijklmnop";

describe("the gateway's health", { timeout: 120_000 }, () => {
  const server = createServer(silentLog);
  let parts: Parts;
  let url: string;

  before(async () => {
    const deps = {
      store: {
        ping: () => parts.database(),
        processes: { list: () => parts.processes() },
        operations: { accounts: () => parts.accounts() },
      },
      facts: async () => {
        const [accounts, living] = await Promise.all([parts.accounts(), parts.processes()]);
        return { accounts, living, models: ["main"], now: 0, planned: parts.planned };
      },
      planned: async () => parts.planned,
      queue: { ping: () => parts.queue() },
      rules: { token: token, hosts: new Set(["localhost"]), origins: new Set<string>() },
      metricsText: () => parts.metrics(),
      probeMs: 100,
    };
    serveHealth(server, deps as unknown as HealthDeps);
    url = await server.listen({ port: 0, host: "127.0.0.1" });
  });
  beforeEach(() => {
    parts = { ...healthy };
  });
  after(() => server.close());

  async function ask(path: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) {
    const response = await fetch(`${url}${path}`, { headers });
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it("is ok while the process lives, whatever else is broken", async () => {
    parts = { ...parts, database: fails, queue: hangs };
    assert.deepEqual(await ask("/healthz"), { status: 200, body: { status: "ok" } });
  });

  it("is ready when database, queue and a worker answer; an account's trouble only shows", async () => {
    assert.deepEqual(await ask("/readyz"), {
      status: 200,
      body: {
        ready: true,
        failing: [],
        parts: ["database", "queue", "worker"].map((name) => ({ name, ok: true })),
        accounts: [
          {
            accountId: "main",
            platform: "telegram",
            connection: { status: "needs-operator", code: "unauthorized", hint: "x" },
          },
        ],
        workplaces: ["no commands and files: bwrap is missing"],
        models: ["model main: refused"],
        problems: [
          { kind: "model", code: "auth", line: "model main: refused", stopsAnswers: true },
          {
            kind: "account",
            code: "unauthorized",
            line: "account main (telegram) is refused, unauthorized: x; or run `talaria setup telegram --account main`",
            stopsAnswers: true,
          },
          {
            kind: "workplace",
            code: "no_workplace",
            line: "workers lack commands, files or the browser: `talaria setup sandbox` says why, and mends it",
            stopsAnswers: false,
          },
        ],
      },
    });
  });

  const broken: readonly (readonly [string, Partial<Parts>, RegExp])[] = [
    ["database", { database: fails }, /connection refused/],
    ["queue", { queue: fails }, /connection refused/],
    ["queue", { queue: hangs }, /no answer/],
    ["worker", { processes: fails }, /connection refused/],
    ["worker", { processes: hangs }, /no answer/],
    ["worker", { processes: async () => [{ kind: "gateway" }] }, /no worker is running/],
  ];
  for (const [name, fault, detail] of broken)
    it(`names ${name}: ${detail.source}`, async () => {
      parts = { ...parts, ...fault };
      const { status, body } = await ask("/readyz");
      const failing = body.failing as { name: string; detail: string }[];
      assert.equal(status, 503);
      assert.equal(body.ready, false);
      assert.deepEqual(
        failing.map((part) => part.name),
        [name],
      );
      assert.match(failing[0]?.detail ?? "", detail);
    });

  it("is not ready either while workers are away on purpose, and says so in a note", async () => {
    const planned = { kind: "restart", since: "2026-11-26T14:38:00.000Z" } as const;
    parts = { ...parts, processes: async () => [{ kind: "gateway", stats: {} }], accounts: async () => [], planned };
    const { status, body } = await ask("/readyz");
    const line =
      "gateway and workers are being replaced, since 2026-11-26T14:38:00Z, by `talaria restart` or a changed configuration: messages wait until that is done";
    assert.equal(status, 503);
    assert.deepEqual(body.failing, [{ name: "worker", ok: false, detail: line }]);
    assert.deepEqual(body.problems, [{ kind: "worker", code: "restarting", line, stopsAnswers: false, isNote: true }]);
  });

  it("does not hang on accounts, and is ready without them", async () => {
    parts = { ...parts, accounts: hangs };
    const { status, body } = await ask("/readyz");
    assert.equal(status, 200);
    assert.deepEqual(body.accounts, []);
  });

  it("lists accounts only for whoever shows the token", async () => {
    for (const headers of [{}, { authorization: "Bearer another token" }]) {
      const { status, body } = await ask("/readyz", headers);
      assert.deepEqual([status, Object.keys(body)], [200, ["ready", "failing", "parts"]]);
    }
  });

  it("answers probes by name and address, and no page on a name that was bound to it", async () => {
    const { port } = new URL(url);
    for (const path of ["/readyz", "/metrics"])
      for (const [host, status] of [
        [`127.0.0.1:${port}`, 200],
        [`10.1.2.3:${port}`, 200],
        ["localhost", 200],
        ["evil.example", 403],
        ["127.0.0.1.evil.example", 403],
      ] as const)
        assert.equal(
          (await exchange(Number(port), `GET ${path} HTTP/1.1\nHost: ${host}`)).status,
          status,
          `${path} ${host}`,
        );
  });

  it("shows its figures as Prometheus reads them", async () => {
    const response = await fetch(`${url}/metrics`);
    assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    assert.equal(await response.text(), "# TYPE up gauge\nup 1\n");
  });

  it("says in its own words that figures are missing", async () => {
    parts = { ...parts, metrics: fails };
    const { status, body } = await ask("/metrics");
    assert.deepEqual([status, body], [500, { error: "this request could not be served" }]);
  });
});
