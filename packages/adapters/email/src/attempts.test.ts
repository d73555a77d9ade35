import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { memoryStore } from "@talaria/testkit";
import { Attempts } from "./attempts.ts";
import { type MailServer, startMailServer } from "./emulator/index.ts";
import type { DyingAccountWord } from "./testing/dying-account.ts";
import { ada } from "./testing/world.ts";

describe("a mail that kills the process whenever it is read", { timeout: 120_000 }, () => {
  let server: MailServer;
  let folder: string;
  before(async () => {
    server = await startMailServer();
    folder = await mkdtemp(join(tmpdir(), "talaria-attempts-"));
    await writeFile(join(folder, "store.json"), "{}");
  });
  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  const start = (poisonUid: number): ChildProcess => {
    const script = fileURLToPath(new URL("testing/dying-account.ts", import.meta.url));
    return fork(script, [JSON.stringify(server.settings), join(folder, "store.json"), String(poisonUid), "3"]);
  };

  it("is noted unread after three deaths, logged and counted, and the mail behind it is read", async () => {
    server.say(ada.from, "poison");
    server.say(ada.from, "after it");
    for (let death = 1; death <= 3; death += 1) {
      const [, signal] = await once(start(1), "exit");
      assert.equal(signal, "SIGKILL", `death ${death}`);
    }
    const words: DyingAccountWord[] = [];
    const child = start(1);
    const exited = once(child, "exit");
    await new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.on("message", (word: DyingAccountWord) => {
        words.push(word);
        if ("text" in word && word.text === "after it") resolve();
      });
    });
    child.kill("SIGKILL");
    await exited;
    assert.match(JSON.stringify(words[0]), /a mail is left unread: .* 3 times/);
    assert.deepEqual(words[1], { leftOut: "unreadable_mail" });
    assert.match(JSON.stringify(words[2]), /not read: it could not be taken apart/);
    assert.deepEqual(words[3], { text: "after it" });
  });
});

describe("attempts", () => {
  const mail = { uidValidity: "1", uid: 7 };

  it("are counted for each stage of the newest mail alone, across starts", async () => {
    const store = memoryStore();
    const first = new Attempts(store);
    assert.deepEqual([await first.begin(mail, "head"), await first.begin(mail, "content")], [1, 1]);
    const second = new Attempts(store);
    assert.deepEqual([await second.begin(mail, "head"), await second.begin(mail, "content")], [2, 2]);
    assert.equal(await second.begin({ ...mail, uid: 8 }, "head"), 1);
    assert.equal(await second.begin({ ...mail, uidValidity: "2" }, "head"), 1);
    assert.equal(store.values.size, 1);
  });

  it("start over when the stored count can't be read", async () => {
    for (const text of ["", "{", "{}", '{"uid":"7"}']) {
      const store = memoryStore();
      await store.write("attempts", text);
      assert.equal(await new Attempts(store).begin(mail, "head"), 1, text);
    }
  });
});
