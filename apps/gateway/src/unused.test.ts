import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultConfig } from "@talaria/config";
import { silentLog } from "@talaria/protocol";
import type { MemoryStore } from "@talaria/store";
import { startUnused } from "./unused.ts";

const { config } = defaultConfig({});

describe("the end of conversations that nobody goes on with", () => {
  it("is left out unless it is configured", () => {
    const endUnused = () => assert.fail("nobody wants it");
    assert.equal(startUnused({ endUnused }, config, silentLog), undefined);
  });

  it("is looked for until there is no more, with a pass where one is configured", async () => {
    const asked: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const endUnused: MemoryStore["endUnused"] = async (terms) => {
      asked.push(terms);
      if (asked.length === 3) resolve();
      return { ended: 1, isMore: asked.length < 3 };
    };
    const sessions = { resetAfterIdleMinutes: 60, timeZone: "UTC" };
    const memory = { enabled: true, pass: { model: "small", perDay: 4 } };
    const unused = startUnused({ endUnused }, { sessions, memory }, silentLog);
    await promise;
    await unused?.stop();
    assert.deepEqual(asked, Array(3).fill({ idleMs: 3_600_000, timeZone: "UTC", pass: true }));
  });
});
