import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { testEscapes } from "../escape-suite.ts";

const base = await mkdtemp(join(tmpdir(), "talaria-escapes-"));
await chmod(base, 0o711);
after(() => rm(base, { recursive: true, force: true }));

testEscapes({
  name: "bubblewrap",
  outside: join(base, "outside"),
  config: (limits) => ({ backend: "sandbox", folder: join(base, "workspaces"), limits }),
  // What a slim Debian may be without.
  lacks: ["ip", "sudo", "hostname"],
});
