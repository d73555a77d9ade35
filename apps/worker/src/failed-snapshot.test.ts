import assert from "node:assert/strict";
import { it } from "node:test";
import type { Workspace } from "@talaria/agent";
import { brandAs, type ProcessId, type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import type { WorkspaceCopyStore } from "@talaria/store";
import { createFollowing } from "./following.ts";

it("where the files of a session can't be kept, those of an earlier turn don't stay in their place", async () => {
  const lease = { sessionKey: brandAs<SessionKey>("s"), holder: brandAs<ProcessId>("w"), fence: 1 };
  let kept: Parameters<WorkspaceCopyStore["keep"]>[1] | undefined;
  const copies: WorkspaceCopyStore = {
    find: async () => undefined,
    keep: async (_lease, copy) => {
      kept = copy;
    },
    claim: async () => undefined,
    places: async () => ["here", "there"],
  };
  const following = createFollowing({ copies, place: "here", clock: systemClock, log: silentLog });
  const workspace = { snapshot: async () => new Uint8Array([1]) } as unknown as Workspace;
  await following.keep(lease, workspace, { digest: undefined });
  const { digest } = kept ?? assert.fail("nothing was kept");
  assert.notEqual(digest, "");
  const broken = { snapshot: () => Promise.reject(new Error("tar has died")) } as unknown as Workspace;
  await following.keep(lease, broken, { digest });
  assert.deepEqual(kept, { place: "here", digest: "" });
});
