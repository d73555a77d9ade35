import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { brandAs, type MessageId, silentLog, systemClock } from "@talaria/protocol";
import pg from "pg";
import { migrate } from "./schema/migrate.ts";
import { createStore } from "./store.ts";
import { pair } from "./test-people.ts";
import {
  accountId,
  beginTurn,
  completeTurn,
  entryOf,
  eventOf,
  keyOf,
  never,
  newAccountLease,
  newWorker,
} from "./test-store.ts";

/** PostgreSQL refuses to run as root; then it runs as `nobody`, who owns the folder. */
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const installed = "/usr/lib/postgresql";
const versions = listVersions();

describe("PostgreSQL servers of this machine", { skip: versions.length === 0 && "none is installed" }, () => {
  for (const version of versions) {
    it(`carries a message from receipt to delivery on PostgreSQL ${version}`, async () => {
      const server = await startServer(join(installed, version, "bin"));
      const store = createStore({ url: server.url, log: silentLog, clock: systemClock, maxConnections: 3 });
      try {
        await migrate(server.url, silentLog);
        await Promise.all(["1", "2", "2"].map((id) => store.inbox.record(entryOf(id, "one"))));
        const turn = await beginTurn(store, "one", await newWorker(store));
        assert.deepEqual(turn.start.take, [1, 2]);
        assert.deepEqual(await completeTurn(store, turn), { released: true });
        const lease = await newAccountLease(store);
        const [row] = await store.outbox.due(lease, [], 10);
        const messageId = brandAs<MessageId>("sent");
        const part = { markdown: "", attachments: [], state: "sent", attempts: 2, unknown: 1, messageId } as const;
        await store.outbox.update(lease, { id: row!.id, state: "sent", parts: [part] });
        for (const kind of ["retry", "reset", "stop"] as const) {
          const effect = { kind, sessionKey: keyOf("one") };
          const event = entryOf(kind, "one").event;
          const settled = await store.inbox.settle({ event, outcome: "command", reason: kind, effect });
          assert.deepEqual(settled, { outcome: "settled", applied: kind !== "stop" });
        }
        assert.equal((await store.operations.backlog()).possibleDuplicates, 1);
        const asker = entryOf("p", "p").event;
        assert.equal((await store.operations.trace("sent")).length, 2);
        const { conversationId } = row!.conversation;
        const { lines } = await store.chats.history({ accountId, conversationId }, 9);
        assert.equal(lines.filter(({ did }) => did === undefined).length, 3);
        await store.inbox.record(entryOf("3", "words", "queue"));
        await store.inbox.record({ ...entryOf("4", "words"), event: eventOf("4", "words", "Größe, 東京都") });
        await store.chats.catchUp(never);
        for (const words of ["größ", "GROS", "京都"])
          assert.equal((await store.chats.list({ limit: 9, words })).chats.length, words === "GROS" ? 0 : 1, words);
        assert.ok((await pair(store.pairing, { account: accountId, id: asker.sender.userId, canAsk: true })).id);
        await store.operations.prune(1, never);
      } finally {
        await store.close();
        await server.stop();
      }
    });
  }
});

function listVersions(): readonly string[] {
  try {
    return readdirSync(installed).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

async function startServer(programs: string): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "talaria-other-"));
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const options = { ...owner, cwd: folder, stdio: "ignore" as const };
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "talaria", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
    options,
  );
  const port = await freePort();
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"];
  const child = spawn(
    join(programs, "postgres"),
    ["-D", data, ...settings.flatMap((setting) => ["-c", setting])],
    options,
  );
  const exited = once(child, "exit");
  const url = `postgres://talaria@127.0.0.1:${port}/postgres`;
  await untilItAnswers(url);
  return {
    url,
    async stop() {
      child.kill("SIGINT");
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

async function untilItAnswers(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
