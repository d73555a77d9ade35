import assert from "node:assert/strict";
import { systemClock } from "@talaria/protocol";

export interface Heard {
  said: string;
}

export function text(stream: NodeJS.ReadableStream): Heard {
  const heard: Heard = { said: "" };
  stream.on("data", (bytes: Buffer) => {
    heard.said += bytes.toString();
  });
  return heard;
}

export async function heard(stream: Heard, words: string): Promise<void> {
  for (const until = AbortSignal.timeout(60_000); !stream.said.includes(words); await systemClock.sleep(10))
    assert.ok(!until.aborted, `${JSON.stringify(words)} is not in ${JSON.stringify(stream.said)}`);
}
