import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { chmod, cp, mkdir, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { findPackage } from "./binaries.ts";
import { query } from "./database.ts";
import { PostgresError, type PostgresProblem } from "./errors.ts";
import { startEmbeddedPostgres, startVariation } from "./start.ts";
import { isRoot, testFolder } from "./test-folder.ts";

const needsRoot = isRoot ? false : "needs root, to mount a small disk";

describe("a start that can't succeed says why and what to do", () => {
  it("when the disk is full, and leaves nothing behind", { skip: needsRoot }, async (test) => {
    const options = await testFolder(test);
    if (!(await options.mount(options.dataDir, "20m"))) return test.skip("this container refuses mount");
    await assert.rejects(startEmbeddedPostgres(options), problem("disk_full", /free some space/));
    assert.deepEqual(
      (await readdir(options.dataDir)).filter((name) => name.startsWith("cluster")),
      [],
    );

    execFileSync("mount", ["-o", "remount,size=200m", options.dataDir]);
    const server = await startEmbeddedPostgres(options);
    await server.stop();

    const filler = join(options.dataDir, "filler");
    execFileSync("sh", ["-c", `cat /dev/zero > "$1" 2>/dev/null || true`, "sh", filler]);
    await assert.rejects(startEmbeddedPostgres(options), problem("disk_full", /free some space/));
    await rm(filler);
    const again = await startEmbeddedPostgres(options);
    await again.stop();
  });

  it("when the folder can't be written", { skip: needsRoot }, async (test) => {
    const options = await testFolder(test);
    if (!(await options.mount(options.dataDir, "20m"))) return test.skip("this container refuses mount");
    execFileSync("mount", ["-o", "remount,ro", options.dataDir]);
    await assert.rejects(startEmbeddedPostgres(options), problem("not_writable", /TALARIA_HOME/));
  });

  it("when the folder belongs to another account", async (test) => {
    const options = await testFolder(test);
    await mkdir(options.dataDir, { mode: 0o500 });
    const source = `
      const { startEmbeddedPostgres } = await import(${JSON.stringify(import.meta.resolve("./start.ts"))});
      await startEmbeddedPostgres({ ...${JSON.stringify(options)}, log() {} }).catch((error) => console.log(error.problem));`;
    const [output, failure] = await asNobody(source);
    if (/EACCES|Permission denied|ERR_MODULE_NOT_FOUND|Cannot find/.test(failure)) {
      return test.skip("this checkout is closed to other accounts");
    }
    assert.equal(output.trim(), "not_writable", failure);
  });

  it("when the log collector writes the server's last words only after its end", async (test) => {
    const { options, cluster } = await stoppedServer(test);
    const late = `(sleep 0.3; echo 'FATAL:  no room for this server' >> '${join(cluster, "log", "postgres-late.log")}') &`;
    const program = `#!/bin/sh\necho 'HINT:  Future log output will appear in directory "log".' >&2\n${late}\nexit 1\n`;
    const packageFolder = await fakePackage(options.root, program);
    await assert.rejects(
      startVariation(options, { packageFolder }),
      problem("start_failed", /no room for this server/),
    );
  });

  it("when the data is from another major version", async (test) => {
    const { options, cluster } = await stoppedServer(test);
    await writeFile(join(cluster, "PG_VERSION"), "17\n");
    await assert.rejects(
      startEmbeddedPostgres(options),
      problem("other_major", /written by PostgreSQL 17, and this release uses 18/),
    );
  });

  for (const missing of ["PG_VERSION", "global/pg_control", "pg_wal", "postgresql.conf"]) {
    it(`when ${missing} is missing`, async (test) => {
      const { options, cluster } = await stoppedServer(test);
      await rm(join(cluster, missing), { recursive: true });
      await assert.rejects(startEmbeddedPostgres(options), problem("corrupted", /is damaged .*backup/));
    });
  }

  it("when the control file is cut short", async (test) => {
    const { options, cluster } = await stoppedServer(test);
    await truncate(join(cluster, "global", "pg_control"), 100);
    await assert.rejects(startEmbeddedPostgres(options), problem("corrupted", /is damaged .*backup/));
  });

  it("when a setting of the operator is wrong", async (test) => {
    const { options, cluster } = await stoppedServer(test);
    await writeFile(join(cluster, "postgresql.auto.conf"), "shared_buffers = 'plenty'\n");
    await assert.rejects(startEmbeddedPostgres(options), problem("start_failed", /shared_buffers|configuration file/));
  });

  it("when the system has no embedded PostgreSQL, or npm left it out", () => {
    assert.throws(() => findPackage("freebsd", "x64"), problem("unsupported_platform", /DATABASE_URL/));
    const other = process.platform === "darwin" ? "linux" : "darwin";
    assert.throws(() => findPackage(other, "arm64"), problem("missing_package", /npm install --include=optional/));
  });

  for (const asRoot of isRoot ? (["namespace", "copy"] as const) : [undefined]) {
    it(`when the programs need a loader the system lacks (${asRoot ?? "not root"})`, async (test) => {
      const options = { ...(await testFolder(test)), ...(asRoot === undefined ? {} : { asRoot }) };
      const packageFolder = await fakePackage(options.root, "#!/lib/ld-of-another-libc.so.1\n");
      await assert.rejects(
        startVariation(options, { packageFolder }),
        problem("unsupported_platform", /needs glibc.*DATABASE_URL/),
      );
    });
  }
});

describe("a package that npm installed without its install script", () => {
  it("gets its library links at the first start", async (test) => {
    const options = await testFolder(test);
    const packageFolder = await packageWithoutLinks(options.root);
    const server = await startVariation(options, { packageFolder });
    assert.deepEqual(await query(server.url, "select 1 as one"), [{ one: 1 }]);
    await server.stop();
  });

  it("is copied into the cache folder when it is read-only", { skip: needsRoot }, async (test) => {
    const options = await testFolder(test);
    const disk = join(options.root, "node_modules");
    if (!(await options.mount(disk, "200m"))) return test.skip("this container refuses mount");
    const packageFolder = await packageWithoutLinks(disk);
    execFileSync("mount", ["-o", "remount,ro", disk]);
    const server = await startVariation({ ...options, asRoot: "namespace" }, { packageFolder });
    assert.equal((await readdir(options.cacheDir)).length, 1);
    await server.stop();
  });
});

/** Also checks that the message is one line, and shows no stack or output of a program. */
function problem(expected: PostgresProblem, message: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof PostgresError, String(error));
    assert.equal(error.problem, expected, `${error.message}\n${String(error.cause)}`);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  };
}

async function stoppedServer(test: TestContext) {
  const options = await testFolder(test);
  const server = await startEmbeddedPostgres(options);
  await server.stop();
  return { options, cluster: join(options.dataDir, "cluster") };
}

async function packageWithoutLinks(parent: string): Promise<string> {
  const folder = join(parent, "package");
  const filter = (path: string) => !/\/lib(icu\w+|pq)\.so(\.\d+)?$/.test(path);
  await cp(findPackage(), folder, { recursive: true, filter });
  return folder;
}

async function fakePackage(parent: string, program: string): Promise<string> {
  const folder = join(parent, "package");
  await mkdir(join(folder, "native", "bin"), { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ version: "0" }));
  for (const name of ["initdb", "postgres"]) {
    await writeFile(join(folder, "native", "bin", name), program);
    await chmod(join(folder, "native", "bin", name), 0o755);
  }
  return folder;
}

function asNobody(source: string): Promise<[string, string]> {
  const account = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  return new Promise((resolve) => {
    execFile(process.execPath, ["--input-type=module", "--eval", source], { cwd: "/", ...account }, (error, out, err) =>
      resolve([out, `${error?.message ?? ""}${err}`]),
    );
  });
}
