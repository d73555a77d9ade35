import assert from "node:assert/strict";
import { it } from "node:test";
import { answerOf, request, startPeer } from "../model.fixture.ts";

it("keeps two hundred streams at once apart", async () => {
  await using peer = await startPeer();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      answerOf(peer.model, request({ messages: [{ role: "user", content: `number ${n}` }] })),
    ),
  );
  assert.deepEqual(
    answers.map(({ text }) => text),
    Array.from({ length: 200 }, (_, n) => `echo: number ${n}`),
  );
});
