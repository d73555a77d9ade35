import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type DeliveryKey, type MessageId, type TurnId } from "@talaria/protocol";
import type { OutboxPart } from "@talaria/store";
import fc from "fast-check";
import { ModelOutbox, modelText } from "./test-model-outbox.ts";
import { useStore } from "./test-store.ts";

const which = fc.integer({ min: 0, max: 5 });
const turn = fc.integer({ min: 0, max: 1 });

const operation = fc.oneof(
  fc.record({ type: fc.constant("add" as const), conversation: fc.constantFrom("a", "b"), turn: fc.option(turn) }),
  fc.record({ type: fc.constant("later" as const), which, retryInMs: fc.constantFrom(undefined, 5_000, 60_000) }),
  fc.record({
    type: fc.constant("settle" as const),
    which,
    state: fc.constantFrom("sent" as const, "failed" as const),
  }),
  fc.record({ type: fc.constant("preview" as const), turn, isPosted: fc.boolean() }),
  fc.record({ type: fc.constant("forget" as const), turn }),
  fc.record({ type: fc.constant("wait" as const), ms: fc.constantFrom(1_000, 10_000, 100_000) }),
);

describe("the model of the outbox", () => {
  const store = useStore();

  it("answers what the real one does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (operations) => {
        const real = await store.fresh();
        const model = new ModelOutbox();
        const ids: number[] = [];
        for (const one of operations) {
          const turnId = "turn" in one && one.turn !== null ? brandAs<TurnId>(`turn-${one.turn}`) : undefined;
          const now = real.clock.now();
          if (one.type === "wait") await real.skip(one.ms);
          else if (one.type === "add") {
            const text = modelText(model.rows.length + 1, `text ${ids.length}`, one.conversation, turnId);
            model.add(text, now);
            ids.push(await real.add(text));
          } else if (one.type === "forget" && turnId !== undefined) {
            model.previews.delete(turnId);
            await real.port.forgetPreview(real.lease, turnId);
          } else if (one.type === "preview" && turnId !== undefined) {
            const posted = { state: "posted", messageId: brandAs<MessageId>(`m-${one.turn}`) } as const;
            const preview = one.isPosted ? posted : ({ state: "posting" } as const);
            model.previews.set(turnId, preview);
            await real.port.savePreview(real.lease, turnId, preview);
          } else if ((one.type === "later" || one.type === "settle") && one.which < ids.length) {
            const parts: OutboxPart[] = [
              { markdown: "part", attachments: [], state: "sending", attempts: one.which, unknown: 0 },
            ];
            const update =
              one.type === "settle"
                ? { state: one.state, parts }
                : { state: "pending" as const, parts, ...(one.retryInMs ? { retryInMs: one.retryInMs } : {}) };
            model.update({ id: one.which + 1, ...update }, now);
            await real.port.update(real.lease, { id: ids[one.which] ?? 0, ...update });
          }
          const at = real.clock.now();
          for (const [inFlight, limit] of [
            [[], 16],
            [[1], 16],
            [[], 2],
          ] as const) {
            const there = await real.port.due(
              real.lease,
              inFlight.flatMap((id) => ids[id - 1] ?? []),
              limit,
            );
            const shown = (rows: typeof there) =>
              rows.map(({ deliveryKey, parts, preview }): [DeliveryKey, unknown, unknown] => [
                deliveryKey,
                parts,
                preview,
              ]);
            assert.deepEqual(shown(there), shown(model.due(inFlight, limit, at)));
          }
        }
      }),
      { numRuns: 200, seed: 20_261_123 },
    );
  });
});
