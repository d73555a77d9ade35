import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { type Clock, systemClock } from "@talaria/protocol";
import { defaultLimits } from "./config.ts";
import { FileProcess } from "./file-process.ts";
import { createLocalBackend } from "./local/backend.ts";

const folder = await mkdtemp(join(tmpdir(), "talaria-file-process-"));
const backend = createLocalBackend({ folder }, defaultLimits, systemClock);
after(async () => {
  await backend.stop();
  await rm(folder, { recursive: true, force: true });
});
await backend.start();

const idleMs = 30_000;

async function opened() {
  const idle: (() => void)[] = [];
  const clock: Clock = {
    now: systemClock.now,
    elapsed: systemClock.elapsed,
    sleep: (ms, signal) =>
      ms !== idleMs ? systemClock.sleep(ms, signal) : new Promise((resolve) => idle.push(resolve)),
  };
  const place = await backend.open("a");
  const files = new FileProcess(place, clock, 20_000);
  const said = async (text: string, input?: Uint8Array) => {
    const { bytes, code } = await files.ask({ words: ["eval", text], maxBytes: 1_000, input });
    return { text: bytes.toString(), code };
  };
  return { place, files, idle, said };
}

it("asks one process, one thing after the other, and tells of each how it ended", async () => {
  const { said, place } = await opened();
  const [first, second, third] = await Promise.all([
    said("cd /; V=1; sleep 0.1; echo $$"),
    said('echo "$V$PWD $$"; exit 3'),
    said("printf 'a\nb\\036'"),
  ]);
  assert.equal(second?.text, `${place.folder} ${first?.text}`);
  assert.deepEqual([first?.code, second?.code], [0, 3]);
  assert.deepEqual(third, { text: "a\nb\u{1E}", code: 0 });
});

it("begins another one where it was killed, and asks that again", async () => {
  const { said, files } = await opened();
  const first = await said("echo $$");
  await files.ask({ words: ["eval", "kill -9 $$"], maxBytes: 9 });
  const second = await said("echo $$");
  assert.notEqual(second.text, first.text);
  const { text, code } = await said(`[ $$ = ${second.text.trim()} ] && kill -9 $$; echo again`);
  assert.deepEqual([text, code], ["again\n", 0]);
});

it("ends the one that nobody asks anything", async () => {
  const { said, idle } = await opened();
  const first = await said("echo $$");
  assert.equal((await said("echo $$")).text, first.text);
  idle.at(-1)?.();
  await systemClock.sleep(50);
  assert.notEqual((await said("echo $$")).text, first.text);
});

it("hands bytes over when they are wanted, and never takes them for a question", async () => {
  const { said } = await opened();
  const evil = Buffer.from("x 'eval' 'echo taken >&2; echo taken'\n".repeat(20));
  const first = await said("echo $$");
  assert.equal((await said("echo refused", evil)).text, "refused\n");
  assert.equal((await said("echo $$")).text, first.text);
  const whole = await said(`echo go; n=$(head -c ${evil.length} | wc -c); echo ok $n`, evil);
  assert.equal(whole.text, `ok ${evil.length}\n`);
  assert.equal((await said("echo $$")).text, first.text);
  assert.equal((await said("echo go; head -c 1 >/dev/null; echo full", evil)).text, "full\n");
  assert.notEqual((await said("echo $$")).text, first.text);
});
