import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConnectionState } from "@talaria/adapter";
import { type Clock, GatewayError, isGatewayError } from "@talaria/protocol";
import { defaultPatience, keepConnected } from "./keep-connected.ts";

type Session = (connected: () => void, time: TestTime) => Promise<void>;

class TestTime implements Clock {
  time = 0;
  readonly sleeps: number[] = [];
  now(): number {
    return this.time;
  }
  elapsed(): number {
    return this.time;
  }
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.sleeps.push(ms);
    this.time += ms;
  }
}

/** Runs the sessions one after another, then stays connected until the abort. */
async function play(sessions: readonly Session[]) {
  const states: ConnectionState[] = [];
  const clock = new TestTime();
  const stopping = new AbortController();
  const waiting = [...sessions];
  const connection = keepConnected(
    {
      clock,
      seed: "telegram-main",
      hint: (code) => `mend ${code}`,
      report: (state) => states.push(state),
      session: async (connected) => {
        const next = waiting.shift();
        if (next) return next(connected, clock);
        stopping.abort();
      },
    },
    stopping.signal,
  );
  await connection.closed;
  return { states, clock, connection };
}

/** Sleeps until it is woken or told to stop. */
class Asleep extends TestTime {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
  }
}

/** Loses its connection with an error, is told to hurry, and says how often it has begun. */
async function hurried(error: GatewayError): Promise<number> {
  const stopping = new AbortController();
  const clock = new Asleep();
  let begun = 0;
  const session = async (connected: () => void) => {
    begun += 1;
    if (begun === 1) throw error;
    connected();
    stopping.abort();
  };
  const options = { clock, seed: "x", hint: () => "", report: () => undefined, session };
  const connection = keepConnected(options, stopping.signal);
  await connection.opened;
  await new Promise(setImmediate);
  connection.hurry();
  await new Promise(setImmediate);
  stopping.abort();
  await connection.closed;
  return begun;
}

it("is hurried once in 5 s where calls reach a platform that can't be read", async () => {
  const stopping = new AbortController();
  const clock = new Asleep();
  let begun = 0;
  const session = async () => {
    begun += 1;
    throw lost();
  };
  const options = { clock, seed: "x", hint: () => "", report: () => undefined, session };
  const connection = keepConnected(options, stopping.signal);
  await connection.opened;
  const counts: number[] = [];
  for (const later of [0, 4_999, 1]) {
    clock.time += later;
    await new Promise(setImmediate);
    connection.hurry();
    await new Promise(setImmediate);
    counts.push(begun);
  }
  stopping.abort();
  await connection.closed;
  assert.deepEqual(counts, [2, 2, 3]);
});

it("tries again at once when something else has reached the platform, unless it was told to wait", async () => {
  assert.equal(await hurried(lost()), 2);
  assert.equal(await hurried(lost(30_000)), 1);
});

const lost = (retryAfterMs?: number) =>
  new GatewayError("lost", { code: "unavailable", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

describe("keepConnected", () => {
  it("reports each state once and in order", async () => {
    const { states } = await play([
      async (connected) => {
        connected();
        connected();
        throw lost();
      },
      async () => {
        throw lost();
      },
      async (connected) => connected(),
    ]);
    assert.deepEqual(
      states.map((state) => (state.status === "reconnecting" ? `reconnecting ${state.attempt}` : state.status)),
      ["connecting", "connected", "reconnecting 1", "reconnecting 2", "connected", "reconnecting 3"],
    );
  });

  it("counts attempts from the start again after a stable connection", async () => {
    const flap: Session = async () => {
      throw lost();
    };
    const stable: Session = async (connected, time) => {
      connected();
      time.time += defaultPatience.stableMs;
      throw lost();
    };
    const { states } = await play([flap, flap, stable]);
    assert.deepEqual(
      states.flatMap((state) => (state.status === "reconnecting" ? [state.attempt] : [])),
      [1, 2, 1],
    );
  });

  it("stops and says what to do when an operator has to act", async () => {
    const { states, connection } = await play([
      async () => {
        throw new GatewayError("no", { code: "unauthorized" });
      },
    ]);
    assert.deepEqual(states, [
      { status: "connecting" },
      { status: "needs-operator", code: "unauthorized", hint: "mend unauthorized" },
    ]);
    await assert.rejects(connection.opened, (error) => isGatewayError(error, "unauthorized"));
  });

  it("is open once the first outcome is known, good or bad", async () => {
    const { connection } = await play([
      async () => {
        throw lost();
      },
    ]);
    await connection.opened;
  });

  it("waits as long as the platform asks", async () => {
    const { clock } = await play([
      async () => {
        throw lost(90_000);
      },
    ]);
    assert.deepEqual(clock.sleeps, [90_000]);
  });

  it("waits a day at most, and never less than usual, when the platform asks for nonsense", async () => {
    for (const [asked, least, most] of [
      [Number.MAX_SAFE_INTEGER, 86_400_000, 86_400_000],
      [Number.NaN, 500, 1_000],
      [-1, 500, 1_000],
    ] as const) {
      const { clock } = await play([
        async () => {
          throw lost(asked);
        },
      ]);
      const [pauseMs = 0] = clock.sleeps;
      assert.ok(pauseMs >= least && pauseMs <= most, `${pauseMs} ms when asked for ${asked}`);
    }
  });

  it("survives an error nobody foresaw", async () => {
    const { states } = await play([
      async () => {
        throw new TypeError("surprise");
      },
    ]);
    assert.deepEqual(states[1], { status: "reconnecting", attempt: 1, code: "internal" });
  });
});
