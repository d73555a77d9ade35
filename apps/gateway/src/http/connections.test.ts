import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { silentLog } from "@talaria/protocol";
import { serveConnections, withoutLink } from "./connections.ts";
import { createServer } from "./server.ts";

const token = "a-token-of-enough-letters";

describe("the list of connections", () => {
  const server = createServer(silentLog);
  let url: string;

  before(async () => {
    const connections = [
      ["main", { status: "connected" }],
      ["broken", { status: "needs-operator", code: "unauthorized", hint: "rotate the token" }],
      ["phone", { status: "linking", method: "qr", value: "2@secret" }],
      ["tablet", { status: "linking", method: "code", value: "ABCD-1234" }],
    ];
    const rows = connections.map(([accountId, connection]) => ({ accountId, platform: "telegram", connection }));
    const told = { works: false, line: "no commands and files: bwrap is missing; run: x" };
    const worker = { kind: "worker", stats: { workplace: told } };
    const refused = { model: "main", code: "quota", line: "model main: its credit is used up" };
    const poor = { kind: "worker", stats: { models: [{ ...refused, at: "2026-11-26T14:00:00.000Z" }] } };
    const living = [worker, { kind: "gateway", stats: {} }, poor, worker, { stats: { workplace: "x" } }];
    const facts = async () => ({ accounts: rows, living, models: ["main"], now: 0 });
    serveConnections(server, { facts } as unknown as Parameters<typeof serveConnections>[1], {
      token,
      hosts: undefined,
      origins: new Set(),
    });
    url = `${await server.listen({ port: 0, host: "127.0.0.1" })}/api/connections`;
  });
  after(() => server.close());

  const read = (headers: Record<string, string>) => fetch(url, { headers });

  it("is for whoever holds the token only, and for no other page", async () => {
    const bearer = { authorization: `Bearer ${token}` };
    const statuses = [{}, { authorization: "Bearer wrong" }, { ...bearer, origin: "http://evil.example" }, bearer];
    const answers = await Promise.all(statuses.map(async (headers) => (await read(headers)).status));
    assert.deepEqual(answers, [401, 401, 403, 200]);
  });

  it("says once what workers have found of their commands, files, browser and models", async () => {
    const answer = await read({ authorization: `Bearer ${token}` });
    const { workplaces, models, problems } = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual(problems, [
      { kind: "model", code: "quota", line: "model main: its credit is used up", stopsAnswers: true },
      {
        kind: "workplace",
        code: "no_workplace",
        line: "workers lack commands, files or the browser: `talaria setup sandbox` says why, and mends it",
        stopsAnswers: false,
      },
    ]);
    assert.deepEqual(models, [{ model: "main", code: "quota", line: "model main: its credit is used up" }]);
    assert.deepEqual(workplaces, [{ works: false, line: "no commands and files: bwrap is missing; run: x" }]);
  });

  it("says of each account how it stands, and shows what links a device", async () => {
    const answer = await read({ authorization: `Bearer ${token}` });
    const { connections } = (await answer.json()) as { connections: readonly { link: { svg?: string } }[] };
    assert.deepEqual(connections.slice(0, 2), [
      { accountId: "main", platform: "telegram", status: "connected" },
      { accountId: "broken", platform: "telegram", status: "needs-operator", detail: "rotate the token" },
    ]);
    assert.match(connections[2]?.link.svg ?? "", /^<svg [^>]*viewBox/);
    assert.deepEqual(connections[3]?.link, { method: "code", code: "ABCD-1234" });
    assert.doesNotMatch(JSON.stringify(connections), /2@secret/);
  });
});

it("leaves out what links a device where everybody may look", () => {
  const shown = withoutLink({ status: "linking", method: "qr", value: "2@secret" });
  assert.deepEqual(shown, { status: "linking", method: "qr" });
});
