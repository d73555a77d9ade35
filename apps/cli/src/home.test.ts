import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { locateHome } from "./home.ts";

describe("the home", () => {
  for (const [name, options, env, dir, configFile] of [
    ["by default", {}, {}, join(homedir(), ".talaria"), join(homedir(), ".talaria", "config.yaml")],
    ["by the environment", {}, { TALARIA_HOME: "/data" }, "/data", "/data/config.yaml"],
    ["by an option, which wins", { home: "/option" }, { TALARIA_HOME: "/data" }, "/option", "/option/config.yaml"],
    ["with a file of its own", {}, { TALARIA_HOME: "/data", TALARIA_CONFIG: "/etc/t.yaml" }, "/data", "/etc/t.yaml"],
    ["with a file by option", { config: "/x.yaml" }, { TALARIA_HOME: "/d", TALARIA_CONFIG: "/e" }, "/d", "/x.yaml"],
    [
      "empty means absent",
      { home: "" },
      { TALARIA_HOME: "" },
      join(homedir(), ".talaria"),
      join(homedir(), ".talaria", "config.yaml"),
    ],
    ["relative paths become absolute", { home: "here" }, {}, resolve("here"), resolve("here", "config.yaml")],
  ] as const)
    it(`is found ${name}`, () => {
      const home = locateHome(options, env);
      assert.deepEqual([home.dir, home.configFile], [dir, configFile]);
      const { isConfigNamed, ...paths } = home;
      assert.equal(isConfigNamed, "config" in options || "TALARIA_CONFIG" in env);
      for (const path of Object.values(paths)) assert.equal(path, resolve(path));
    });
});
