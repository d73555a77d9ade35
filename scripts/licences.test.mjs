import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { productionPackages } from "./dependency-graph.mjs";

const run = promisify(execFile);
const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));
const whatsappWeb = "@whiskeysockets/baileys";

const namesOf = (packages) => [...packages.values()].map(({ name }) => name);

describe("the licences of what production code installs", () => {
  it("are in NOTICE, as the lock file has them", async () => {
    await run(process.execPath, [join(import.meta.dirname, "notice.mjs"), "--check"]);
  });

  it("name that of the Public Suffix List, which a package under another licence brings", () => {
    const notice = readFileSync(new URL("../NOTICE", import.meta.url), "utf8");
    assert.match(notice, /tldts \d[^\n]* contains the Public Suffix List[\s\S]*Mozilla Public License 2\.0/);
  });

  it("are all known", () => {
    const unknown = [...productionPackages(lock).values()].filter(({ license }) => license === "unknown");
    assert.deepEqual(unknown, []);
  });

  it("hold GPL code only through WhatsApp Web", () => {
    const isGpl = ({ license }) => /(?<!L)GPL/.test(license) && !/(MIT|BSD-3-Clause) OR/.test(license);
    assert.deepEqual(
      [...productionPackages(lock).values()].filter(isGpl).map(({ name }) => name),
      ["libsignal"],
    );
    assert.deepEqual([...productionPackages(lock, whatsappWeb).values()].filter(isGpl), []);
  });

  it("leave out what only tests and tools need", () => {
    const names = namesOf(productionPackages(lock));
    for (const name of ["typescript", "knip", "fast-check"]) assert.ok(!names.includes(name), name);
    for (const name of ["pg", "fastify", "libsignal"]) assert.ok(names.includes(name), name);
  });
});

describe("remove-package.mjs", () => {
  const script = join(import.meta.dirname, "remove-package.mjs");
  const packages = {
    "": { workspaces: ["packages/*"] },
    "packages/app": { dependencies: { kept: "1", gone: "1" } },
    "node_modules/app": { resolved: "packages/app", link: true },
    "node_modules/kept": { version: "1", dependencies: { shared: "1" } },
    "node_modules/gone": { version: "1", dependencies: { shared: "2", only: "1" } },
    "node_modules/gone/node_modules/shared": { version: "2" },
    "node_modules/shared": { version: "1" },
    "node_modules/only": { version: "1" },
  };

  it("deletes a package and what nothing else needs, and keeps the rest", async () => {
    const folder = await mkdtemp(join(tmpdir(), "talaria-remove-"));
    try {
      for (const place of Object.keys(packages)) await mkdir(join(folder, place), { recursive: true });
      await writeFile(join(folder, "package-lock.json"), JSON.stringify({ packages }));
      await run(process.execPath, [script, "gone"], { cwd: folder });
      const left = Object.keys(packages).filter((place) => existsSync(join(folder, place)));
      assert.deepEqual(left, ["", "packages/app", "node_modules/app", "node_modules/kept", "node_modules/shared"]);
      await assert.rejects(run(process.execPath, [script, "unknown"], { cwd: folder }), /usage/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("is what an image without WhatsApp Web is built with", () => {
    const dockerfile = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");
    assert.match(dockerfile, /^ARG WHATSAPP_WEB=no$/m);
    assert.match(dockerfile, new RegExp(`remove-package\\.mjs ${whatsappWeb}`));
    const ignored = readFileSync(new URL("../.dockerignore", import.meta.url), "utf8");
    for (const name of ["scripts/remove-package.mjs", "scripts/dependency-graph.mjs", "NOTICE", "LICENSE"])
      assert.match(ignored, new RegExp(`^!${name}$`, "m"));
  });
});
