import assert from "node:assert/strict";
import { it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { z } from "zod";
import { defineTool, type Tool, toolSpecs } from "./index.ts";

function make(name: string, input: z.ZodType = z.object({ path: z.string().optional() })): Tool {
  return defineTool({
    name,
    description: "d",
    effect: "read",
    permissions: [],
    input,
    execute: async () => ({ content: "" }),
  });
}

it("serialises each tool once, without a schema address, sorted by name", () => {
  const tools = [make("b"), make("a")];
  const specs = toolSpecs(tools);
  assert.deepEqual(
    specs.map((spec) => spec.name),
    ["a", "b"],
  );
  assert.deepEqual(specs[0]?.parameters, { type: "object", properties: { path: { type: "string" } } });
  assert.equal(toolSpecs(tools.toReversed())[0], specs[0]);
});

it("shows the model no lengths, patterns and defaults that go without saying, and still refuses by them", () => {
  const input = z.strictObject({
    name: z
      .string()
      .min(1)
      .max(9)
      .regex(/^[a-z]+$/),
    list: z.array(z.string().max(5)).min(1).max(3),
    count: z.int(),
    offset: z.int().min(0).max(50).default(0),
    isLong: z.boolean().default(false),
  });
  assert.deepEqual(toolSpecs([make("bounded", input)])[0]?.parameters, {
    type: "object",
    properties: {
      name: { type: "string" },
      list: { type: "array", items: { type: "string" } },
      count: { type: "integer" },
      offset: { type: "integer", maximum: 50, default: 0 },
      isLong: { type: "boolean" },
    },
    required: ["name", "list", "count"],
  });
  assert.equal(input.safeParse({ name: "TOO LONG A NAME", list: [], count: 1 }).success, false);
});

it("refuses bad names, inputs without a schema, and two tools of one name", () => {
  assert.throws(
    () => make("no spaces"),
    (error) => isGatewayError(error, "invalid_request"),
  );
  assert.throws(
    () => make("dates", z.object({ at: z.date() })),
    (error) => isGatewayError(error, "invalid_request"),
  );
  assert.throws(
    () => toolSpecs([make("a"), make("a")]),
    (error) => isGatewayError(error, "invalid_request"),
  );
});
