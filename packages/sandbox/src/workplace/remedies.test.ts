import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { type Machine, readMachine } from "./machine.ts";
import { namespaceTrouble } from "./namespace-remedy.ts";
import { packageRemedy } from "./package-remedy.ts";
import { troubleWords, workplaceOf } from "./words.ts";

const run = promisify(execFile);

/** What is read of a machine with these files. */
async function machineWith(test: TestContext, files: Readonly<Record<string, string>>): Promise<Machine> {
  const root = await mkdtemp(join(tmpdir(), "talaria-machine-"));
  test.after(() => rm(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return { ...(await readMachine(root)), platform: "linux", isRoot: false };
}

const debian = { "etc/os-release": 'PRETTY_NAME="Debian"\nID=debian\n', "var/lib/apt/lists/x_main_Packages": "" };

describe("the command that installs what is missing", () => {
  for (const [name, release, said] of [
    ["Debian", "ID=debian", "sudo apt-get update && sudo apt-get install -y bubblewrap socat"],
    [
      "Mint",
      'ID=linuxmint\nID_LIKE="ubuntu debian"',
      "sudo apt-get update && sudo apt-get install -y bubblewrap socat",
    ],
    ["Fedora", "ID=fedora", "sudo dnf install -y bubblewrap socat"],
    ["Rocky", 'ID="rocky"\nID_LIKE="rhel centos fedora"', "sudo dnf install -y bubblewrap socat"],
    ["Arch", "ID=arch", "sudo pacman -S --noconfirm --needed bubblewrap socat"],
    ["Alpine", "ID=alpine", "sudo apk add bubblewrap socat"],
    ["one that is like none", "ID=plan9", undefined],
  ] as const)
    it(`is that of ${name}`, async (test) => {
      const machine = await machineWith(test, { "usr/lib/os-release": release });
      assert.equal(packageRemedy(["bubblewrap", "socat"], machine)?.text, said);
    });

  it("has no sudo for root, nor an update where apt knows packages", async (test) => {
    const machine = await machineWith(test, debian);
    assert.equal(packageRemedy(["socat"], { ...machine, isRoot: true })?.text, "apt-get install -y socat");
  });

  it("names no snap", async (test) => {
    const machine = await machineWith(test, { "etc/os-release": "ID=ubuntu\nID_LIKE=debian" });
    assert.equal(packageRemedy(["chromium"], machine), undefined);
    const plain = await machineWith(test, debian);
    assert.equal(packageRemedy(["chromium"], plain)?.text, "sudo apt-get install -y chromium");
  });

  it("says what is not there of a machine without any of these files", async (test) => {
    const { distributions, isContainer, hasAptLists } = await machineWith(test, {});
    assert.deepEqual([distributions, isContainer, hasAptLists], [[], false, false]);
  });
});

describe("why there are no user namespaces", () => {
  const cause = async (test: TestContext, files: Readonly<Record<string, string>>) =>
    namespaceTrouble(await machineWith(test, { ...debian, ...files }));

  it("is a switch of the kernel", async (test) => {
    const most = await cause(test, { "proc/sys/user/max_user_namespaces": "0\n", ".dockerenv": "" });
    assert.equal(most?.why, "this system allows no user namespaces (user.max_user_namespaces is 0)");
    assert.match(most?.remedy.text ?? "", /^sudo sh -c 'sysctl -w user\.max_user_namespaces=15000 && echo [^']+'$/);
    const clone = await cause(test, { "proc/sys/kernel/unprivileged_userns_clone": "0\n" });
    assert.equal(clone?.why, "this system allows no user namespaces (kernel.unprivileged_userns_clone is 0)");
  });

  it("is the container, which has to be started otherwise", async (test) => {
    const switches = { "proc/sys/user/max_user_namespaces": "9\n" };
    for (const mark of [".dockerenv", "run/.containerenv"])
      assert.equal((await cause(test, { ...switches, [mark]: "" }))?.remedy.kind, "container");
  });

  it("is AppArmor, for which there is a profile", async (test) => {
    const found = await cause(test, { "proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n" });
    const [, profile = ""] = /install -m 644 (\S+) \/etc\/apparmor\.d\/bwrap/.exec(found?.remedy.text ?? "") ?? [];
    assert.match(
      await readFile(profile, "utf8"),
      /^profile bwrap \/usr\/bin\/bwrap flags=\(unconfined\) \{\n {2}userns,/m,
    );
    assert.equal(await cause(test, { "proc/sys/kernel/apparmor_restrict_unprivileged_userns": "0\n" }), undefined);
  });

  it("is the system, where there is no Linux", async (test) => {
    const machine = await machineWith(test, {});
    assert.equal(namespaceTrouble({ ...machine, platform: "darwin" })?.remedy.kind, "setting");
  });

  it("is none of these: nobody guesses", async (test) => {
    assert.equal(await cause(test, { "proc/sys/user/max_user_namespaces": "junk" }), undefined);
  });
});

it("each command is one that a shell understands", async (test) => {
  const switches = [
    ["proc/sys/user/max_user_namespaces", "0"],
    ["proc/sys/kernel/unprivileged_userns_clone", "0"],
    ["proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"],
  ] as const;
  const machine = await machineWith(test, debian);
  const texts = [packageRemedy(["bubblewrap"], machine)?.text];
  for (const [path, value] of switches)
    texts.push(namespaceTrouble(await machineWith(test, { ...debian, [path]: value }))?.remedy.text);
  for (const text of texts) await run("sh", ["-n", "-c", text ?? "("]);
});

it("a reason and its remedy are one line, whatever a program has complained of", () => {
  const remedy = { kind: "command", text: "true" } as const;
  assert.equal(troubleWords({ reasons: ["bwrap: no\n\tway"], remedy }), "bwrap: no way; run: true");
});

describe("the line about what the agent has to act with", () => {
  const works = { isUsable: true, backend: "sandbox", description: "bubblewrap, as uid 7", reasons: [] };
  const fails = { isUsable: false, backend: "sandbox", description: "", reasons: ["it is broken"] };
  const remedy = { kind: "command", text: "mend it" } as const;
  for (const [tried, isFine, line] of [
    [
      { commands: works, browser: works, folder: "/x" },
      true,
      "commands and files work (bubblewrap, as uid 7; files in /x); browser works",
    ],
    [
      { commands: works, browser: { ...fails, remedy } },
      false,
      "commands and files work (bubblewrap, as uid 7); no browser: it is broken; run: mend it",
    ],
    [
      { commands: { ...fails, remedy }, browser: "off" },
      false,
      "no commands and files: it is broken; run: mend it; browser off",
    ],
    [
      { commands: { ...fails, remedy }, browser: { ...fails, remedy } },
      false,
      "no commands, files or browser: it is broken; run: mend it",
    ],
    [{ commands: "untried", browser: "off" }, true, "commands and files not tried yet; browser off"],
    [{ commands: "off", browser: "untried" }, true, "commands and files off; browser not tried yet"],
  ] as const)
    it(line, () => {
      const { lacking, ...said } = workplaceOf(tried);
      assert.deepEqual(said, { works: isFine, line });
      const broken = [
        ["sandbox.backend", tried.commands],
        ["browser.enabled", tried.browser],
      ] as const;
      assert.deepEqual(
        lacking.map(({ key }) => key),
        broken.flatMap(([key, one]) => (typeof one === "string" || one.isUsable ? [] : [key])),
      );
    });
});
