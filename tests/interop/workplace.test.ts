import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { Installation } from "../support/installation.ts";
import {
  emptyVarLib,
  machine,
  skipWithoutMachines,
  talariaInNamespace,
  talariaWithin,
  without,
} from "../support/machines.ts";
import { waitFor } from "../support/wait-for.ts";
import { missingDockerPeers, startDockerPeer } from "./docker-peer.ts";

const run = promisify(execFile);
const root = new URL("../..", import.meta.url).pathname;
const skip = skipWithoutMachines || skipWithoutPeers(process.env.CI);

describe("a fresh machine has commands, or says what to run", { skip, concurrency: 2 }, () => {
  let base: string;
  let count = 0;
  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-fresh-"));
    await chmod(base, 0o711);
  });
  after(() => rm(base, { recursive: true, force: true }));

  /** A data folder in one that nobody but root may enter. */
  const closedHome = async (config = "") => {
    count += 1;
    const home = join(base, `closed ${count}`, "home");
    await mkdir(home, { recursive: true });
    await chmod(join(home, ".."), 0o700);
    if (config !== "") await writeFile(join(home, "config.yaml"), config);
    return home;
  };
  const lineOf = (said: string) =>
    said.split("\n").find((line) => /commands, ?files|commands and files/.test(line)) ?? said;
  const check = async (within: readonly string[], home: string) =>
    lineOf((await talariaWithin(within, home, ["check"])).said);
  /** A start there, what it says of itself, and what all that show the same have to show. */
  const startWithin = async (script: string, home: string, line: RegExp) => {
    const talaria = await Installation.start({ within: machine(script), home, config: "", database: "shared" });
    const said = await waitFor(() => talaria.output.split("\n").find((one) => line.test(one)), `${line}`);
    const shown = line.exec(said)?.[0] ?? "";
    const read = async (path: string) => await (await talaria.fetch(path)).text();
    const json = JSON.stringify(shown).slice(1, -1);
    const ready = await waitFor(async () => {
      const text = await read("/readyz");
      return text.includes(json) ? text : undefined;
    }, "its line in the database");
    assert.match(ready, /^\{"ready":true/);
    assert.ok((await read("/api/connections")).includes(json));
    assert.ok((await talaria.talaria("status")).includes(`workplace   ${shown}`));
    return talaria;
  };

  it("root, whose data folder is closed: with a folder that is root's own", async () => {
    const home = await closedHome();
    await using talaria = await startWithin(
      emptyVarLib,
      home,
      /commands and files work \(bubblewrap, as uid 64917; files in \/var\/lib\/talaria-work\/[0-9a-f]{16}\); browser off/,
    );
    const place = join("/proc", `${talaria.pid}`, "root", "var/lib/talaria-work");
    for (const path of [place, join(place, /work\/([0-9a-f]{16})/.exec(talaria.output)?.[1] ?? "")]) {
      const { uid, mode } = await stat(path);
      assert.deepEqual([uid, mode & 0o777], [0, 0o711]);
    }
  });

  it("root, in whose way somebody has put a link", async () => {
    const script = `${emptyVarLib}\nln -s /tmp /var/lib/talaria-work`;
    assert.match(
      await check(machine(script), await closedHome()),
      /talaria-work, which is a link .* set sandbox\.folder/,
    );
  });

  it("root, who has named a folder that commands can't pass: mended by the command", async () => {
    const folder = join(base, "named", "closed");
    await mkdir(folder, { recursive: true });
    await chmod(join(base, "named"), 0o711);
    await chmod(folder, 0o700);
    const home = await closedHome(`sandbox: { folder: "${folder}/w" }\n`);
    const refused = await talariaWithin([], home, ["setup", "sandbox"]);
    assert.match(refused.said, /can't pass .*\/named\/closed; .*run: chmod o\+x [\s\S]*Nothing was run\./);
    assert.deepEqual([refused.code, (await stat(folder)).mode & 0o777], [1, 0o700]);
    const agreed = await talariaWithin([], home, ["setup", "sandbox", "--yes"]);
    assert.match(agreed.said, /commands and files work \(bubblewrap, as uid 64917; files in [^)]*\/named\/closed\/w\)/);
    assert.deepEqual([agreed.code, (await stat(folder)).mode & 0o777], [0, 0o701]);
  });

  it("another account: without a word", async (test) => {
    if (!(await othersCanRead())) return test.skip("other accounts can't read this checkout");
    const home = join(base, "of 4321");
    await mkdir(home, { mode: 0o700 });
    await chown(home, 4321, 4321);
    const line = await check(
      ["env", `TMPDIR=${home}`, "setpriv", "--reuid=4321", "--regid=4321", "--clear-groups"],
      home,
    );
    assert.equal(line, `commands and files work (bubblewrap, as uid 4321; files in ${home}/workspaces); browser off`);
    assert.match(await check([], home), /not tried: .* belongs to another account \(uid 4321\)/);
  });

  it("root, without bubblewrap: the start names the package", async () => {
    const home = await closedHome();
    await writeFile(join(home, "config.yaml"), "");
    const line = /no commands and files: bwrap is missing; run: [^;(]*; browser off/;
    await using talaria = await startWithin(`${emptyVarLib}\n${without("/usr/bin/bwrap")}`, home, line);
    const [, command = ""] = /run: (.*); browser/.exec(talaria.output) ?? [];
    assert.match(command, / bubblewrap( |$)/);
    // As it would be on this machine, where it is there already.
    if (command.includes("apt-get"))
      await run("sh", ["-c", `apt-get install -s ${command.split("apt-get install ")[1]}`]);
  });

  it("another account, without bubblewrap: the same by sudo", async (test) => {
    if (!(await othersCanRead())) return test.skip("other accounts can't read this checkout");
    const home = join(base, "also of 4321");
    const within = machine(
      `${without("/usr/bin/bwrap")}\nset -- env "TMPDIR=${home}" setpriv --reuid=4321 --regid=4321 --clear-groups "$@"`,
    );
    await mkdir(home, { mode: 0o700 });
    await chown(home, 4321, 4321);
    const line = await check(within, home);
    assert.match(line, /warning: no commands and files: bwrap is missing; (run: sudo |install bubblewrap)/);
  });

  it("user namespaces are off: mended by the command", async () => {
    const home = await closedHome();
    // What the command writes for the next start of the machine must not stay on this one.
    const off = `${emptyVarLib}\nmount -t tmpfs tmpfs /etc/sysctl.d\nsh -c "echo 0 >/proc/sys/user/max_user_namespaces"`;
    const { code, said } = await talariaInNamespace(off, home, ["setup", "sandbox", "--yes"]);
    assert.match(
      said,
      /no commands and files: this system allows no user namespaces \(user\.max_user_namespaces is 0\); run: /,
    );
    assert.match(said, /commands and files work \(bubblewrap, as uid 64917; files in \/var\/lib\/talaria-work\//);
    assert.equal(code, 0);
  });

  const missing = missingDockerPeers();
  it("in a container: with the options that the line names", {
    skip: missing.length > 0 && process.env.CI !== "true" ? `needs ${missing.join(", ")}` : false,
  }, async () => {
    await using peer = await startDockerPeer();
    const folders = [
      "/usr:/usr",
      "/usr/bin:/bin",
      "/usr/lib:/lib",
      "/usr/lib64:/lib64",
      "/etc:/etc",
      `${root}:${root}`,
      // It may come from somewhere else, such as a version manager in somebody's home.
      `${process.execPath}:${process.execPath}`,
    ];
    const given = ["run", "--rm", "--network=none", "--tmpfs=/var/lib", "--tmpfs=/tmp", "--workdir=/tmp"];
    const checkWith = async (options: readonly string[]) => {
      const mounted = folders.flatMap((each) => ["--volume", `${each}:ro`]);
      const words = [process.execPath, `${root}apps/cli/src/main.ts`, "--home=/tmp/home", "check"];
      return lineOf(await peer.docker(...given, ...options, ...mounted, peer.image, ...words));
    };
    const refused = await checkWith([]);
    const [, options = ""] = /may make no user namespaces; start the container with: ([^;]*);/.exec(refused) ?? [];
    assert.match(options, /^--security-opt seccomp=config/, refused);
    const absolute = options.replace("=config/", `=${root}config/`);
    assert.match(
      await checkWith(absolute.split(" ")),
      /^commands and files work \(bubblewrap, as uid 64917; files in \/var/,
    );
  });
});

function othersCanRead(): Promise<boolean> {
  const command = ["--reuid=4321", "--regid=4321", "--clear-groups", "test", "-r", `${root}package.json`];
  return run("setpriv", command).then(
    () => true,
    () => false,
  );
}
