import type { LanguageModelV4 } from "@ai-sdk/provider";
import { heardFetch } from "../dialect/heard-fetch.ts";
import { type AiSdkConfig, type AwsCredentials, reveal, revealed } from "../model-config.ts";
import { streamsOnly } from "./fetch-stream.ts";

/**
 * Bedrock with the credentials of an AWS user or role: the package signs each request (Signature Version 4). An empty `apiKey`, since
 * without one the package would look for it in the environment, and prefer it.
 */
export async function connectSigned(
  { baseUrl, headers, model }: AiSdkConfig,
  { region, accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
): Promise<LanguageModelV4> {
  const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
  const credentials = {
    region,
    accessKeyId: reveal(accessKeyId),
    secretAccessKey: reveal(secretAccessKey),
    ...(sessionToken !== undefined && { sessionToken: reveal(sessionToken) }),
  };
  return createAmazonBedrock({
    region,
    apiKey: "",
    baseURL: baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`,
    headers: revealed(headers),
    credentialProvider: async () => credentials,
    fetch: streamsOnly(heardFetch),
  })(model);
}
