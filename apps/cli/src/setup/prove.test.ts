import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AdapterHost, ConnectionState } from "@talaria/adapter";
import { defaultConfig } from "@talaria/config";
import { silentLog } from "@talaria/protocol";
import { adapterDeps, LoopbackAdapter, LoopbackPlatform } from "@talaria/testkit";
import { linkingText } from "../linking.ts";
import { proveRoundTrip } from "./prove.ts";

const { config } = defaultConfig({});
const waiting = "Waiting for a message, at most 1 min. Ctrl-C ends the setup.";

describe("proveRoundTrip", () => {
  it("shows a device to link as everywhere else, and the states in their order", async () => {
    const linking = { status: "linking", method: "qr", value: "2@abc,def,ghi" } as const;
    const { lines, problem } = await prove([linking, { status: "connecting" }, { status: "connected" }]);
    assert.deepEqual(lines, [
      await linkingText(linking),
      "  connecting",
      "  connected",
      "write to me",
      waiting,
      "  stopped",
    ]);
    assert.match(problem, /no direct message came/);
  });

  it("ends with the hint of an account that needs its operator", async () => {
    const { problem } = await prove([{ status: "needs-operator", code: "unauthorized", hint: "link it again" }]);
    assert.match(problem, /link it again/);
  });

  it("doesn't wait for a message of an account that came to need its operator", async () => {
    const needy = { status: "needs-operator", code: "unauthorized", hint: "link it again" } as const;
    const { lines, problem } = await prove([{ status: "connected" }, needy]);
    assert.deepEqual(lines, ["  connected", "write to me", waiting, "  stopped"]);
    assert.match(problem, /link it again/);
  });
});

/** What the operator reads while an account goes through these states and nobody writes, and how it ends. */
async function prove(states: readonly ConnectionState[]): Promise<{ lines: readonly string[]; problem: string }> {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const problem = await proveRoundTrip(new ScriptedAdapter(states), {
    config,
    greet: "write to me",
    say,
    log: silentLog,
    messageMs: 10,
  })
    .then(() => "none")
    .catch(String);
  return { lines, problem };
}

class ScriptedAdapter extends LoopbackAdapter {
  readonly #states: readonly ConnectionState[];
  #host: AdapterHost | undefined;

  constructor(states: readonly ConnectionState[]) {
    super(adapterDeps(), new LoopbackPlatform());
    this.#states = states;
  }

  override async start(host: AdapterHost): Promise<void> {
    this.#host = host;
    for (const state of this.#states) host.report(state);
  }

  override async stop(): Promise<void> {
    this.#host?.report({ status: "stopped" });
  }
}
