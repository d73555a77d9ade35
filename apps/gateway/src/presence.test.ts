import assert from "node:assert/strict";
import { it } from "node:test";
import { brandAs, type ProcessId, silentLog } from "@talaria/protocol";
import { announcePresence } from "./presence.ts";

const id = brandAs<ProcessId>("gateway-1");

it("a gateway is listed until it ends, also after its row was lost", async () => {
  const listed = new Set<ProcessId>();
  const renewed = Promise.withResolvers<void>();
  const processes = {
    register: async (process: { id: ProcessId }) => void listed.add(process.id),
    renew: async () => {
      const known = listed.has(id);
      if (known) renewed.resolve();
      return known;
    },
    retire: async () => void listed.delete(id),
  };
  const presence = await announcePresence(id, processes, 30, silentLog);
  assert.deepEqual([...listed], [id]);
  listed.clear();
  await renewed.promise;
  assert.deepEqual([...listed], [id]);
  await presence.end();
  assert.deepEqual([...listed], []);
});
