import { z } from "zod";
import { secretSchema } from "./secret-schema.ts";
import { httpUrlSchema } from "./url-schema.ts";

const serverSchema = z.strictObject({
  url: httpUrlSchema.describe("Address of the server's Streamable HTTP endpoint."),
  headers: z.record(z.string(), secretSchema).default({}).describe("HTTP headers for every request to it."),
  tools: z.array(z.string().min(1)).max(1_000).optional().describe("Tools that may be used. Default: all of them."),
  reads: z
    .array(z.string().min(1))
    .max(1_000)
    .default([])
    .describe("Tools that only look. Every other one counts as changing something, whatever the server says of it."),
  timeoutMs: z.int().min(100).default(60_000).describe("Timeout of one call."),
});

/** Servers of the Model Context Protocol whose tools the agent has. */
export const mcpSchema = z.strictObject({
  servers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,32}$/, "must be 1 to 32 letters, digits or `-`"), serverSchema)
    .default({})
    .describe("MCP servers, each with a name of your choice, which becomes part of its tools' names."),
});
