import assert from "node:assert/strict";
import { it } from "node:test";
import * as library from "@matrix-org/matrix-sdk-crypto-wasm";
import { silentLog } from "@talaria/protocol";
import type { MatrixClient } from "../client.ts";
import { crossSign } from "./cross-signing.ts";

for (const isTrial of [false, true])
  it(`${isTrial ? "publishes no keys of an account on trial" : "publishes keys for an account that has none"}`, async () => {
    await library.initAsync();
    const user = new library.UserId("@bot:stub.test");
    const machine = await library.OlmMachine.initialize(user, new library.DeviceId("BOT"));
    const called: string[] = [];
    const call: MatrixClient["call"] = async ({ path }) => {
      called.push(path);
      return path.endsWith("/keys/upload") ? { one_time_key_counts: {} } : {};
    };
    const client = { call } as MatrixClient;
    const save = async () => undefined;
    const deps = { library, machine, client, log: silentLog, password: undefined, isTrial, save };
    await crossSign(deps, undefined, AbortSignal.timeout(120_000));
    assert.equal(called.includes("/client/v3/keys/device_signing/upload"), !isTrial, called.join());
  });
