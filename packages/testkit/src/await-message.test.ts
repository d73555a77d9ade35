import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { awaitMessage } from "./await-message.ts";

describe("awaitMessage", () => {
  it("finds a message that is there, by words or by a pattern that remembers where it stopped", async () => {
    const said = () => [{ text: "good night" }, { text: "good morning" }];
    const pattern = /night/g;
    assert.equal((await awaitMessage(said, "morning", 0)).text, "good morning");
    for (let n = 0; n < 2; n += 1) assert.equal((await awaitMessage(said, pattern, 0)).text, "good night");
  });

  it("waits for one that is still being written", async () => {
    let text = "";
    setTimeout(() => (text = "done"), 30);
    assert.deepEqual(await awaitMessage(() => [{ text }], "done", 5_000), { text: "done" });
  });

  it("says what the bot said instead", async () => {
    const waiting = awaitMessage(() => [{ text: "somebody else" }], "hello", 20);
    await assert.rejects(waiting, /hello.*did not appear within 20 ms[\s\S]*"somebody else"/);
  });
});
