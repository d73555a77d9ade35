import type { Asked, Dialect } from "../dialect/dialect.ts";

/** The dialect, and whether a request was answered with 401: the token is not taken, or not any more. */
export function watchRefusals<Client, Chunk>(
  dialect: Dialect<Client, Chunk>,
): { readonly dialect: Dialect<Client, Chunk>; isRefused(): boolean } {
  let isRefused = false;
  const open = async (client: Client, asked: Asked) => {
    try {
      return await dialect.open(client, asked);
    } catch (error) {
      const { status, statusCode = status } = error as { readonly status?: unknown; readonly statusCode?: unknown };
      isRefused ||= statusCode === 401;
      throw error;
    }
  };
  return { dialect: { ...dialect, open }, isRefused: () => isRefused };
}
