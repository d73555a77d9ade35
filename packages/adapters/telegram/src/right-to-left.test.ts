import assert from "node:assert/strict";
import { it } from "node:test";
import { message, open, refTo, signal } from "./testing/world.ts";

const arabic =
  "# تقرير\n\nيثبت `npm install --save-exact talaria` الحزمة.\n\n| المدينة | السكان |\n|---|--:|\n| القاهرة | 42 |";
const english = "# Report\n\nThe word شكرا means thanks.\n\n| a | b |\n|---|--:|\n| c | 42 |";

for (const [name, markdown, isRtl, begin] of [
  ["Arabic", arabic, true, "right"],
  ["English with an Arabic word", english, undefined, "left"],
] as const)
  it(`shows ${name} from the side at which it is read, posted and edited`, async () => {
    await using world = await open();
    const { server, adapter, chat } = world;
    const { messageId } = await adapter.send(message(chat.id, markdown), signal);
    await adapter.edit?.(refTo(chat.id, messageId), `${markdown}\n\n---`, signal);
    for (const method of ["sendRichMessage", "editMessageText"]) {
      const sent = server.calls.of(method).at(-1)?.parameters.rich_message as Record<string, unknown>;
      assert.equal(sent.is_rtl, isRtl, method);
      const aligned = JSON.stringify(sent.blocks).match(/(?<="align":")\w+/g);
      assert.deepEqual(aligned, [begin, "right", begin, "right"]);
    }
  });
