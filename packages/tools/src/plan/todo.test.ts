import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { call, contextOf } from "../testing/tool-call.ts";
import { faultOf, type PlanStep } from "./check-plan.ts";
import { readPlan, shownPlan } from "./shown-plan.ts";
import { todo } from "./todo.ts";

function step(id: string, dependsOn: readonly string[] = [], state: PlanStep["state"] = "pending"): PlanStep {
  return { id, text: `do ${id}`, state, dependsOn };
}

async function plan(...steps: readonly PlanStep[]) {
  return (await call(todo, { steps }, contextOf())).content;
}

describe("todo", () => {
  it("shows the plan and what can begin now", async () => {
    assert.equal(
      await plan(
        step("a", [], "done"),
        step("b", ["a"], "in_progress"),
        step("c", ["b", "a"]),
        step("d", ["a"]),
        step("e", [], "cancelled"),
      ),
      "[x] a: do a\n[>] b: do b\n[ ] c: do c (after b)\n[ ] d: do d\n[-] e: do e\n2 of 5 are over\ncan begin now: d",
    );
    assert.equal(await plan(), "The plan is empty.");
  });

  it("refuses circles, unknown and double steps, and steps that began too early", async () => {
    await assert.rejects(
      plan(step("a", ["c"]), step("b", ["a"]), step("c", ["b"]), step("d", ["c"])),
      /wait for each other: (a -> c -> b -> a|c -> b -> a -> c|b -> a -> c -> b)$/,
    );
    await assert.rejects(plan(step("a", ["a"])), /wait for each other: a -> a/);
    await assert.rejects(plan(step("a", ["z"])), /"a" depends on "z", which is no step/);
    await assert.rejects(plan(step("a"), step("a")), /two steps have the id "a"/);
    await assert.rejects(plan(step("a"), step("b", ["a"], "done")), /"b" is done, but "a"/);
  });

  it("changes single steps of the plan before, by id or number, and leaves the others as they are", async () => {
    const before = await plan(step("a", [], "in_progress"), step("b", ["a"]), step("7", ["b"]));
    const change = async (plan: string | undefined, ...changes: readonly object[]) =>
      (await call(todo, { changes }, contextOf(plan === undefined ? {} : { plan }))).content;
    const after = await change(before, { step: "a", state: "done" }, { step: 2, state: "in_progress", text: "do it" });
    assert.equal(after, "[x] a: do a\n[>] b: do it\n[ ] 7: do 7 (after b)\n1 of 3 are over");
    assert.match(
      await change(after, { step: "b", state: "done" }, { step: 7, state: "done" }),
      /\[x\] 7: do 7\n3 of 3/,
    );
    await assert.rejects(change(after, { step: "7", state: "done" }), /"7" is done, but "b"/);
    for (const unknown of [4, "z", "-1"])
      await assert.rejects(change(after, { step: unknown }), /is no step: there are a, b, 7/);
    for (const none of [undefined, await plan()])
      await assert.rejects(change(none, { step: 1, state: "done" }), /there is none yet/);
    await assert.rejects(change(before.slice(0, -5), { step: 1 }), /can't be read any more/);
    for (const input of [{}, { steps: [], changes: [{ step: 1 }] }, { changes: [] }])
      assert.equal(todo.input.safeParse(input).success, false);
  });

  it("reads back each plan as it is shown", () => {
    const text = fc.string({ minLength: 1, maxLength: 40 }).filter((one) => one.trim() !== "");
    const odd = fc.constantFrom("wait (after a)", "x (after b, a)", "(after a)", "[x] a: b", "1 of 2 are over");
    const steps = fc.array(fc.tuple(fc.oneof(text, odd), fc.constantFrom("pending", "done", "cancelled")), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(steps, (given) => {
        const ids = given.map((_, n) => `s${n}`);
        const made = given.map(([words, state], n): PlanStep => {
          const dependsOn = ids.slice(0, n).filter((_, other) => (other + n) % 3 === 0);
          return { id: `s${n}`, text: words.trim(), state: state as PlanStep["state"], dependsOn };
        });
        const shown = shownPlan(made);
        const read = readPlan(shown);
        assert.ok(read !== undefined || /\(after/.test(shown));
        if (read !== undefined && made.length > 0) assert.equal(shownPlan(read), shown);
      }),
    );
  });

  it("takes every plan without a circle, and names a real circle in every other", () => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    const links = fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids)), { maxLength: 12 });
    fc.assert(
      fc.property(links, (pairs) => {
        const steps = ids.map((id) =>
          step(id, [...new Set(pairs.filter(([from]) => from === id).map(([, to]) => to))]),
        );
        const fault = faultOf(steps);
        const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
          steps
            .find(({ id }) => id === from)
            ?.dependsOn.some((next) => {
              if (next === to) return true;
              if (seen.has(next)) return false;
              seen.add(next);
              return reaches(next, to, seen);
            }) ?? false;
        assert.equal(
          fault !== undefined,
          ids.some((id) => reaches(id, id)),
        );
        const circle = fault?.split(": ")[1]?.split(" -> ") ?? [];
        for (const [index, id] of circle.slice(0, -1).entries()) {
          assert.ok(steps.find((one) => one.id === id)?.dependsOn.includes(circle[index + 1] ?? ""));
        }
        assert.equal(circle.at(0), circle.at(-1));
      }),
    );
  });
});
