import { type AdapterHarness, describeAdapter } from "@talaria/testkit";

describeAdapter("loopback", makeHarness);

/** Starts a server that speaks the platform's protocol, and plugs a new adapter into it. */
async function makeHarness(): Promise<AdapterHarness> {
  throw new Error("write the harness: the fake platform below src/emulator, and the adapter plugged into it");
}
