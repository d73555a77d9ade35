import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dependencyViolations, homeViolations, importsOf, importViolations } from "./imports.ts";
import { readRepository, readWorkspaces } from "./repository.ts";

const workspaces = readWorkspaces(readRepository());

describe("the table of who may import whom", () => {
  for (const workspace of workspaces)
    it(`is kept by ${workspace.name}`, () => assert.deepEqual(importViolations(workspace), []));

  const sample = (name: string, text: string, file = "x.ts") =>
    importViolations({
      name: `@talaria/${name}`,
      folder: `packages/${name}`,
      sources: [{ path: `packages/${name}/src/${file}`, text }],
    });

  const bad: readonly (readonly [string, string, RegExp])[] = [
    ["protocol", 'import { x } from "@talaria/config";', /protocol may not import config/],
    ["agent", 'import type { Adapter } from "@talaria/adapter";', /agent may not import adapter/],
    ["agent", 'const q = await import("@talaria/queue");', /agent may not import queue/],
    ["sessions", 'import { createStore } from "@talaria/store";', /sessions may not import store/],
    ["sessions", 'import { type A, createStore } from "@talaria/store";', /sessions may not import store/],
    ["adapter-x", 'export { x } from "@talaria/store";', /adapter-x may not import store/],
    ["delivery", 'import { x } from "@talaria/queue";', /delivery may not import queue/],
    ["app-gateway", 'import { runTurn } from "@talaria/agent";', /app-gateway may not import agent/],
    ["app-worker", 'import { x } from "@talaria/adapter-telegram";', /app-worker may not import adapter-telegram/],
    ["app-worker", 'import type { X } from "@talaria/adapter";', /app-worker may not import adapter/],
    ["app-worker", 'import { hintOf, loadPlatform } from "@talaria/platforms";', /may import only hintOf of platforms/],
    ["app-worker", 'const x = await import("@talaria/platforms");', /may import only hintOf of platforms/],
    ["app-gateway", 'import { x } from "@talaria/adapter-web";', /app-gateway may not import adapter-web/],
    ["app-cli", 'const x = await import("@talaria/adapter-x");', /app-cli may not import adapter-x/],
    ["config", 'import { platformNames } from "@talaria/platforms";', /config may not import platforms/],
    ["adapter-x", 'import { x } from "@talaria/platforms";', /adapter-x may not import platforms/],
    ["store", 'import { main } from "@talaria/app-cli";', /store may not import app-cli/],
    ["store", 'import { x } from "@talaria/protocol/src/ids.ts";', /reaches behind the index/],
    ["store", 'import { x } from "../../protocol/src/ids.ts";', /leaves the package/],
    ["store", 'import { x } from "./testing/x.ts";', /is equipment of tests/],
    ["store", 'import {\n  Queue,\n} from "bullmq";', /only queue may import bullmq/],
    ["sessions", 'import pg from "pg";', /only store, postgres, queue may import pg/],
    ["newcomer", "", /missing in the table/],
  ];
  for (const [name, text, expected] of bad)
    it(`catches ${JSON.stringify(text)} in ${name}`, () => assert.match(sample(name, text).join(), expected));

  it("lets pass what is allowed", () => {
    assert.deepEqual(sample("app-worker", 'import { hintOf } from "@talaria/platforms";'), []);
    assert.deepEqual(sample("app-gateway", 'import type { WebChannel } from "@talaria/adapter-web";'), []);
    assert.deepEqual(sample("platforms", 'import("@talaria/adapter-x");'), []);
    assert.deepEqual(sample("adapter-x", 'import { x } from "@talaria/adapter-kit/settings";'), []);
    assert.deepEqual(sample("sessions", 'import type { InboxStore } from "@talaria/store";'), []);
    assert.deepEqual(sample("sessions", 'import { type A, type B } from "@talaria/store";'), []);
    assert.deepEqual(sample("queue", 'import { Queue } from "bullmq";\nimport x from "./deep/x.ts";'), []);
    for (const file of ["x.test.ts", "x.fixture.ts", "test-x.ts", "testing/x.ts"])
      assert.deepEqual(sample("agent", 'import { x } from "@talaria/store";', file), []);
  });

  it("sees every form of import", () => {
    const text =
      'import "a";\nimport b, { c } from "b";\nexport * from "d";\nexport type { E } from "e";\nimport("f");\n';
    assert.deepEqual(
      importsOf(text).map(({ specifier, isTypeOnly }) => specifier + (isTypeOnly ? " type" : "")),
      ["a", "b", "d", "e type", "f"],
    );
  });
});

describe("a platform's library", () => {
  it("is declared by its own package alone", () => assert.deepEqual(homeViolations(workspaces), []));

  it("is found when a second package declares it", () => {
    const [one, two] = [
      { name: "@talaria/adapter-x", dependencies: ["sdk", "zod"] },
      { name: "@talaria/store", dependencies: ["sdk", "zod"] },
    ];
    assert.deepEqual(homeViolations([one, two]), [
      "@talaria/store declares sdk, which is at home in @talaria/adapter-x",
    ]);
  });
});

describe("package.json", () => {
  for (const workspace of workspaces)
    it(`of ${workspace.name} declares what its sources use`, () =>
      assert.deepEqual(dependencyViolations(workspace), []));

  it("is caught when it declares too much or too little", () => {
    const text =
      'import { a } from "a/deep";\nimport type { T } from "t";\nimport "node:fs";\nimport "./x.ts";\nconst vendored = "served";\n';
    const sample = {
      folder: "packages/x",
      name: "@talaria/x",
      dependencies: ["b", "t", "served"],
      sources: [
        { path: "packages/x/src/x.ts", text },
        { path: "packages/x/src/x.test.ts", text: 'import "b";\nimport "c";\n' },
      ],
    };
    assert.deepEqual(dependencyViolations(sample), [
      "packages/x uses a without declaring it",
      "packages/x declares b without using it",
    ]);
  });
});
