import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import { options } from "../conformance.ts";
import { skipWithoutPeers } from "../missing-peers.fixture.ts";
import type { Cell } from "../place.ts";
import { createSandbox, type Sandbox } from "../sandbox.ts";

describe("a cell of bubblewrap", { skip: skipWithoutPeers(process.env.CI) }, () => {
  let base: string;
  let sandbox: Sandbox;
  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-cell-"));
    await chmod(base, 0o711);
    sandbox = createSandbox({ backend: "sandbox", folder: base }, { clock: systemClock, log: silentLog });
    assert.deepEqual((await sandbox.start()).reasons, []);
  });
  after(async () => {
    await sandbox?.stop();
    await rm(base, { recursive: true, force: true });
  });

  const doorThatSays = (text: string) => createServer((socket) => socket.end(text));

  async function outputOf(cell: Cell, command: string): Promise<string> {
    const { output, ended, stdin } = await cell.launch(["/bin/bash", "-c", command]);
    stdin.end();
    const pieces: Buffer[] = [];
    for await (const piece of output) pieces.push(piece);
    await ended;
    return Buffer.concat(pieces).toString();
  }

  const ask = (port: number) => `timeout 20 bash -c 'cat </dev/tcp/127.0.0.1/${port}' 2>&1`;
  const folders = async () => (await readdir(base)).filter((name) => name.startsWith("cell-"));

  it("leads to its own door, and nobody else comes to it", async () => {
    const cell = await sandbox.openCell(doorThatSays("first"));
    const other = await sandbox.openCell(doorThatSays("second"));
    assert.equal(await outputOf(cell, ask(cell.port)), "first");
    assert.equal(await outputOf(other, ask(other.port)), "second");
    const workspace = await sandbox.open("a");
    const words = `exec 3<>/dev/tcp/127.0.0.1/${cell.port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; timeout 20 cat <&3`;
    const { output } = await workspace.exec({ command: words }, options);
    // The session's own proxy.
    assert.match(output, /^HTTP\/1\.1 400 /);
    await Promise.all([cell.close(), other.close()]);
  });

  it("sees no file of a session, and deletes its own when it is closed", async () => {
    const workspace = await sandbox.open("a");
    await workspace.write("note", Buffer.from("of the session"));
    const cell = await sandbox.openCell(doorThatSays(""));
    const seen = await outputOf(cell, "ls -A /workspace /tmp; echo own >/workspace/own; ls /workspace");
    assert.deepEqual([seen.includes("note"), seen.trim().endsWith("own")], [false, true]);
    assert.equal((await folders()).length, 1);
    const lasting = await cell.launch(["/bin/sleep", "987"]);
    await cell.close();
    await lasting.ended;
    assert.deepEqual(await folders(), []);
    assert.equal(Buffer.from((await workspace.read("note", { length: 99 })).bytes).toString(), "of the session");
  });

  it("goes with its sandbox, and there is none without one", async () => {
    const door = doorThatSays("");
    const own = createSandbox(
      { backend: "sandbox", folder: join(base, "own") },
      { clock: systemClock, log: silentLog },
    );
    await assert.rejects(own.openCell(door), (error) => isGatewayError(error, "unsupported"));
    await own.start();
    const cell = await own.openCell(door);
    const lasting = await cell.launch(["/bin/sleep", "987"]);
    await own.stop();
    await lasting.ended;
    assert.equal(door.listening, false);
    const local = createSandbox(
      { backend: "local", unsafe: true, folder: join(base, "local") },
      { clock: systemClock, log: silentLog },
    );
    await local.start();
    await assert.rejects(local.openCell(doorThatSays("")), (error) => isGatewayError(error, "unsupported"));
    await local.stop();
  });
});
