import { crc32 } from "node:zlib";

const stringType = 7;

/**
 * One message of `application/vnd.amazon.eventstream`: lengths, headers, payload, each followed by its checksum. Format:
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export function eventStreamFrame(headers: Readonly<Record<string, string>>, payload: object): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => headerOf(name, value)));
  const body = Buffer.from(JSON.stringify(payload));
  const frame = Buffer.alloc(12 + head.length + body.length + 4);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(head.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  head.copy(frame, 12);
  body.copy(frame, 12 + head.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, frame.length - 4)), frame.length - 4);
  return frame;
}

function headerOf(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([stringType]),
    length,
    Buffer.from(value),
  ]);
}
