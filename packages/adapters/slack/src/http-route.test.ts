import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requestOf, slackSignature } from "./emulator/index.ts";
import { maxBodyBytes } from "./http-route.ts";
import { openWorld } from "./testing/world.ts";

type World = Awaited<ReturnType<typeof openWorld>>;

const nowSeconds = () => Math.floor(Date.now() / 1_000);

async function post(world: World, body: string, headers: Record<string, string>): Promise<Response> {
  return fetch(world.web?.url ?? "", { method: "POST", body, headers });
}

function signed(world: World, body: string, timestamp = nowSeconds()) {
  return {
    "content-type": "application/json",
    ...slackSignature(body, { secret: world.server.signingSecret, timestamp }),
  };
}

const event = JSON.stringify({ type: "event_callback", event: { type: "message" } });

/** What somebody posts who is not Slack, or who plays back what Slack once posted. */
const refused: readonly [what: string, status: number, make: (world: World) => [string, Record<string, string>]][] = [
  ["no signature", 401, () => [event, {}]],
  ["a signature with another secret", 401, () => [event, slackSignature(event, { secret: "f".repeat(32) })]],
  ["a signature of another body", 401, (world) => [event, signed(world, `${event} `)]],
  ["six minutes old", 401, (world) => [event, signed(world, event, nowSeconds() - 360)]],
  ["from the future", 401, (world) => [event, signed(world, event, nowSeconds() + 360)]],
  [
    "a time that is no number",
    401,
    (world) => [event, { ...signed(world, event), "x-slack-request-timestamp": "1e9" }],
  ],
  ["an empty signature", 401, (world) => [event, { ...signed(world, event), "x-slack-signature": "" }]],
  [
    "the version left out",
    401,
    (world) => {
      const headers = signed(world, event);
      return [event, { ...headers, "x-slack-signature": headers["x-slack-signature"].slice(3) }];
    },
  ],
  ["no JSON", 400, (world) => ["{", signed(world, "{")]],
  ["JSON of another kind", 400, (world) => ["[1]", signed(world, "[1]")]],
  ["an unknown type", 400, (world) => ['{"type":"app_rate_limited"}', signed(world, '{"type":"app_rate_limited"}')]],
  [
    "too long",
    413,
    (world) => {
      const body = " ".repeat(maxBodyBytes + 1);
      return [body, signed(world, body)];
    },
  ],
];

describe("the address Slack posts to", () => {
  for (const [what, status, make] of refused)
    it(`answers ${status} to ${what}`, async () => {
      await using world = await openWorld({ mode: "http" });
      const [body, headers] = make(world);
      const response = await post(world, body, headers);
      assert.equal(response.status, status);
      assert.deepEqual(world.host.offered, []);
      world.direct.say(world.ada, "a real one");
      await world.host.recorded(1);
    });

  it("answers the question whether it is ours, only when it is signed", async () => {
    await using world = await openWorld({ mode: "http" });
    const body = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1aB" });
    const answer = await post(world, body, signed(world, body));
    assert.equal(await answer.text(), "3eZbrw1aB");
    assert.equal((await post(world, body, {})).status, 401);
  });

  it("takes commands and presses as forms", async () => {
    await using world = await openWorld({ mode: "http" });
    const given = world.channel.command(world.ada, "/talaria", "stop");
    await world.host.recorded(1);
    await world.host.until(() => given.isAcknowledged, "the command is acknowledged");
    assert.equal(given.answer, "");
    const form = requestOf({ kind: "interactive", payload: { type: "view_submission" } });
    assert.equal(
      (await post(world, form.body, { ...signed(world, form.body), "content-type": form.type })).status,
      200,
    );
    const broken = "payload=%7B";
    const headers = { ...signed(world, broken), "content-type": form.type };
    assert.equal((await post(world, broken, headers)).status, 400);
  });

  it("answers 503 when the account is stopped", async () => {
    await using world = await openWorld({ mode: "http" });
    await world.adapter.stop();
    assert.equal((await post(world, event, signed(world, event))).status, 503);
  });

  it("exists only in HTTP mode", async () => {
    await using world = await openWorld();
    assert.deepEqual(world.adapter.routes?.(), []);
  });
});
