import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkConfig, loadConfig } from "../load-config.ts";
import { formatProblem } from "../problem.ts";

const base = "scheme: hmac, secret: kX9vQ2mZ7pL4rT8wB3nC6yH1, prompt: hello";
const answered = `${base}, callbackUrl: "https://x.example/answers"`;

const options = { file: "config.yaml", env: {}, platforms: { names: [], rules: {} } };
const route = (keys: string) => `webhooks:\n  w: { ${keys} }\n`;

describe("a webhook's rate and its events read as one", () => {
  it("are passed on as they stand", () => {
    const keys = `rate: { perMinute: 30 }, coalesceMs: 500, coalesceBy: "{{ body.a[0].b }}/{{ headers.x-kind }}"`;
    const { config } = loadConfig(route(`${answered}, ${keys}`), options);
    const { rate, coalesceMs, coalesceBy } = config.webhooks.w ?? {};
    assert.deepEqual(
      [rate, coalesceMs, coalesceBy],
      [{ perMinute: 30, burst: 10 }, 500, "{{ body.a[0].b }}/{{ headers.x-kind }}"],
    );
  });

  const refused: readonly [keys: string, key: string, remedy: RegExp][] = [
    [`${answered}, rate: { perMinute: 0 }`, "rate.perMinute", /1/],
    [`${answered}, rate: { perMinute: 1.5 }`, "rate.perMinute", /whole|int/],
    [`${answered}, rate: { perMinute: 60001 }`, "rate.perMinute", /60000/],
    [`${answered}, rate: { burst: 5 }`, "rate.perMinute", /required/],
    [`${answered}, rate: { perMinute: 5, burst: 0 }`, "rate.burst", /1/],
    [`${answered}, rate: 5`, "rate", /perMinute|object|keys|map/],
    [`${answered}, coalesceMs: 99`, "coalesceMs", /100/],
    [`${answered}, coalesceMs: 600001`, "coalesceMs", /600000/],
    [`${answered}, coalesceMs: soon`, "coalesceMs", /number/],
    [`${answered}, coalesceMs: 500, coalesceBy: body.id`, "coalesceBy", /\{\{ body\.id \}\}/],
    [`${answered}, coalesceBy: "{{ body.id }}"`, "coalesceBy", /needs `coalesceMs`/],
    [`${base}, wait: true, coalesceMs: 500`, "coalesceMs", /wait: true/],
  ];
  for (const [keys, key, remedy] of refused)
    it(`are refused as ${keys.slice(keys.indexOf("1, ") + 3).replace(/^.*answers", /, "")}`, () => {
      const problems = checkConfig(route(keys), options).problems.map(formatProblem).join("\n");
      assert.ok(problems.includes(`webhooks.w.${key}`), problems);
      assert.match(problems, remedy);
    });
});

describe("which events of a webhook start a turn", () => {
  it("is passed on, single values as lists of one", () => {
    const when =
      "when: { body.action: completed, body.run.conclusion: [failure, timed_out], body.n: 3, 'body.x[0].y': false }";
    const { config } = loadConfig(
      route(`${answered}, events: [workflow_run, Pipeline Hook], eventFrom: body.kind, ${when}`),
      options,
    );
    const { events, eventFrom, when: conditions } = config.webhooks.w ?? {};
    assert.deepEqual([events, eventFrom], [["workflow_run", "Pipeline Hook"], "body.kind"]);
    assert.deepEqual(conditions, {
      "body.action": ["completed"],
      "body.run.conclusion": ["failure", "timed_out"],
      "body.n": [3],
      "body.x[0].y": [false],
    });
  });

  const refused: readonly [keys: string, key: string, remedy: RegExp][] = [
    ["events: []", "events", /1/],
    ["events: push", "events", /list|array/],
    ['events: [""]', "events.0", /1/],
    ["events: [push, ping]", "events.1", /`ping` never starts a turn: leave it out/],
    ["eventFrom: x-event-key", "eventFrom", /`headers\.x-event-key`/],
    ["when: {}", "when", /`body\.action: completed`/],
    ["when: { action: completed }", "when.action", /`body\.action`/],
    ["when: { body.action: [] }", "when.body.action", /at least one value/],
    ["when: { body.action: { is: completed } }", "when.body.action", /got mapping/],
    ["when: completed", "when", /expected record/],
    ["event: [push]", "event", /did you mean "events"/],
  ];
  for (const [keys, key, remedy] of refused)
    it(`is refused as ${keys}`, () => {
      const problems = checkConfig(route(`${answered}, ${keys}`), options)
        .problems.map(formatProblem)
        .join("\n");
      assert.ok(problems.includes(`webhooks.w.${key}`), problems);
      assert.match(problems, remedy);
    });
});

describe("a route that acts for an owner", () => {
  const file = (keys: string) => `
owners: ["telegram:user:1"]
mcp: { servers: { tracker: { url: "https://tracker.example.org/mcp" } } }
${route(`${answered}, ${keys}`)}`;
  const known = { ...options, platforms: { names: ["telegram"], rules: {} } };

  it("names one of the owners, and its toolsets", () => {
    const { config } = loadConfig(file(`onBehalfOf: "telegram:user:1", toolset: [terminal, own, mcp_tracker]`), known);
    const { onBehalfOf, toolset } = config.webhooks.w ?? {};
    assert.deepEqual([onBehalfOf, toolset], ["telegram:user:1", ["terminal", "own", "mcp_tracker"]]);
  });

  const refused: readonly [keys: string, key: string, remedy: RegExp][] = [
    [`onBehalfOf: "telegram:user:12", toolset: [web]`, "onBehalfOf", /"telegram:user:12" is not among `owners`/],
    [`onBehalfOf: "telegram:user:1"`, "toolset", /name what the route may use/],
    [`onBehalfOf: "telegram:user:1", toolset: []`, "toolset", /at least one toolset/],
    ["toolset: [web]", "onBehalfOf", /name the owner/],
    [`onBehalfOf: "telegram:user:1", toolset: [terminl]`, "toolset.0", /no toolset "terminl".*terminal/],
    [`onBehalfOf: "telegram:user:1", toolset: [mcp_other]`, "toolset.0", /no toolset "mcp_other"/],
    [`onBehalfOf: "telegram:user:1", toolset: [web], unsafe_no_replay: true`, "unsafe_no_replay", /act again/],
    [`onBehalfOf: "telegram:user:1", toolset: [web], unsafe_repeated_body: true`, "unsafe_repeated_body", /act again/],
  ];
  for (const [keys, key, remedy] of refused)
    it(`is refused as ${keys}`, () => {
      const problems = checkConfig(file(keys), known).problems.map(formatProblem).join("\n");
      assert.ok(problems.includes(`webhooks.w.${key}`), problems);
      assert.match(problems, remedy);
    });
});
