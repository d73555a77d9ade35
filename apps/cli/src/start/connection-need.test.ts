import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Installation } from "../../../../tests/support/installation.ts";
import { checkConnections } from "./connection-need.ts";

describe("the connections that workers need", () => {
  it("are checked against what the server allows", () => {
    checkConnections(10, 97);
    assert.throws(() => checkConnections(11, 97), {
      message:
        "workers.processes: 11 workers need 100 database connections and the server allows 97: set it to at most 10, or raise max_connections",
    });
    assert.throws(() => checkConnections(1, 10), /allows 10: raise the server's max_connections$/);
  });

  it("keep an installation from starting that would run out of them", async () => {
    const start = Installation.start({ config: "workers: { processes: 200 }", database: "shared" });
    await assert.rejects(
      start,
      /talaria: workers\.processes: 200 workers need 1612 database connections .* at most \d+/,
    );
  });
});
