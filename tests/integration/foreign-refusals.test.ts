import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type DeliveryKey, type GatewayError, isGatewayError, systemClock } from "@talaria/protocol";
import type { Failing } from "../support/outage-proxy.ts";
import { OutageStand } from "../support/outage-stand.ts";
import { stages } from "../support/platforms/stages.ts";

const refusals: readonly (readonly [Failing, code: GatewayError["code"], effect: GatewayError["effect"]])[] = [
  ["a page of 429", "rate_limited", "none"],
  ["429 without a number", "rate_limited", "none"],
  ["a page of 403", "unavailable", "none"],
  ["a page of 404", "unavailable", "none"],
  ["a page of 502", "unavailable", "unknown"],
];

/** Firewalls and proxies answer with pages of their own. People must not read a mark, or nothing at all, because of one. */
describe("what is refused before it reaches a platform", () => {
  // Mail is not passed on by anything that speaks HTTP.
  for (const [platform, start] of stages.filter(([name]) => name !== "email"))
    it(`is known on ${platform} not to have been sent, and worth another try`, async () => {
      const options = { clock: systemClock, certificates: undefined, talks: 1 };
      await using stand = await OutageStand.open(platform, await start(), options);
      const [talk] = stand.talks;
      assert.ok(talk);
      const send = (words: string) => {
        const deliveryKey = brandAs<DeliveryKey>(words);
        const message = { conversation: talk.conversation, deliveryKey, markdown: words, attachments: [] };
        return stand.adapter.send(message, AbortSignal.timeout(30_000));
      };
      for (const [failing, code, effect] of refusals) {
        await stand.begin(failing);
        const error = await send(failing).then(
          () => assert.fail(`${failing} was no failure`),
          (thrown: unknown) => thrown,
        );
        await stand.end();
        assert.ok(isGatewayError(error), String(error));
        assert.deepEqual([error.code, error.effect], [code, effect], `${failing}: ${error.message}`);
        assert.doesNotMatch(error.message, /nginx/);
      }
      await send("and then");
      assert.deepEqual(
        talk.place.answers().map(({ text }) => text),
        ["and then"],
      );
    });
});
