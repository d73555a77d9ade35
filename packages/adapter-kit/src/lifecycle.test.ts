import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as aMoment } from "node:timers/promises";
import type { Acceptance, AdapterHost } from "@talaria/adapter";
import {
  type AccountId,
  brandAs,
  GatewayError,
  type InboundEvent,
  isGatewayError,
  systemClock,
} from "@talaria/protocol";
import { Lifecycle } from "./lifecycle.ts";
import type { Opened } from "./lifecycle-options.ts";

const event = { id: "e1" } as InboundEvent;

/** A host that notes what reaches it, and records nothing before the gate is opened. */
class GatedHost implements AdapterHost {
  readonly log: string[] = [];
  readonly causes: (Error | undefined)[] = [];
  gate = Promise.withResolvers<void>();
  constructor() {
    this.gate.resolve();
  }
  async accept(): Promise<Acceptance> {
    this.log.push("accept");
    await this.gate.promise;
    this.log.push("recorded");
    return "recorded";
  }
  async received(): Promise<undefined> {}
  async kindChanged(): Promise<void> {}
  async added(): Promise<void> {}

  async isAllowed(): Promise<boolean> {
    return true;
  }
  async heard(): Promise<undefined> {}
  leftOut(): void {
    this.log.push("left out");
  }
  async receipt(): Promise<void> {
    this.log.push("receipt");
  }
  report({ status }: { readonly status: string }, cause?: Error): void {
    this.log.push(status);
    this.causes.push(cause);
  }
}

/** A connection that stands until it is stopped. */
const standing = async (connected: () => void, signal: AbortSignal) => {
  connected();
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
};

function make(
  open: (host: AdapterHost, signal: AbortSignal) => Opened | Promise<Opened> = () => ({ session: standing }),
) {
  let given: AdapterHost | undefined;
  const lifecycle = new Lifecycle({
    id: brandAs<AccountId>("a"),
    clock: systemClock,
    hint: (code) => `mend ${code}`,
    open(host, signal) {
      given = host;
      return open(host, signal);
    },
  });
  const host = new GatedHost();
  return { lifecycle, host, given: () => given as AdapterHost };
}

describe("the lifecycle of an account", () => {
  it("starts, stops and starts again, each state once and in order", async () => {
    const { lifecycle, host } = make();
    for (let times = 0; times < 2; times += 1) {
      await lifecycle.start(host);
      await lifecycle.stop();
    }
    const once = ["connecting", "connected", "stopped"];
    assert.deepEqual(host.log, [...once, ...once]);
  });

  it("counts as connected without a session, as long as it runs", async () => {
    const { lifecycle, host } = make(() => ({}));
    await lifecycle.start(host);
    await lifecycle.stop();
    assert.deepEqual(host.log, ["connected", "stopped"]);
  });

  it("shows what is open between start and stop, and refuses calls outside", async () => {
    const opened: Opened = { session: standing };
    const { lifecycle, host } = make(() => opened);
    const isRefused = (error: unknown) => isGatewayError(error, "unavailable") && error.effect === "none";
    assert.throws(() => lifecycle.demand(), isRefused);
    await lifecycle.start(host);
    assert.equal(lifecycle.demand(), opened);
    const stopping = lifecycle.stop();
    assert.equal(lifecycle.running, undefined);
    assert.throws(() => lifecycle.demand(), isRefused);
    await stopping;
  });

  it("waits with stop for what is being recorded; the second stop resolves with the first", async () => {
    const { lifecycle, host, given } = make();
    await lifecycle.start(host);
    host.gate = Promise.withResolvers<void>();
    const accepting = given().accept(event);
    const ended: string[] = [];
    const stops = ["first", "second"].map((name) => lifecycle.stop().then(() => ended.push(name)));
    await aMoment();
    assert.deepEqual(ended, []);
    host.gate.resolve();
    await Promise.all([...stops, accepting]);
    assert.deepEqual(host.log.slice(2), ["accept", "recorded", "stopped"]);
    await lifecycle.stop();
    assert.equal(host.log.filter((one) => one === "stopped").length, 1);
  });

  it("lets nothing reach the host after a stop, and no report from the begin of it", async () => {
    const { lifecycle, host, given } = make();
    await lifecycle.start(host);
    const stopping = lifecycle.stop();
    given().report({ status: "connected" });
    await stopping;
    for (const late of [given().accept(event), given().receipt({} as never)])
      await assert.rejects(late, (error) => isGatewayError(error, "unavailable"));
    assert.deepEqual(host.log, ["connecting", "connected", "stopped"]);
  });

  it("waits with a start for the stop that is running", async () => {
    const closing = Promise.withResolvers<void>();
    const { lifecycle, host } = make(() => ({ session: standing, close: () => closing.promise }));
    await lifecycle.start(host);
    const stopping = lifecycle.stop();
    const starting = lifecycle.start(host);
    await aMoment();
    assert.deepEqual(host.log, ["connecting", "connected"]);
    closing.resolve();
    await Promise.all([stopping, starting]);
    assert.deepEqual(host.log.slice(2), ["stopped", "connecting", "connected"]);
    await lifecycle.stop();
  });

  it("ends what is still opening when it is stopped", async () => {
    const opening = Promise.withResolvers<void>();
    const closed: string[] = [];
    const { lifecycle, host } = make(async () => {
      await opening.promise;
      return { session: standing, close: async () => void closed.push("closed") };
    });
    const starting = lifecycle.start(host);
    await aMoment();
    const stopping = lifecycle.stop();
    await aMoment();
    assert.deepEqual(host.log, []);
    opening.resolve();
    await Promise.all([starting, stopping]);
    assert.deepEqual(closed, ["closed"]);
    assert.deepEqual(host.log, ["stopped"]);
  });

  it("never connects when it is stopped before it began", async () => {
    const { lifecycle, host } = make();
    const starting = lifecycle.start(host);
    await Promise.all([lifecycle.stop(), starting]);
    assert.deepEqual(host.log, ["stopped"]);
  });

  it("refuses a second start, which would leave the first one running", async () => {
    const { lifecycle, host } = make();
    await lifecycle.start(host);
    await assert.rejects(lifecycle.start(host), (error) => isGatewayError(error, "conflict"));
    await lifecycle.stop();
  });

  it("throws what an operator has to mend, and can be started again once it is stopped", async () => {
    const error = new GatewayError("no", { code: "unauthorized" });
    const sessions = [() => Promise.reject(error), standing];
    const { lifecycle, host } = make(() => ({ session: sessions.shift() ?? standing }));
    await assert.rejects(lifecycle.start(host), error);
    assert.deepEqual(host.log, ["connecting", "needs-operator"]);
    assert.equal(host.causes.at(-1), error);
    await lifecycle.stop();
    await lifecycle.start(host);
    await lifecycle.stop();
    assert.deepEqual(host.log.slice(2), ["stopped", "connecting", "connected", "stopped"]);
  });

  it("can be started again at once when nothing could be opened", async () => {
    let isAway = true;
    const { lifecycle, host } = make(async () => {
      if (isAway) throw new GatewayError("the store is away", { code: "unavailable" });
      return { session: standing };
    });
    await assert.rejects(lifecycle.start(host), (error) => isGatewayError(error, "unavailable"));
    isAway = false;
    await lifecycle.start(host);
    await lifecycle.stop();
    assert.deepEqual(host.log, ["connecting", "connected", "stopped"]);
  });

  it("is started when an operator is asked to link a device", async () => {
    const { lifecycle, host } = make((guarded) => ({
      session: async (_connected, signal) => {
        guarded.report({ status: "linking", method: "qr", value: "code" });
        await standing(() => undefined, signal);
      },
    }));
    await lifecycle.start(host);
    assert.deepEqual(host.log, ["connecting", "linking"]);
    await lifecycle.stop();
  });

  it("has stopped also when something could not be closed, and says so", async () => {
    const { lifecycle, host } = make(() => ({ session: standing, close: () => Promise.reject(new Error("stuck")) }));
    await lifecycle.start(host);
    await assert.rejects(lifecycle.stop(), /stuck/);
    assert.equal(host.log.at(-1), "stopped");
    await lifecycle.start(host);
    await assert.rejects(lifecycle.stop(), /stuck/);
  });
});
