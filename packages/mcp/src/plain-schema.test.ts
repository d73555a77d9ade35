import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { toolsDigest } from "./index.ts";
import { mcpTool } from "./mcp-tool.ts";
import { plainSchema } from "./plain-schema.ts";
import { toolName } from "./tool-name.ts";

function property(schema: unknown): unknown {
  return (plainSchema({ type: "object", properties: { a: schema } }).properties as { a: unknown }).a;
}

describe("a schema of a server", () => {
  const kept: readonly [what: string, schema: object][] = [
    ["numbers with limits", { type: "integer", minimum: 1, maximum: 3, default: 2 }],
    ["choices", { type: "string", enum: ["a", "b"] }],
    ["lists", { type: "array", items: { type: "string", maxLength: 5 }, maxItems: 3 }],
    ["several types", { type: ["string", "null"] }],
    ["alternatives", { anyOf: [{ type: "string" }, { type: "number" }] }],
    ["objects", { type: "object", properties: { b: { const: 1 } }, required: ["b"], additionalProperties: false }],
    ["maps", { type: "object", additionalProperties: { type: "number" } }],
  ];
  for (const [what, schema] of kept) it(`keeps ${what}`, () => assert.deepEqual(property(schema), schema));

  const changed: readonly [what: string, schema: object, plain: object][] = [
    ["tells a format", { type: "string", format: "date" }, { type: "string", description: "(format: date)" }],
    ["tells oneOf as anyOf", { oneOf: [{ type: "string" }] }, { anyOf: [{ type: "string" }] }],
    ["puts a single allOf in its place", { allOf: [{ type: "string" }] }, { type: "string" }],
    ["reads nullable", { type: "string", nullable: true }, { type: ["string", "null"] }],
    ["drops what it does not know", { type: "string", "x-a": 1, title: "T", examples: ["e"] }, { type: "string" }],
    ["drops choices with hidden characters", { enum: ["a\u202eb"] }, {}],
    ["drops types that don't exist", { type: "any" }, {}],
    ["drops limits that are none", { type: "string", maxLength: -1, minLength: "2" }, { type: "string" }],
    [
      "is no stricter where names can't be given",
      { properties: { "a b": {} }, additionalProperties: false },
      { type: "object", properties: {}, required: [] },
    ],
    ["does not leave the document", { $ref: "http://127.0.0.1/x", type: "string" }, { type: "string" }],
    ["drops what leads nowhere", { $ref: "#/constructor/prototype" }, {}],
  ];
  for (const [what, schema, plain] of changed) it(what, () => assert.deepEqual(property(schema), plain));

  it("follows references, and stops where they go in circles", () => {
    const tree = { type: "object", properties: { next: { $ref: "#/$defs/tree" } } };
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/tree", description: "A tree." } },
      $defs: { tree },
    };
    assert.deepEqual((plainSchema(schema).properties as { a: unknown }).a, {
      type: "object",
      description: "A tree.",
      properties: { next: {} },
      required: [],
    });
  });

  it("ends, however often it refers to itself", () => {
    const names = Array.from({ length: 60 }, (_, index) => `d${index}`);
    const $defs = Object.fromEntries(
      names.map((name, index) => [name, { anyOf: Array(3).fill({ $ref: `#/$defs/d${(index + 1) % 60}` }) }]),
    );
    assert.throws(() => plainSchema({ properties: { a: { $ref: "#/$defs/d0" } }, $defs }), /more than 1000 parts/);
    const deep = JSON.parse(`${'{"items":'.repeat(5_000)}{}${"}".repeat(5_000)}`) as object;
    assert.ok(JSON.stringify(property(deep)).length < 500);
  });

  it("is an object for the model, whatever the server says", () => {
    assert.deepEqual(plainSchema({ anyOf: [{ type: "string" }] }), { type: "object", properties: {} });
    assert.throws(() => plainSchema("x"), /no object/);
    assert.throws(() => plainSchema(null), /no object/);
  });

  it("is checked by zod in every form it can take", () => {
    for (const [, schema] of kept)
      assert.ok(z.fromJSONSchema(plainSchema({ properties: { a: schema } })) instanceof z.ZodType);
    for (const [, , plain] of changed)
      assert.ok(z.fromJSONSchema(plainSchema({ properties: { a: plain } })) instanceof z.ZodType);
  });
});

describe("a tool of a server", () => {
  const make = (name: string, description = "d") =>
    mcpTool("s", { name, description, inputSchema: { type: "object" } }, { url: "http://127.0.0.1" }, async () => ({
      content: "",
    }));

  it("has a name of its own that stays the same", () => {
    assert.equal(toolName("git-hub", "read_file"), "mcp_git-hub_read_file");
    assert.equal(toolName("s", "größe"), toolName("s", "größe"));
    const long = ["x".repeat(200), `${"x".repeat(200)}y`, "a/b", "a.b", "a b"].map((tool) => toolName("s", tool));
    assert.equal(new Set(long).size, long.length);
    for (const name of long) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  });

  it("has a digest of what the model sees", () => {
    assert.equal(make("a").digest, make("a").digest);
    assert.notEqual(make("a").digest, make("a", "e").digest);
    assert.equal(toolsDigest([make("a"), make("b")]), toolsDigest([make("b"), make("a")]));
    assert.notEqual(toolsDigest([make("a")]), toolsDigest([make("a"), make("b")]));
  });
});
