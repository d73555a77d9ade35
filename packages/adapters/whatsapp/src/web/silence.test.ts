import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silenceLibsignal } from "./silence.ts";

class SessionEntry {
  readonly privKey = "a private key";
}

describe("the console beside libsignal", () => {
  it("drops what libsignal prints, and nothing else", () => {
    const printed: unknown[][] = [];
    const print = (...values: unknown[]) => void printed.push(values);
    const target = { info: print, warn: print, error: print, log: print };
    silenceLibsignal(target);
    // Called as by the library: its file is on the stack.
    const asLibsignal = new Function(
      "target",
      "values",
      "target.info(...values)\n//# sourceURL=/x/node_modules/libsignal/src/y.js",
    );
    asLibsignal(target, ["Closing session:", { privKey: "a private key" }]);
    target.warn("Session already closed", new SessionEntry());
    target.info("the gateway's own words", { count: 1 });
    target.error("an error");
    assert.deepEqual(printed, [["the gateway's own words", { count: 1 }], ["an error"]]);
  });
});
