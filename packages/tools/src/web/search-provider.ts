export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** When it was published, as the service says it. */
  readonly age?: string;
}

/** A search service. Throws `rate_limited`, `unauthorized`, `forbidden`, `invalid_request`, `unavailable` or `aborted`. */
export interface SearchProvider {
  /** For errors and logs. */
  readonly name: string;
  /** Where it is, as the operator configured it. */
  readonly address: string;
  search(
    query: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly SearchHit[]>;
}

/** A secret, or a plain value where there is nothing to hide. */
export type SecretText = string | { reveal(): string };

export type SearchConfig =
  | { readonly provider: "searxng"; readonly baseUrl: string }
  | { readonly provider: "brave" | "tavily"; readonly apiKey: SecretText; readonly baseUrl?: string | undefined }
  | { readonly provider: "duckduckgo"; readonly baseUrl?: string | undefined };
