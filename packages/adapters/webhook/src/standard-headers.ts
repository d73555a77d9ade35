export interface StandardHeaders {
  readonly id: string | null;
  readonly timestamp: string | null;
  readonly signature: string | null;
}

/**
 * The three headers of Standard Webhooks 1.0.0. Senders that run on Svix write them `svix-id`, `svix-timestamp` and
 * `svix-signature` (https://docs.svix.com/receiving/verifying-payloads/how-manual); those are read only if there is none of
 * the standard's, so that what is signed and what names the delivery come from the same set.
 */
export function standardHeaders(headers: Headers): StandardHeaders {
  const standard = ofPrefix(headers, "webhook");
  return Object.values(standard).some((value) => value !== null) ? standard : ofPrefix(headers, "svix");
}

function ofPrefix(headers: Headers, prefix: string): StandardHeaders {
  const get = (name: string) => headers.get(`${prefix}-${name}`);
  return { id: get("id"), timestamp: get("timestamp"), signature: get("signature") };
}
