import { z } from "zod";

const linkingSchema = z.object({ status: z.literal("linking"), method: z.enum(["qr", "code"]), value: z.string() });

/**
 * How an operator links a device now, for a terminal: a QR code to scan, or a code to type in. Undefined when an account's
 * connection state asks for none.
 */
export async function linkingText(connection: unknown): Promise<string | undefined> {
  const parsed = linkingSchema.safeParse(connection);
  if (!parsed.success) return undefined;
  const { method, value } = parsed.data;
  if (method === "code") return `  link a device with this code: ${value}`;
  const { renderUnicodeCompact } = await import("uqr");
  return `  scan this with the device to link:\n\n${renderUnicodeCompact(value, { border: 2 })}\n`;
}
