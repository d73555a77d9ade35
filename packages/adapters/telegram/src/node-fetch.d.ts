/** The part of node-fetch 2 that is used here: https://github.com/node-fetch/node-fetch/tree/2.x#api */
declare module "node-fetch" {
  interface Answer {
    readonly ok: boolean;
    readonly status: number;
    readonly headers: { get(name: string): string | null };
    text(): Promise<string>;
  }
  interface Asked {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly signal?: AbortSignal;
    readonly agent?: unknown;
    readonly compress?: boolean;
    /** The most bytes of an answer, unpacked. */
    readonly size?: number;
  }
  const fetch: (url: string, asked?: Asked) => Promise<Answer>;
  export = fetch;
}
