import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { it } from "node:test";

it("loads the openai package with the first request, not before", async () => {
  const loaded: string[] = [];
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      loaded.push(specifier);
      return next(specifier, context);
    },
  });
  const { answerOf, startPeer } = await import("../model.fixture.ts");
  await using peer = await startPeer();
  assert.ok(loaded.includes("./openai-chat/openai-chat-model.ts"));
  assert.ok(!loaded.includes("openai"));
  assert.equal((await answerOf(peer.model)).text, "echo: hello");
  assert.ok(loaded.includes("openai"));
  hooks.deregister();
});
