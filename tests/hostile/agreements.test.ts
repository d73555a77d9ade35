import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callTool, say } from "@talaria/testkit";
import { ModelPlan } from "../support/model-plan.ts";
import { Collector } from "./collector.ts";
import { startPosture } from "./posture.ts";
import { inPrivate } from "./stage.ts";

const bob = { recipient: "Bob", amount: 5 };
const mallory = { recipient: "Mallory", amount: 5 };

describe("an agreement to payments for a conversation", () => {
  for (const isTrusted of [true, false])
    describe(`at a server that is ${isTrusted ? "" : "not "}trusted`, () => {
      it("pays the same person again unasked, and nobody whom the page names", async (test) => {
        const { pay, waiting, house, paid } = await setUp(test, isTrusted, "targets: { pay: recipient }");
        const id = await pay(bob, bob, mallory);
        const [question] = (await house.written()).filter(({ markdown }) =>
          markdown.includes(`/approve ${id} session`),
        );
        assert.match(question?.markdown ?? "", /only with `recipient "Bob"`/);
        await house.tell(inPrivate("ada", `/approve ${id} session`));
        assert.deepEqual(paid(), [bob, bob]);
        assert.equal((await waiting()).length, 1);
      });

      it("is not to be had where the operator has named no argument", async (test) => {
        const { pay, waiting, house, paid } = await setUp(test, isTrusted);
        const id = await pay(bob, mallory);
        assert.ok((await house.written()).every(({ markdown }) => !markdown.includes(`/approve ${id} session`)));
        await house.tell(inPrivate("ada", `/approve ${id} session`));
        assert.deepEqual(paid(), []);
        await house.tell(inPrivate("ada", `/approve ${id}`));
        assert.deepEqual(paid(), [bob]);
        assert.equal((await waiting()).length, 1);
      });
    });
});

/** The owner's agent looks at what strangers want, and then pays. */
async function setUp(test: { after(end: () => Promise<void>): void }, isTrusted: boolean, deskRules?: string) {
  const closing = new AsyncDisposableStack();
  test.after(() => closing.disposeAsync());
  const collector = closing.use(await Collector.start());
  const plan = new ModelPlan();
  const rules = deskRules === undefined ? {} : { deskRules };
  const { house, desk } = closing.use(
    await startPosture({ respond: plan.respond, collector, isDeskTrusted: isTrusted, ...rules }),
  );
  const event = inPrivate("ada", "pay the bill");
  const waiting = () => house.store.calls.waiting(house.keyOf(event));
  return {
    house,
    waiting,
    paid: () => desk.calls.filter((call) => call.startsWith("pay")).map((call) => JSON.parse(call.slice(4)) as object),
    async pay(...payments: readonly object[]) {
      const calls = payments.map((payment) => callTool("mcp_desk_pay", payment));
      plan.answer("pay the bill", callTool("mcp_desk_look", {}), ...calls, say("Paid."));
      await house.tell(event);
      const questions = await waiting();
      if (questions[0]?.name === "mcp_desk_look") await house.tell(inPrivate("ada", `/approve ${questions[0].id}`));
      const [payment] = await waiting();
      assert.equal(payment?.name, "mcp_desk_pay");
      return payment.id;
    },
  };
}
