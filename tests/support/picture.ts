import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";

/** A whole PNG of one row, different each time. */
export function picture(width = 16): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(type, 4, "latin1");
    return Buffer.concat([head, data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(1, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = deflateSync(Buffer.concat([Buffer.alloc(1), randomBytes(48)]));
  const parts = [chunk("IHDR", header), chunk("IDAT", row), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]);
}
