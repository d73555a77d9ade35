import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createMetrics } from "./metrics.ts";
import { mergeSnapshots } from "./snapshot.ts";

function startMetrics(context: TestContext, process = "gateway") {
  const metrics = createMetrics({ process, version: "1.2.3" });
  context.after(() => metrics.close());
  return metrics;
}

function seriesOf(text: string): readonly string[] {
  return text.split("\n").map(sortLabels);
}

/** Prometheus gives no meaning to the order of labels. */
function sortLabels(line: string): string {
  return line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(",").sort().join(",")}}`);
}

describe("createMetrics", () => {
  it("counts each step in the life of a message", async (context) => {
    const metrics = startMetrics(context);
    metrics.received("telegram", "main");
    metrics.recorded("main");
    metrics.duplicate("main");
    metrics.refused("main", "not_allowed");
    metrics.unreadable("main", "message");
    metrics.turnStarted();
    metrics.turnFinished("answered", 1_500);
    metrics.turnFinished("failed", 1_500, "step_limit");
    metrics.turnFinished("stopped", 1_500, "stopped");
    metrics.firstToken("main", 300);
    metrics.toolCalled("fetch", "ok");
    metrics.modelUsed("main", { input: 5, cached: 4, cache_write: 3, output: 2 }, 0.25);
    metrics.modelUsed("main", { input: 5, cached: 0, cache_write: 0, output: 0 });
    metrics.streamed(7);
    metrics.previewed("main");
    metrics.delivered("main");
    metrics.deliveryFailed("main", "rate_limited");
    metrics.outcomeUnknown("main");
    metrics.rateLimited("main", 2_000);
    metrics.stage("received_to_recorded", 4);
    metrics.backlog({ waitingEvents: 3, oldestWaitingMs: 2_500, pendingDeliveries: 1, setAsideSessions: 2 });
    const text = await metrics.text();
    for (const line of [
      'talaria_set_aside_sessions{process="gateway"} 2',
      'talaria_events_received_total{account="main",platform="telegram",process="gateway"} 1',
      'talaria_events_recorded_total{account="main",process="gateway"} 1',
      'talaria_events_duplicate_total{account="main",process="gateway"} 1',
      'talaria_events_refused_total{account="main",reason="not_allowed",process="gateway"} 1',
      'talaria_events_unreadable_total{account="main",kind="message",process="gateway"} 1',
      'talaria_turns_started_total{process="gateway"} 1',
      'talaria_turns_finished_total{outcome="answered",process="gateway"} 1',
      'talaria_turns_finished_total{outcome="failed",process="gateway"} 1',
      'talaria_turn_failures_total{code="step_limit",process="gateway"} 1',
      'talaria_turn_duration_seconds_bucket{le="2.5",process="gateway"} 3',
      'talaria_turn_duration_seconds_bucket{le="1",process="gateway"} 0',
      'talaria_model_first_token_seconds_sum{model="main",process="gateway"} 0.3',
      'talaria_tool_calls_total{tool="fetch",outcome="ok",process="gateway"} 1',
      'talaria_model_tokens_total{model="main",kind="input",process="gateway"} 10',
      'talaria_model_tokens_total{model="main",kind="cache_write",process="gateway"} 3',
      'talaria_model_cost_total{model="main",process="gateway"} 0.25',
      'talaria_model_unpriced_answers_total{model="main",process="gateway"} 1',
      'talaria_reply_deltas_total{process="gateway"} 7',
      'talaria_reply_previews_total{account="main",process="gateway"} 1',
      'talaria_messages_delivered_total{account="main",process="gateway"} 1',
      'talaria_delivery_failures_total{account="main",code="rate_limited",process="gateway"} 1',
      'talaria_delivery_unknown_outcomes_total{account="main",process="gateway"} 1',
      'talaria_rate_limit_wait_seconds_total{account="main",process="gateway"} 2',
      'talaria_stage_duration_seconds_count{stage="received_to_recorded",process="gateway"} 1',
      'talaria_queue_lag_seconds{process="gateway"} 2.5',
      `talaria_build_info{version="1.2.3",node="${process.versions.node}",process="gateway"} 1`,
    ])
      assert.ok(seriesOf(text).includes(sortLabels(line)), `${line}\nis missing in\n${text}`);
  });

  it("shows one state per account, and none once the account is gone", async (context) => {
    const metrics = startMetrics(context);
    metrics.connection("telegram", "main", "connecting");
    metrics.connection("telegram", "main", "connected");
    const during = await metrics.text();
    assert.match(during, /status="connected".*} 1\n/);
    assert.match(during, /status="connecting".*} 0\n/);
    metrics.connection("telegram", "main", undefined);
    assert.doesNotMatch(await metrics.text(), /talaria_account_connection{/);
  });

  it("keeps the number of series finite, whatever labels come in", async (context) => {
    const metrics = startMetrics(context);
    for (let index = 0; index < 5_000; index++) metrics.refused(`account-${index}`, `reason ${index}\n"`);
    const text = await metrics.text();
    const series = text.split("\n").filter((line) => line.startsWith("talaria_events_refused_total{"));
    assert.ok(series.length <= 251, `${series.length} series`);
    assert.match(text, /account="other".*reason="other".*} 4800\n/);
  });

  it("shows a blocked event loop", async (context) => {
    const metrics = startMetrics(context);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const until = performance.now() + 200;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const longest = /quantile="1".*} ([\d.]+)/.exec(await metrics.text())?.[1];
    assert.ok(Number(longest) > 0.1, `longest delay ${longest}`);
  });

  it("never throws for durations that clocks of two machines can yield", (context) => {
    const metrics = startMetrics(context);
    metrics.stage("answered_to_delivered", -50);
    metrics.rateLimited("main", Number.NaN);
    metrics.streamed(-1);
  });
});

describe("mergeSnapshots", () => {
  it("joins processes under the label worker, with one header per metric", async (context) => {
    const gateway = startMetrics(context);
    const worker = startMetrics(context, "worker");
    gateway.turnStarted();
    worker.turnStarted();
    worker.turnStarted();
    const overTheWire = JSON.parse(JSON.stringify(await worker.exportSnapshot()));
    const text = await mergeSnapshots([
      { snapshot: await gateway.exportSnapshot() },
      { worker: "w1", snapshot: overTheWire },
    ]);
    assert.match(text, /talaria_turns_started_total{process="gateway"} 1\n/);
    assert.match(text, /talaria_turns_started_total{.*worker="w1".*} 2\n/);
    assert.equal(text.match(/# TYPE talaria_turns_started_total/g)?.length, 1);
    assert.equal(text.match(/# TYPE talaria_turn_duration_seconds/g)?.length, 1);
  });

  it("leaves out what is not a snapshot", async (context) => {
    const metrics = startMetrics(context);
    const good = await metrics.exportSnapshot();
    const parts = [undefined, null, {}, { ...good, version: 2 }, { version: 1, metrics: [{ name: "evil\n" }] }];
    assert.equal((await mergeSnapshots(parts.map((snapshot) => ({ worker: "w", snapshot })))).trim(), "");
    assert.match(await mergeSnapshots([{ snapshot: {} }, { snapshot: good }]), /talaria_build_info/);
  });
});
