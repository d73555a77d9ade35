/**
 * A request whose form is bytes already; any other is the same. Where a request with a form is given up while its files are still read,
 * `fetch` of Node.js (24.21 at least) rejects a promise that nobody holds, which ends the process: `extractBody` of undici,
 * `lib/web/fetch/body.js`, adds to a stream that was closed.
 */
export async function withWholeForm(init: RequestInit): Promise<RequestInit> {
  if (!(init.body instanceof FormData)) return init;
  const form = new Response(init.body);
  const headers = new Headers(init.headers);
  headers.set("content-type", form.headers.get("content-type") ?? "multipart/form-data");
  return { ...init, headers, body: await form.arrayBuffer() };
}
