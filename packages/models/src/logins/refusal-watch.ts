import type { Asked, Spoken } from "../dialect/dialect.ts";

/** The dialect, and whether a request was answered with 401: the token is not taken, or not any more. */
export function watchRefusals<Config, Client, Chunk>(
  spoken: Spoken<Config, Client, Chunk>,
): { readonly watched: Spoken<Config, Client, Chunk>; isRefused(): boolean } {
  let isRefused = false;
  const dialectFor: typeof spoken.dialectFor = (config, request) => {
    const dialect = spoken.dialectFor(config, request);
    const open = async (client: Client, asked: Asked) => {
      try {
        return await dialect.open(client, asked);
      } catch (error) {
        const { status, statusCode = status } = error as { readonly status?: unknown; readonly statusCode?: unknown };
        isRefused ||= statusCode === 401;
        throw error;
      }
    };
    return { ...dialect, open };
  };
  return { watched: { ...spoken, dialectFor }, isRefused: () => isRefused };
}
