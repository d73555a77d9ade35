import { z } from "zod";
import { secretSchema, strongSecretSchema } from "./secret-schema.ts";
import { httpUrlSchema } from "./url-schema.ts";

const toolNames = z.array(z.string().min(1)).max(1_000);
const argumentName = z.string().min(1).max(64);
/** What the sandbox puts in its place: a folder of the machine over it would be a way out. */
const notReadable = /^\/(?:(?:proc|sys|dev|run|tmp|workspace)?\/?$|(?:proc|sys|dev|run)\/)/;

const oauthSchema = z
  .strictObject({
    grant: z
      .enum(["authorization_code", "client_credentials"])
      .default("authorization_code")
      .describe(
        "Who logs in: a person, or with `client_credentials` the client itself, by its id and its secret, without `talaria mcp login`.",
      ),
    clientId: z
      .string()
      .min(1)
      .optional()
      .describe("Id of a client that was registered by hand. Default: one registers itself."),
    clientSecret: secretSchema.optional().describe("Secret of that client, if it has one."),
    clientMetadataUrl: httpUrlSchema
      .optional()
      .describe("An https address that describes the client, for servers that take it as the client's id."),
    scope: z
      .string()
      .min(1)
      .optional()
      .describe("Scopes to ask for, with blanks between them. Default: what the server asks for."),
    redirectUrl: httpUrlSchema
      .default("http://127.0.0.1:7421/mcp/login")
      .describe("Where the browser is sent back to. `talaria mcp login` listens there if it is on this machine."),
    origins: z
      .array(httpUrlSchema)
      .max(20)
      .default([])
      .describe("Where the login may go beside the server itself, such as `https://auth.example.org`."),
  })
  .superRefine(({ grant, clientId, clientSecret }, context) => {
    const complain = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
    if (clientSecret !== undefined && clientId === undefined) complain("clientId", "is required with `clientSecret`");
    if (grant === "client_credentials" && clientSecret === undefined)
      complain("clientSecret", "is required with `grant: client_credentials`, and so is `clientId`");
  });

const serverSchema = z
  .strictObject({
    url: httpUrlSchema.optional().describe("Address of the server's Streamable HTTP endpoint."),
    headers: z.record(z.string(), secretSchema).default({}).describe("HTTP headers for every request to it."),
    oauth: oauthSchema
      .optional()
      .describe(
        "How `talaria mcp login` logs in. If absent, the server is used without a login. `{}`: as the server says.",
      ),
    command: z
      .array(z.string().min(1))
      .min(1)
      .max(1_000)
      .optional()
      .describe("Instead of `url`: a program that is the server, with its arguments. It runs in the sandbox."),
    variables: z
      .record(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "must be letters, digits and `_`, at most 100"),
        secretSchema,
      )
      .default({})
      .describe("Environment variables of the program, beside `PATH`, `HOME` and `LANG`."),
    folder: z
      .string()
      .min(1)
      .optional()
      .describe("Folder in which the program starts. Default: its own, which outlives it."),
    readable: z
      .array(
        z
          .string()
          .regex(/^\/(?!.*\/\.\.?(?:\/|$))/, "must be an absolute path without `.` and `..`")
          .refine(
            (path) => !notReadable.test(path),
            "would open more than a program's files: name a folder of its own",
          ),
      )
      .max(50)
      .default([])
      .describe("Folders that the program may read, beside `/usr`: where it is installed."),
    tools: toolNames.optional().describe("Tools that may be used. Default: all of them."),
    reads: toolNames
      .default([])
      .describe("Tools that only look. Every other one counts as changing something, whatever the server says of it."),
    targets: z
      .record(z.string().min(1), z.union([argumentName, z.array(argumentName).min(1).max(10)]))
      .default({})
      .describe(
        "By tool: the argument that says whom or what a call is for, or several. What somebody agrees to for later is for their values alone.",
      ),
    digests: z
      .record(
        z.string().min(1),
        z.string().regex(/^[0-9a-f]{32}$|^unknown$/, "must be a digest as `talaria status` names it, or `unknown`"),
      )
      .default({})
      .describe("Digests of tools that you have looked at. A tool that differs from its digest is left out."),
    timeoutMs: z.int().min(100).default(60_000).describe("Timeout of one call."),
    attachFiles: z.boolean().default(true).describe("Whether files in results go out with the reply."),
  })
  .superRefine((server, context) => {
    const complain = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
    const { url, command } = server;
    if (url === undefined && command === undefined) complain("url", "is required, unless `command` names a program");
    if (url !== undefined && command !== undefined)
      complain("command", "can't be combined with `url`: name one of both");
    if (command === undefined)
      for (const key of ["variables", "folder", "readable"] as const)
        if (isGiven(server[key])) complain(key, "goes with `command` alone");
    if (command !== undefined)
      for (const key of ["headers", "oauth"] as const) if (isGiven(server[key])) complain(key, "goes with `url` alone");
  })
  .superRefine(({ targets, reads }, context) => {
    const message = "is for tools that change something, and `reads` says that this one doesn't";
    for (const tool of Object.keys(targets))
      if (reads.includes(tool)) context.addIssue({ code: "custom", path: ["targets", tool], message });
  });

function isGiven(value: string | object | undefined): boolean {
  return typeof value === "object" ? Object.keys(value).length > 0 : value !== undefined;
}

const callerSchema = z.strictObject({
  token: strongSecretSchema.describe("What the program shows in `TALARIA_TOKEN`."),
  role: z.enum(["owner", "member", "guest"]).describe("The rights of its calls."),
});

const serveSchema = z.strictObject({
  callers: z
    .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/, "must be 1 to 32 letters, digits or `-`"), callerSchema)
    .default({})
    .describe("Programs that may use our tools by `talaria mcp serve`, each with a name of your choice."),
  http: z
    .boolean()
    .default(false)
    .describe("Whether the gateway offers our tools at `/mcp`, to programs with a token of `talaria mcp token`."),
  callsPerMinute: z
    .int()
    .min(1)
    .max(10_000)
    .default(120)
    .describe("Calls that one such program may make a minute. Others are refused."),
});

/** Servers of the Model Context Protocol whose tools the agent has, and programs that have ours. */
export const mcpSchema = z.strictObject({
  serve: serveSchema.prefault({}),
  servers: z
    .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/, "must be 1 to 32 letters, digits or `-`"), serverSchema)
    .default({})
    .describe("MCP servers, each with a name of your choice, which becomes part of its tools' names."),
});
