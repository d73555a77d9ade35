import type { RawRequest } from "../../support/raw-http.ts";
import type { HttpRow } from "./webhook-rows.ts";

const path = "/api/conversations/bad/messages";
const body = JSON.stringify({ text: "bad" });

/** Requests to the API. `%TOKEN%` in a header or path stands for the right token. */
export const apiRows: readonly HttpRow[] = [
  refused("C04", "no token", 401, /bearer token is needed/, {}),
  refused("C04", "an empty token", 401, /bearer token is needed/, { authorization: "Bearer " }),
  refused("C04", "a wrong token", 401, /this token is not valid/, { authorization: "Bearer 0123456789abcdef" }),
  refused("C04", "half a token", 401, /this token is not valid/, { authorization: "Bearer %HALF%" }),
  refused("C04", "the token as a password", 401, /bearer token is needed/, { authorization: "Basic %TOKEN%" }),
  {
    ...refused("C04", "the token in the address", 401, /bearer token is needed/, {}),
    request: { path: `${path}?token=%TOKEN%`, body },
  },
  refused("C08", "the token as a cookie", 401, /bearer token is needed/, { cookie: "token=%TOKEN%" }),
  refused("B09", "a forwarded loopback address instead of a token", 401, /bearer token is needed/, {
    "x-forwarded-for": "127.0.0.1",
    forwarded: "for=127.0.0.1",
  }),
  proven("C02", "a rebound host name", 403, /host name is not served/, { headers: { host: "evil.example" } }),
  proven("B09", "a host name in a forwarded header does not help", 403, /host name is not served/, {
    headers: { host: "evil.example", "x-forwarded-host": "localhost" },
  }),
  proven("C02", "a page of another origin", 403, /origin may not call/, {
    headers: { origin: "https://evil.example" },
  }),
  proven("C02", "a page without an origin", 403, /origin may not call/, { headers: { origin: "null" } }),
  proven("C08", "a form of another page", 403, /origin may not call/, {
    headers: { origin: "http://127.0.0.1:1", "content-type": "text/plain" },
  }),
  proven("C05", "a role that one gives oneself", 400, /role/, { body: JSON.stringify({ text: "bad", role: "owner" }) }),
  proven("J02", "an empty text", 400, /text: must not be empty/, { body: '{"text":""}' }),
  proven("J02", "only spaces", 400, /text: must not be empty/, { body: '{"text":" \\n\\t "}' }),
  proven("J08", "no text", 400, /text: /, { body: "{}" }),
  proven("J08", "a number for the text", 400, /text: /, { body: '{"text":1}' }),
  proven("J08", "a list", 400, /body: /, { body: "[]" }),
  proven("B15", "broken JSON", 400, /JSON|body/, { body: '{"text"' }),
  proven("B15", "nothing at all", 400, /JSON|body/, { body: "" }),
  proven("J08", "an id of markup", 400, /id: must be/, { body: '{"text":"bad","id":"<img src=x onerror=alert(1)>"}' }),
  proven("C10", "a conversation of markup", 400, /^the conversation's id must be/, {
    path: "/api/conversations/%3Cimg%20onerror%3D1%3E/messages",
  }),
  proven("J08", "a conversation of 65 letters", 400, /1 to 64/, {
    path: `/api/conversations/${"c".repeat(65)}/messages`,
  }),
  proven("B13", "an escaped way out of the conversation", 404, /no such route/, {
    path: "/api/conversations/%2e%2e/messages",
  }),
  proven("B13", "an escape that is none", 400, /address/, { path: "/api/conversations/%zz/messages" }),
  proven("J01", "a body of 2 MB", 413, /longer than 1048576 bytes/, {
    body: JSON.stringify({ text: "x".repeat(2_000_000) }),
  }),
  proven("C09", "a method it does not know", 405, /method/, { method: "DELETE" }),
  proven("C09", "a part of the API that is not there", 404, /no such route/, { path: "/api/config" }),
  proven("J08", "a name of 201 letters", 400, /title: must have at most 200/, {
    ...{ method: "PATCH", path: "/api/conversations/bad", body: JSON.stringify({ title: "x".repeat(201) }) },
  }),
  proven("J08", "a name that nobody sees", 400, /title: has nothing that can be seen/, {
    ...{ method: "PATCH", path: "/api/conversations/bad", body: '{"title":"\\u200b\\u202e"}' },
  }),
  proven("J08", "a deletion of everything", 405, /method/, { method: "DELETE", path: "/api/conversations" }),
  proven("C10", "a key of a conversation that is none", 404, /no such conversation/, {
    ...{ method: "GET", path: "/api/conversations/Li4/history" },
  }),
  proven("J08", "a search for nothing", 400, /query must/, { method: "GET", path: "/api/conversations?query=%00" }),
  proven("J08", "a list after a place that is none", 400, /before must/, {
    ...{ method: "GET", path: "/api/conversations?before=0001-01-01T00:00:00Z'--" },
  }),
  proven("J08", "a history of no length", 400, /limit must be/, { method: "GET", path: `${path}?limit=0` }),
  proven("J08", "a history of all times", 400, /limit must be/, { method: "GET", path: `${path}?limit=1e9` }),
];

function refused(id: string, what: string, status: number, error: RegExp, headers: Record<string, string>): HttpRow {
  return { id, what, status, error, request: { path, headers, body } };
}

function proven(id: string, what: string, status: number, error: RegExp, request: Partial<RawRequest>): HttpRow {
  const headers = { authorization: "Bearer %TOKEN%", ...request.headers };
  return {
    id,
    what,
    status,
    error,
    request: { path, body: request.method === "GET" ? "" : body, ...request, headers },
  };
}
