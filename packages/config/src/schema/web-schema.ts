import { z } from "zod";
import { secretSchema } from "./secret-schema.ts";
import { httpUrlSchema } from "./url-schema.ts";

const searchSchema = z
  .strictObject({
    provider: z.enum(["searxng", "brave", "tavily", "duckduckgo"]).describe("Search service."),
    baseUrl: httpUrlSchema.optional().describe("Base URL. Required for `searxng`; default: the provider's."),
    apiKey: secretSchema.optional().describe("API key. Required for `brave` and `tavily`."),
  })
  .superRefine(({ provider, baseUrl, apiKey }, context) => {
    const complain = (key: string) =>
      context.addIssue({ code: "custom", path: [key], message: `is required for \`${provider}\`` });
    if (provider === "searxng" && baseUrl === undefined) complain("baseUrl");
    if ((provider === "brave" || provider === "tavily") && apiKey === undefined) complain("apiKey");
  });

/** What the agent reads of the web. */
export const webSchema = z.strictObject({
  enabled: z.boolean().default(true).describe("Whether the agent may read public web pages."),
  search: searchSchema.optional().describe("Search service. If absent, the agent can't search."),
});
