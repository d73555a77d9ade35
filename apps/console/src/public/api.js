import { readEvents } from "./read-events.js";

/** The gateway does not know this token. */
export class NotAllowedError extends Error {}

/** Calls of the gateway that served this page; the token goes nowhere else. */
export function createApi(token) {
  const headers = { authorization: `Bearer ${token}` };
  const base = (conversation) => `/api/conversations/${encodeURIComponent(conversation)}`;

  async function call(path, options = {}) {
    const response = await fetch(path, { ...options, headers: { ...headers, ...options.headers }, cache: "no-store" });
    if (response.status === 401) throw new NotAllowedError("the token is not valid");
    if (!response.ok) throw new Error((await response.json().catch(() => ({}))).error ?? `status ${response.status}`);
    return response;
  }

  async function post(path, value) {
    const options = { method: "POST", body: JSON.stringify(value), headers: { "content-type": "application/json" } };
    return (await call(path, options)).json();
  }

  return {
    post: (conversation, text, id) => post(`${base(conversation)}/messages`, { text, id }),
    /** Presses a button of a line. The same `id` counts once. */
    press: (conversation, messageId, actionId, id) =>
      post(`${base(conversation)}/actions`, { messageId, actionId, id }),
    async connections() {
      return await (await call("/api/connections")).json();
    },
    async history(conversation, signal) {
      return (await (await call(`${base(conversation)}/messages`, { signal })).json()).messages;
    },
    /** Resolves when the stream ends; `open` is awaited before the first event is handed over. */
    async stream(conversation, signal, { open, event }) {
      const response = await call(`${base(conversation)}/stream`, { signal });
      await open();
      await readEvents(response.body, event);
    },
  };
}
