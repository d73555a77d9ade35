import { z } from "zod";
import { secretSchema } from "./secret-schema.ts";
import { httpUrlSchema } from "./url-schema.ts";

const searchSchema = z
  .strictObject({
    provider: z.enum(["searxng", "brave", "tavily", "duckduckgo"]).describe("Search service."),
    baseUrl: httpUrlSchema.optional().describe("Base URL. Required for `searxng`; default: the provider's."),
    apiKey: secretSchema.optional().describe("API key. Required for `brave` and `tavily`."),
  })
  .transform(({ provider, baseUrl, apiKey }, context) => {
    const missing = (key: string) => {
      context.addIssue({ code: "custom", path: [key], message: `is required for \`${provider}\`` });
      return z.NEVER;
    };
    switch (provider) {
      case "searxng":
        return baseUrl === undefined ? missing("baseUrl") : { provider, baseUrl };
      case "brave":
      case "tavily":
        return apiKey === undefined ? missing("apiKey") : { provider, apiKey, baseUrl };
      case "duckduckgo":
        return { provider, baseUrl };
      default:
        return provider satisfies never;
    }
  });

/** What the agent reads of the web. */
export const webSchema = z.strictObject({
  enabled: z.boolean().default(true).describe("Whether the agent may read public web pages."),
  search: searchSchema.optional().describe("Search service. If absent, the agent can't search."),
});
