import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { testConformance } from "../conformance.ts";
import { skipWithoutPeers } from "../missing-peers.fixture.ts";

const base = await mkdtemp(join(tmpdir(), "talaria-sandbox-"));
// mkdtemp makes it for its owner alone, and commands of root run as somebody else.
await chmod(base, 0o711);
after(() => rm(base, { recursive: true, force: true }));
testConformance({
  name: "bubblewrap",
  config: (limits) => ({ backend: "sandbox", folder: join(base, "a"), limits }),
  skip: skipWithoutPeers(process.env.CI),
});
