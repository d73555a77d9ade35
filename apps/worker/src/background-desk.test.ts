import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Workspace } from "@talaria/agent";
import { type ProcessId, silentLog, systemClock, type TurnId } from "@talaria/protocol";
import { createSandbox, type Sandbox } from "@talaria/sandbox";
import type { BackgroundStore, SessionLease } from "@talaria/store";
import { messageFrom } from "@talaria/testkit";
import { type BackgroundDesk, createBackgroundDesk } from "./background-desk.ts";

const conversation = messageFrom({}).conversation;
const lease = { sessionKey: "s", holder: "w", fence: 1 } as unknown as SessionLease;
const turn = { lease, turnId: "t" as TurnId, route: conversation, askers: () => [] };

describe("what a worker runs in the background", () => {
  let folder: string;
  let sandbox: Sandbox;
  let plain: Workspace;
  let sessions = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-background-"));
    sandbox = createSandbox({ backend: "local", folder, unsafe: true }, { clock: systemClock, log: silentLog });
    assert.ok((await sandbox.start()).isUsable);
  });
  after(async () => {
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  });

  let rows: Map<string, { command: string; covers: readonly string[]; reason?: string }>;
  let begun: number;
  let mayBegin: boolean;
  let isAway: boolean;
  let desk: BackgroundDesk;
  beforeEach(async () => {
    rows = new Map();
    begun = 0;
    mayBegin = true;
    isAway = false;
    const away = () => {
      if (isAway) throw new Error("the database is away");
    };
    const store: Pick<BackgroundStore, "begin" | "ended" | "toEnd"> = {
      begin: async (_lease, _turn, { command, covers }) => {
        away();
        if (!mayBegin) return undefined;
        begun += 1;
        rows.set(`${begun}`, { command, covers });
        return `${begun}`;
      },
      ended: async (_holder, ids) => {
        away();
        for (const id of ids) rows.delete(id);
      },
      toEnd: async () => {
        away();
        return [...rows].flatMap(([id, { reason }]) => (reason === undefined ? [] : [{ id, reason }]));
      },
    };
    desk = createBackgroundDesk({ store: store as BackgroundStore, workerId: "w" as ProcessId, log: silentLog });
    sessions += 1;
    plain = await sandbox.open(`session-${sessions}`);
  });

  /** Ends what stands in the store, as somebody there has asked. */
  const end = (id: string) => {
    const row = rows.get(id);
    assert.ok(row);
    row.reason = "nobody may";
    return desk.look();
  };

  it("is written before it starts, with what agreements say of it, and forgotten when it has ended", async () => {
    const process = await desk.watched(plain, turn).spawn({ command: "read line" });
    assert.deepEqual([...rows.values()], [{ command: "read line", covers: ["read line"] }]);
    await process.write("x\n");
    await process.ended;
    await desk.look();
    assert.equal(rows.size, 0);
  });

  it("has the number that people read, however it came to be one", async () => {
    begun = 32;
    const watched = desk.watched(plain, turn);
    const started = await watched.spawn({ command: "sleep 1000" });
    const options = { timeoutMs: 50, signal: new AbortController().signal, maxOutputChars: 100, goesOn: true } as const;
    const ran = await watched.run("sleep 1000", options);
    const executed = await watched.exec({ command: "sleep 1000" }, options);
    assert.deepEqual([started.id, ran.goesOnAs, executed.goesOnAs], ["p33", "p35", "p36"]);
    assert.deepEqual(
      watched.processes().map(({ id }) => id),
      ["p33", "p35", "p36"],
    );
    await Promise.all(watched.processes().map((one) => one.kill()));
  });

  it("is what commands leave in the shell, too, which ends for everybody who has asked for commands in it", async () => {
    const options = { timeoutMs: 120_000, signal: new AbortController().signal, maxOutputChars: 100 } as const;
    const asker = (userId: string) => [{ sender: messageFrom({ from: userId }).sender, role: "member" }] as const;
    const ann = desk.watched(plain, { ...turn, askers: () => asker("ann") });
    const bob = desk.watched(plain, { ...turn, askers: () => asker("bob") });
    await ann.run("setsid nohup sleep 1000 >/dev/null 2>&1 & echo $! > child", options);
    const child = Number(await untilWritten(() => plain.read("child", { length: 20 })));
    for (const workspace of [ann, bob]) await workspace.run("true", options);
    assert.deepEqual([...rows.keys()], ["1", "2"], "once for each");
    await desk.look();
    assert.equal(rows.size, 2, "it is there");
    await end("2");
    await gone(child);
    await desk.look();
    await desk.look();
    assert.equal(rows.size, 0, "it is gone for both");
    mayBegin = false;
    await assert.rejects(ann.run("touch begun", options), { code: "aborted" });
    await assert.rejects(plain.read("begun", { length: 1 }));
  });

  it("is no shell of a conversation that has ended: the next turn has another one from its first command on", async () => {
    const options = { timeoutMs: 120_000, signal: new AbortController().signal, maxOutputChars: 100 } as const;
    await desk.watched(plain, turn).run("left=behind; setsid sleep 1000 & echo $! > child", options);
    const child = Number(await untilWritten(() => plain.read("child", { length: 20 })));
    const [row] = rows.values();
    assert.ok(row);
    row.reason = "a new conversation";
    const { output } = await desk.watched(plain, turn).run("echo left: $left", options);
    assert.equal(output, "left:\n");
    await gone(child);
    assert.deepEqual([...rows.keys()], ["2"]);
  });

  it("is a call, too, that goes on beside its turn, at most eight of a session", async () => {
    const reasons: string[] = [];
    const ending = Promise.withResolvers<void>();
    const call = {
      ...{ shown: "reading https://example.org/a", addresses: ["https://example.org/a?b", "no address"], ranMs: 1 },
      ...{ ended: ending.promise, stop: (reason: string) => void reasons.push(reason) },
    };
    const names = [];
    for (let n = 0; n < 9; n += 1) names.push(await desk.noteBeside(turn, call));
    assert.deepEqual([names[0], names[7], names[8]], ["p1", "p8", undefined]);
    const other = { ...turn, lease: { ...lease, sessionKey: "t" } as unknown as SessionLease };
    assert.equal(await desk.noteBeside(other, call), "p9");
    assert.deepEqual(rows.get("1"), { command: "reading https://example.org/a", covers: ["https://example.org/*"] });
    await end("1");
    assert.deepEqual(reasons, ["nobody may"]);
    desk.close();
    assert.equal(reasons.length, 10);
    ending.resolve();
    await ending.promise;
    await desk.look();
    assert.equal(rows.size, 0);
    mayBegin = false;
    assert.equal(await desk.noteBeside(turn, call), undefined);
    isAway = true;
    await assert.rejects(desk.noteBeside(turn, call), /away/);
  });

  it("is killed with all that it has started, and its output says why", async () => {
    const command = "sh -c 'sleep 1000 & echo $! > child; wait' & wait";
    const process = await desk.watched(plain, turn).spawn({ command });
    const child = await untilWritten(() => plain.read("child", { length: 20 }));
    await end("1");
    await process.ended;
    assert.ok(process.end);
    assert.match(process.output().text, /nobody may/);
    await gone(Number(child));
    await desk.look();
    assert.equal(rows.size, 0);
  });

  it("does not start in a turn that somebody has ended", async () => {
    mayBegin = false;
    await assert.rejects(desk.watched(plain, turn).spawn({ command: "touch started" }), { code: "aborted" });
    isAway = true;
    await assert.rejects(desk.watched(plain, turn).spawn({ command: "touch started" }), /away/);
    assert.deepEqual(plain.processes(), []);
  });

  it("is a command, too, that goes on after its time, and is killed where that can't be written", async () => {
    const options = { timeoutMs: 50, signal: new AbortController().signal, maxOutputChars: 100, goesOn: true } as const;
    const first = await desk.watched(plain, turn).run("sleep 1000", options);
    assert.ok(first.goesOnAs);
    assert.deepEqual(
      [...rows.values()].map(({ command }) => command),
      ["sleep 1000"],
    );
    mayBegin = false;
    await assert.rejects(desk.watched(plain, turn).run("sleep 1001", options), { code: "aborted" });
    const running = plain.processes().filter((one) => one.end === undefined);
    assert.deepEqual(
      running.map(({ command }) => command),
      ["sleep 1000"],
    );
    await end("2");
    assert.ok(plain.processes().every((one) => one.end !== undefined));
  });

  it("is ended at the next look where the database was away", async () => {
    const process = await desk.watched(plain, turn).spawn({ command: "sleep 1000" });
    isAway = true;
    await end("1");
    assert.equal(process.end, undefined);
    isAway = false;
    await end("1");
    assert.ok(process.end);
  });
});

async function untilWritten(read: () => Promise<{ readonly bytes: Uint8Array }>): Promise<string> {
  for (;;) {
    const text = await read().then(
      ({ bytes }) => Buffer.from(bytes).toString(),
      () => "",
    );
    if (text.endsWith("\n")) return text;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Resolves once no such process runs any more; a dead one that nobody has read counts as gone. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    if (stat === "" || /\) Z /.test(stat)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
