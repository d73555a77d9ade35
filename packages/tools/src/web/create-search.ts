import { brave, duckDuckGo, searxng, tavily } from "./search-dialects.ts";
import type { SearchConfig, SearchProvider } from "./search-provider.ts";
import { createServiceRequest } from "./service-request.ts";

const bases = {
  brave: "https://api.search.brave.com",
  tavily: "https://api.tavily.com",
  duckduckgo: "https://html.duckduckgo.com",
};

/** The search service that the operator chose, at its own address or another one, which may be in a private network. */
export function createSearch(config: SearchConfig): SearchProvider {
  const { provider: name } = config;
  const base =
    "baseUrl" in config && config.baseUrl !== undefined ? config.baseUrl : name === "searxng" ? "" : bases[name];
  const ask = createServiceRequest(name, base.replace(/\/+$/, ""));
  switch (config.provider) {
    case "searxng":
      return searxng(ask);
    case "brave":
      return brave(ask, config.apiKey);
    case "tavily":
      return tavily(ask, config.apiKey);
    case "duckduckgo":
      return duckDuckGo(ask);
    default:
      return config satisfies never;
  }
}
