import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { basicEnvironment, forgetEnvironment, pickEnvironment } from "./worker-environment.ts";

const env = {
  PATH: "/bin",
  lc_all: "C",
  NODE_COMPILE_CACHE: "/cache",
  TALARIA_HOME: "/home",
  TALARIA_BOT_TOKEN: "secret",
  MODEL_KEY: "key",
  DATABASE_URL: "postgres://owner",
  PATHOLOGY: "no",
};

describe("the environment of a worker", () => {
  it("keeps what any program needs and nothing that has to be named", () => {
    assert.deepEqual(basicEnvironment(env), {
      PATH: "/bin",
      lc_all: "C",
      NODE_COMPILE_CACHE: "/cache",
      TALARIA_HOME: "/home",
    });
  });

  it("adds what the configuration names, where it is set", () => {
    assert.deepEqual(pickEnvironment(env, ["MODEL_KEY", "UNSET"]), { MODEL_KEY: "key" });
  });

  it("is made smaller in a process that was started with more", () => {
    const mine: NodeJS.ProcessEnv = { ...env };
    forgetEnvironment(mine, ["MODEL_KEY"]);
    assert.deepEqual(Object.keys(mine), ["PATH", "lc_all", "NODE_COMPILE_CACHE", "TALARIA_HOME", "MODEL_KEY"]);
  });
});
