import { readEvents } from "./read-events.js";

/** The gateway does not know this token. */
export class NotAllowedError extends Error {}

/** Calls of the gateway that served this page; the token goes nowhere else. */
export function createApi(token) {
  const headers = { authorization: `Bearer ${token}` };
  const base = (conversation) => `/api/conversations/${encodeURIComponent(conversation)}`;
  /** What is read of a place: one of the console's own by its `id`, of another platform by its `key`. */
  const reading = ({ id, key }) => (key === undefined ? base(id) : `${base(key)}/history`);

  async function call(path, options = {}) {
    const response = await fetch(path, { ...options, headers: { ...headers, ...options.headers }, cache: "no-store" });
    if (response.status === 401) throw new NotAllowedError("the token is not valid");
    if (!response.ok) throw new Error((await response.json().catch(() => ({}))).error ?? `status ${response.status}`);
    return response;
  }

  async function send(method, path, value) {
    const options = { method, body: JSON.stringify(value), headers: { "content-type": "application/json" } };
    return (await call(path, options)).json();
  }
  const post = (path, value) => send("POST", path, value);

  /** A page of a list; what is not given is not asked for. */
  async function page(path, parameters, options) {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
    return (await call(given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`, options)).json();
  }

  return {
    post: (conversation, text, files, id) => post(`${base(conversation)}/messages`, { text, files, id }),
    /** Keeps a file, which a message then names. `progress(share)` is told how much of it is there, from 0 to 1. */
    upload(conversation, file, progress) {
      const request = new XMLHttpRequest();
      const { promise, resolve, reject } = Promise.withResolvers();
      request.responseType = "json";
      request.upload.addEventListener("progress", ({ loaded, total }) => progress(total === 0 ? 0 : loaded / total));
      request.addEventListener("load", () => {
        if (request.status === 201) resolve(request.response);
        else reject(new Error(request.response?.error ?? `status ${request.status}`));
      });
      request.addEventListener("error", () => reject(new Error("the connection was lost")));
      request.open("POST", `${base(conversation)}/files?name=${encodeURIComponent(file.name)}`);
      request.setRequestHeader("authorization", headers.authorization);
      request.setRequestHeader("content-type", file.type || "application/octet-stream");
      request.send(file);
      return promise;
    },
    async file(place, ref) {
      return (await call(`${reading(place)}/files/${encodeURIComponent(ref)}`)).blob();
    },
    /** What a turn did: `{ steps: [{ label, state, result, leftOutChars }], earlier }`. */
    async steps(place, turnId) {
      return (await call(`${reading(place)}/steps/${encodeURIComponent(turnId)}`)).json();
    },
    retry: (conversation, turnId) => post(`${base(conversation)}/retry`, { turnId }),
    /** Presses a button of a line. The same `id` counts once. */
    press: (conversation, messageId, actionId, id) =>
      post(`${base(conversation)}/actions`, { messageId, actionId, id }),
    async connections() {
      return await (await call("/api/connections")).json();
    },
    async servers() {
      return await (await call("/api/mcp")).json();
    },
    beginLogin: (server, isAnew) => post("/api/mcp/logins", { server, ...(isAnew && { isAnew }) }),
    trustOrigin: (server, origin, trusts) => post("/api/mcp/logins/trust", { server, origin, trusts }),
    finishLogin: (parameters) => post("/api/mcp/logins/finish", { parameters }),
    /** `before`: what the history of later lines has as `next`. */
    history: (place, signal, before) =>
      page(place.key === undefined ? `${base(place.id)}/messages` : reading(place), { before }, { signal }),
    /** The list, see docs/api.md. */
    conversations: (filter) => page("/api/conversations", filter),
    rename: (conversation, title) => send("PATCH", base(conversation), { title }),
    async remove(conversation) {
      await call(base(conversation), { method: "DELETE" });
    },
    markRead: (conversation, upTo) => post(`${base(conversation)}/read`, { upTo }),
    /** Resolves when the stream ends; `open` is awaited before the first event is handed over. */
    async stream(conversation, signal, { open, event }) {
      const response = await call(`${base(conversation)}/stream?news`, { signal });
      await open();
      await readEvents(response.body, event);
    },
  };
}

/** The commands of the gateway; none while it cannot be reached. They hold no secret. */
export async function readCommands() {
  try {
    return await (await fetch("commands.json")).json();
  } catch {
    return [];
  }
}
