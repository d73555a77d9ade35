import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { canary } from "../escapes/outside.ts";
import { testEscapes } from "../escapes/suite.ts";
import { skipWithoutPeers } from "../missing-peers.fixture.ts";

const base = await mkdtemp(join(tmpdir(), "talaria-escapes-"));
await chmod(base, 0o711);
after(() => rm(base, { recursive: true, force: true }));

process.env[canary.name] = canary.value;
testEscapes({
  name: "bubblewrap",
  outside: () => ({ folder: join(base, "outside") }),
  config: (limits) => ({ backend: "sandbox", folder: join(base, "workspaces"), limits }),
  namespaces: ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"],
  // What a slim Debian may be without.
  skip: skipWithoutPeers(process.env.CI),
  lacks: ["ip", "sudo", "hostname", "nslookup", "busybox", "setcap"],
});
