import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { call, contextOf } from "../testing/tool-call.ts";
import { faultOf, type PlanStep } from "./check-plan.ts";
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
