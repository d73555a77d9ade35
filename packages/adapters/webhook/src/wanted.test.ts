import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WebhookConfig } from "./config.ts";
import { routeWith } from "./testing/routes.ts";
import { eventNameOf, unwantedBecause } from "./wanted.ts";

const build = { action: "completed", workflow_run: { conclusion: "failure", attempt: 2, draft: false, name: null } };

function because(config: Partial<WebhookConfig>, body: unknown = build, event = "workflow_run") {
  const headers = { "x-github-event": event };
  return unwantedBecause({ body, headers }, routeWith({ scheme: "github", ...config }));
}

describe("what a route wants", () => {
  it("is everything but a ping without a filter", () => {
    assert.equal(because({}), undefined);
    assert.equal(because({}, build, ""), undefined);
    assert.equal(because({}, { zen: "Keep it logically awesome." }, "ping"), "ping");
    assert.equal(because({ events: ["ping", "push"] }, {}, "ping"), "ping");
  });

  it("is an event that `events` names, in any letters", () => {
    assert.equal(because({ events: ["push", "workflow_run"] }), undefined);
    assert.equal(because({ events: ["Workflow_Run"] }), undefined);
    for (const event of ["push", "workflow_runs", "workflow", ""])
      assert.equal(because({ events: ["workflow_run"] }, build, event), "event", event);
  });

  const met: readonly NonNullable<WebhookConfig["when"]>[] = [
    { "body.action": ["completed"] },
    { "body.action": ["requested", "completed"], "body.workflow_run.conclusion": ["timed_out", "failure"] },
    { "body.workflow_run.attempt": [2] },
    { "body.workflow_run.attempt": ["2"] },
    { "body.workflow_run.draft": [false] },
    { "headers.x-github-event": ["workflow_run"] },
  ];
  for (const when of met) it(`is what meets ${JSON.stringify(when)}`, () => assert.equal(because({ when }), undefined));

  const missed: readonly NonNullable<WebhookConfig["when"]>[] = [
    { "body.action": ["requested"] },
    { "body.action": ["completed"], "body.workflow_run.conclusion": ["success"] },
    { "body.action": ["Completed"] },
    { "body.gone": ["undefined"] },
    { "body.workflow_run.name": ["null"] },
    { "body.workflow_run": ["[object Object]"] },
    { "body.__proto__": ["[object Object]"] },
    { "body.action.length": [9] },
  ];
  for (const when of missed)
    it(`is not what misses ${JSON.stringify(when)}`, () => assert.equal(because({ when }), "when"));
});

describe("the name of an event", () => {
  const cases: readonly (readonly [Partial<WebhookConfig>, Record<string, string>, unknown, string | undefined])[] = [
    [{ scheme: "github" }, { "x-github-event": "push" }, { type: "other" }, "push"],
    [{ scheme: "github" }, {}, { type: "other" }, undefined],
    [{ scheme: "gitlab" }, { "x-gitlab-event": "Pipeline Hook" }, { object_kind: "pipeline" }, "Pipeline Hook"],
    [{ scheme: "gitlab", eventFrom: "body.object_kind" }, {}, { object_kind: "pipeline" }, "pipeline"],
    [{ scheme: "standard" }, { "x-event-type": "a" }, { type: "user.created" }, "user.created"],
    [{ scheme: "hmac" }, { "x-event-type": "a" }, { type: "b" }, "a"],
    [{ scheme: "token" }, {}, { type: "b" }, "b"],
    [{ scheme: "hmac" }, {}, { type: { name: "b" } }, undefined],
    [{ scheme: "hmac" }, {}, "text", undefined],
    [{ scheme: "hmac", eventFrom: "headers.x-event-key" }, { "x-event-key": "repo:push" }, {}, "repo:push"],
  ];
  for (const [config, headers, body, name] of cases)
    it(`is ${name} for ${JSON.stringify([config, headers, body])}`, () =>
      assert.equal(eventNameOf({ body, headers }, routeWith(config)), name));
});
