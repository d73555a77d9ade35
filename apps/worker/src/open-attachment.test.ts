import assert from "node:assert/strict";
import { it } from "node:test";
import { type AccountId, brandAs, type EventId, isGatewayError, type MediaRef } from "@talaria/protocol";
import type { AttachmentToFetch, Fetched, MediaStore } from "@talaria/store";
import { createOpener } from "./open-attachment.ts";

const accountId = brandAs<AccountId>("main");
const unopened = { accountId, eventId: brandAs<EventId>("e1"), n: 3 };
const file = {
  ...({ id: "aaaa", ref: brandAs<MediaRef>("theirs"), kind: "file", mimeType: "text/plain", byteLength: 0 } as const),
  unopened,
} as const;
const media = { ref: brandAs<MediaRef>("sha256:1"), mimeType: "text/plain", byteLength: 4 };
const never = new AbortController().signal;

/** A store in which the file has this state from the `after`th look on. */
function opening(state: Fetched, after = 2) {
  let looks = 0;
  let now = 0;
  const said: string[] = [];
  const store: Pick<MediaStore, "request" | "ofEvents"> = {
    request: async ({ eventId, n }, { ref }) => void said.push(`request ${eventId} ${n} ${ref}`),
    ofEvents: async () => {
      looks += 1;
      const fetched: Fetched = looks >= after ? state : { state: "pending" };
      return [
        { ...unopened, platformRef: file.ref, fetched } satisfies Omit<AttachmentToFetch, "attachment" | "attempts"> & {
          platformRef: MediaRef;
          fetched: Fetched;
        },
      ];
    },
  };
  const clock = {
    now: () => now,
    elapsed: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const open = createOpener(store, { fetch: (id) => said.push(`fetch ${id}`), clock });
  return { open: (signal = never) => open(file, signal), said };
}

it("asks for a file once, tells the gateway, and gives it when it has come", async () => {
  const { open, said } = opening({ state: "stored", media }, 4);
  assert.deepEqual(await open(), media);
  assert.deepEqual(said, ["request e1 3 theirs", "fetch main"]);
});

it("tells nobody where it is here", async () => {
  const { open, said } = opening({ state: "stored", media }, 1);
  await open();
  assert.deepEqual(said, ["request e1 3 theirs"]);
});

it("says why it can't be had, and does not wait for ever", async () => {
  await assert.rejects(opening({ state: "failed", problem: "it is larger than 2 MB" }).open(), /larger than 2 MB/);
  await assert.rejects(opening({ state: "pending" }).open(), (error) => isGatewayError(error, "unavailable"));
  await assert.rejects(opening({ state: "pending" }).open(AbortSignal.abort(new Error("stopped"))), /stopped/);
});
