import assert from "node:assert/strict";

export interface ReadEvent {
  readonly name: string;
  readonly id?: string;
  readonly data: Record<string, unknown>;
}

/** Reads a stream of server-sent events over HTTP, an implementation of its own. */
export async function readStream(url: string, headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  const response = await fetch(url, { headers, signal: leaving.signal });
  assert.equal(response.status, 200, await (response.ok ? "" : response.text()));
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const events: ReadEvent[] = [];
  const comments: string[] = [];
  const state: { ended: "open" | "ended" | "broken" } = { ended: "open" };
  let changed = Promise.withResolvers<void>();
  const tell = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const receive = (block: string) => {
    if (block.startsWith(":")) return void comments.push(block.slice(2));
    const field = (name: string) => block.match(new RegExp(`^${name}: (.*)$`, "m"))?.[1];
    const id = field("id");
    const data = JSON.parse(field("data") ?? "{}") as Record<string, unknown>;
    events.push({ name: field("event") ?? "", data, ...(id === undefined ? {} : { id }) });
  };
  const reading = (async () => {
    let rest = "";
    try {
      for await (const bytes of response.body ?? []) {
        const blocks = (rest + Buffer.from(bytes).toString("latin1")).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) receive(Buffer.from(block, "latin1").toString("utf8"));
        tell();
      }
      state.ended = "ended";
    } catch {
      state.ended = "broken";
    }
    tell();
  })();
  return {
    events: events as readonly ReadEvent[],
    comments: comments as readonly string[],
    /** Waits for the first event that `test` accepts. */
    async until(test: (event: ReadEvent) => boolean): Promise<ReadEvent> {
      for (;;) {
        const found = events.find(test);
        if (found) return found;
        if (state.ended !== "open") assert.fail(`the stream ${state.ended} with ${JSON.stringify(events)}`);
        await changed.promise;
      }
    },
    /** Waits until the other side ends the stream, and says how. */
    async end() {
      await reading;
      return state.ended;
    },
    async leave() {
      leaving.abort();
      await reading;
    },
  };
}
