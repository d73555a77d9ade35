import assert from "node:assert/strict";
import { it } from "node:test";
import { gzipSync } from "node:zlib";
import type { CommandOptions, Workspace } from "@talaria/agent";
import { isGatewayError } from "@talaria/protocol";
import type { Sandbox } from "./sandbox.ts";

const options: CommandOptions = { timeoutMs: 120_000, signal: new AbortController().signal, maxOutputChars: 20_000 };

/** What every backend keeps of the port's promises of snapshots; its quota is 16 MB. */
export function testSnapshots(opened: () => Sandbox): void {
  const refused = (promise: Promise<unknown>) =>
    assert.rejects(promise, (error) => isGatewayError(error, "invalid_request"));

  it("takes its files elsewhere, with modes, links and times, in place of what was there", async () => {
    const sandbox = opened();
    const [from, to] = [await sandbox.open("telegram:from"), await sandbox.open("telegram:to")];
    const at = (place: Workspace, command: string) => place.exec({ command }, options);
    await at(
      from,
      "mkdir -p a/b .c; printf x >a/b/x; chmod 750 a/b/x; ln -s b/x a/l; ln -s /etc/passwd out; printf 1 >.c/1; printf 2 >'..s p'; touch -d 2020-01-02 a/b/x",
    );
    // That of busybox writes no file below a folder that it has made read-only.
    const isGnu = (await at(from, "tar --version")).output.includes("GNU");
    await at(from, `mkdir kept; printf r >kept/r; chmod ${isGnu ? 500 : 700} kept`);
    await at(to, "mkdir old; touch old/file .old; chmod 500 old");
    await to.run("mkdir deep && cd deep && X=1", options);
    const snapshot = await from.snapshot(1_000_000);
    assert.ok(snapshot);
    await to.restore(snapshot);
    const anew = await to.run('echo "$PWD$X"', options);
    assert.deepEqual([anew.output, anew.isNewShell], [`${to.folder}\n`, true]);
    const show =
      "find . ! -name . | sort; cat a/l .c/1 '..s p' kept/r; readlink out; stat -c '%a %Y' a/b/x; stat -c %a kept";
    const shown = (await at(to, show)).output;
    assert.equal(shown, (await at(from, show)).output);
    assert.match(shown, /^\.\/\.\.s p\n\.\/\.c\n\.\/\.c\/1\n\.\/a\n/);
    assert.match(shown, /x12r\/etc\/passwd\n750 \d+\n[57]00\n$/);
    await refused(to.restore(Buffer.from("nonsense")));
    await refused(to.restore(gzipSync(Buffer.alloc(5_000, "x"))));
    await refused(to.restore(gzipSync(Buffer.alloc(17 * 1024 * 1024))));
    assert.equal((await at(to, show)).output, shown, "what is no snapshot changes nothing");
    await at(from, "head -c 2000000 /dev/urandom >large");
    assert.equal(await from.snapshot(1_000_000), undefined);
    await at(to, "chmod 700 kept");
  });
}
