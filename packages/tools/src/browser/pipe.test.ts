import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { createPipe } from "./pipe.ts";

function startProgram() {
  const ended = Promise.withResolvers<{ readonly reason?: string }>();
  const [stdin, output] = [new PassThrough(), new PassThrough()];
  const kill = async (reason?: string) => ended.resolve(reason === undefined ? {} : { reason });
  const pipe = createPipe({ stdin, output, ended: ended.promise, kill }, { messageBytes: 3_000, actionBytes: 10_000 });
  const messages: object[] = [];
  pipe.onmessage = (message) => void messages.push(message);
  const closed = new Promise<string | undefined>((resolve) => (pipe.onclose = resolve));
  return { stdin, output, pipe, messages, closed };
}

describe("the pipe to a browser", () => {
  it("puts messages together and takes them apart at each NUL", async () => {
    const { stdin, output, pipe, messages } = startProgram();
    pipe.send({ id: 1, text: "ä" });
    assert.equal(String(stdin.read()), '{"id":1,"text":"ä"}\0');
    const bytes = Buffer.from('{"id":1}\0{"text":"ä"}\0{"id":3}\0');
    for (const byte of bytes) output.write(Buffer.of(byte));
    await new Promise(setImmediate);
    assert.deepEqual(messages, [{ id: 1 }, { text: "ä" }, { id: 3 }]);
  });

  it("ends a browser that sends no message, one too long, or too many", async () => {
    const broken = startProgram();
    broken.output.write("{\0");
    assert.match((await broken.closed) ?? "", /no message/);
    const long = startProgram();
    for (let sent = 0; sent < 4; sent += 1) long.output.write(Buffer.alloc(1_000, 32));
    assert.match((await long.closed) ?? "", /3000 bytes at once/);
    const flood = startProgram();
    for (let sent = 0; sent < 11; sent += 1) flood.output.write(Buffer.from(`{"a":"${"x".repeat(1_000)}"}\0`));
    assert.match((await flood.closed) ?? "", /more than 10000 bytes/);
  });

  it("may read as much again for each action", async () => {
    const { output, pipe, messages } = startProgram();
    for (let sent = 0; sent < 15; sent += 1) {
      output.write(Buffer.from(`{"a":"${"x".repeat(1_000)}"}\0`));
      await new Promise(setImmediate);
      pipe.refill();
    }
    assert.equal(messages.length, 15);
  });
});
