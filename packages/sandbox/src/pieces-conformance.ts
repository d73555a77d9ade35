import assert from "node:assert/strict";
import { it } from "node:test";
import type { CommandOptions, Workspace } from "@talaria/agent";
import { isGatewayError } from "@talaria/protocol";
import type { Sandbox } from "./sandbox.ts";

const options: CommandOptions = { timeoutMs: 120_000, signal: new AbortController().signal, maxOutputChars: 20_000 };

/** What every backend keeps of the port's promises where a file comes in pieces; its quota is 16 MB. */
export function testPieces(opened: () => Sandbox): void {
  const refused = (promise: Promise<unknown>) =>
    assert.rejects(promise, (error) => isGatewayError(error, "invalid_request"));
  const said = async (workspace: Workspace, command: string) => (await workspace.exec({ command }, options)).output;
  const parts = "find . -name '*.part'";

  it("writes a file that comes in pieces, which is there when all have come", async () => {
    const workspace = await opened().open("telegram:pieces");
    await said(workspace, "mkdir -p in; echo old >in/real; chmod 750 in/real; ln -s real in/link");
    const bytes = Buffer.from(Uint8Array.from({ length: 5_000_000 }, (_, n) => (n * n) % 251));
    let meanwhile = "";
    async function* content() {
      for (let from = 0; from < bytes.length; from += 999_983) {
        yield bytes.subarray(from, from + 999_983);
        meanwhile = await said(workspace, "cat in/real");
      }
    }
    await workspace.write("in/link", content());
    assert.equal(meanwhile, "old\n");
    assert.equal(await said(workspace, "stat -c '%a %s' in/real; [ -L in/link ] && echo link"), "750 5000000\nlink\n");
    const { bytes: found } = await workspace.read("in/real", { length: 6_000_000 });
    assert.ok(bytes.equals(found));
    await workspace.write("a/new/empty", (async function* () {})());
    assert.deepEqual(await workspace.read("a/new/empty", { length: 9 }), { bytes: Buffer.alloc(0), size: 0 });
  });

  it("refuses to write above the quota", async () => {
    const workspace = await opened().open("telegram:pieces");
    await refused(workspace.write("large", Buffer.alloc(17 * 1024 * 1024)));
  });

  it("leaves all as it was where the pieces end in the middle, lead out, or don't fit", async () => {
    const workspace = await opened().open("telegram:pieces");
    await said(workspace, "echo old >kept; ln -sfn / out");
    const endless = async function* () {
      for (;;) yield Buffer.alloc(1_000_000, 1);
    };
    const broken = async function* () {
      yield Buffer.alloc(3_000_000, 1);
      throw new Error("the other end has gone");
    };
    await assert.rejects(workspace.write("kept", broken()), /the other end has gone/);
    await refused(workspace.write("kept", endless()));
    await refused(workspace.write("out/tmp/x", whole()));
    await refused(workspace.write("../x", whole()));
    assert.equal(await said(workspace, `cat kept; ${parts}`), "old\n");
  });

  it("clears away what a worker that died had not written whole", async () => {
    const sandbox = opened();
    await said(await sandbox.open("telegram:pieces"), "mkdir -p .output; head -c 9000 /dev/zero >.output/0f.part");
    await sandbox.close("telegram:pieces");
    const again = await sandbox.open("telegram:pieces");
    await again.write("next", whole());
    assert.equal(await said(again, `cat next; ${parts}`), "whole");
  });
}

async function* whole() {
  yield Buffer.from("who");
  yield Buffer.from("le");
}
