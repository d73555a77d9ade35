import { z } from "zod";
import { Secret } from "../secret.ts";
import { secretSchema } from "./secret-schema.ts";
import { httpUrlSchema } from "./url-schema.ts";

const callback = /^http:\/\/127\.0\.0\.1(:\d{1,5})?\/auth\/callback$/;

const awsSchema = z
  .strictObject({
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be a region such as `eu-central-1`")
      .describe("AWS region, such as `eu-central-1`."),
    accessKeyId: secretSchema.describe("Access key id of a user, or of a role for a while."),
    secretAccessKey: secretSchema.describe("Secret access key that belongs to it."),
    sessionToken: secretSchema.optional().describe("Session token, for the keys of a role."),
  })
  .describe("With `bedrock`: credentials of AWS instead of `apiKey`. Requests are signed with them.");

const vertexSchema = z
  .strictObject({
    project: z
      .string()
      .regex(/^[a-z][a-z0-9:.-]{4,61}[a-z0-9]$/, "must be the id of a project, such as `my-project-123`")
      .describe("Id of the Google Cloud project."),
    location: z
      .string()
      .regex(/^[a-z][a-z0-9-]{1,40}$/, "must be `global`, `us`, `eu`, or a region such as `europe-west4`")
      .default("global")
      .describe("`global`, `us`, `eu`, or a region such as `europe-west4`."),
    credentials: z
      .string()
      .refine(isGoogleJson, "must be the JSON key of a service account, or the file that gcloud writes")
      .transform((value) => new Secret(value))
      .meta({ secret: true })
      .optional()
      .describe(
        "JSON key of a service account, or the file of `gcloud auth application-default login`; `{ file: path }`. Default: the metadata server of the machine.",
      ),
    metadataUrl: httpUrlSchema.optional().describe("Address of the metadata server. Default: Google's own."),
  })
  .describe("With `vertex`: where the model is, and who asks.");

const oauthSchema = z
  .strictObject({
    issuer: httpUrlSchema
      .transform((url) => url.replace(/\/+$/, ""))
      .optional()
      .describe("Who issues tokens. Default: `https://auth.openai.com`."),
    redirectUrl: z
      .string()
      .regex(callback, "must be http://127.0.0.1:PORT/auth/callback: OpenAI lets only the port change")
      .default("http://127.0.0.1:1455/auth/callback")
      .describe("Where the browser is sent back to. `talaria model login` listens there."),
  })
  .describe("With `chatgpt`: the login.");

/** Keys of a model that is asked with something else than an API key. */
export const modelAccessShape = {
  login: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "must be 1 to 63 lower-case letters, digits or dashes")
    .optional()
    .describe("With `chatgpt`: name of the login. Entries with the same name share it. Default: `chatgpt`."),
  oauth: oauthSchema.optional(),
  vertex: vertexSchema.optional(),
  aws: awsSchema.optional(),
};

interface AccessEntry {
  readonly provider: string;
  readonly apiKey?: unknown;
  readonly maxOutputTokens?: unknown;
  readonly query: object;
  readonly login?: unknown;
  readonly oauth?: unknown;
  readonly vertex?: unknown;
  readonly aws?: unknown;
}

/** Which provider has which of these keys. */
const providersOf = { login: "chatgpt", oauth: "chatgpt", vertex: "vertex", aws: "bedrock" } as const;

/** Tells of each key that does not fit the provider, or that it lacks. */
export function checkAccess(entry: AccessEntry, issue: (key: string, message: string) => void): void {
  const { provider, apiKey, maxOutputTokens, query, vertex, aws } = entry;
  for (const [key, owner] of Object.entries(providersOf))
    if (entry[key as keyof typeof providersOf] !== undefined && provider !== owner)
      issue(key, `is for \`${owner}\` alone: remove it`);
  if (provider === "bedrock" && apiKey === undefined && aws === undefined)
    issue("apiKey", "is required for `bedrock`, or `aws` instead of it");
  if (aws !== undefined && apiKey !== undefined) issue("aws", "stands instead of `apiKey`: remove one of them");
  if (provider === "vertex" && vertex === undefined) issue("vertex", "is required for `vertex`");
  if (provider !== "vertex" && provider !== "chatgpt") return;
  const instead = provider === "vertex" ? "`vertex.credentials`" : "the login that `talaria model login` makes";
  if (apiKey !== undefined) issue("apiKey", `does not work with \`${provider}\`: it uses ${instead}`);
  if (Object.keys(query).length > 0) issue("query", `does not work with \`${provider}\`: remove it`);
  if (provider === "chatgpt" && maxOutputTokens !== undefined)
    issue("maxOutputTokens", "does not work with `chatgpt`: OpenAI takes no limit there");
}

function isGoogleJson(text: string): boolean {
  try {
    const { type } = JSON.parse(text) as { readonly type?: unknown };
    return type === "service_account" || type === "authorized_user";
  } catch {
    return false;
  }
}
