import type { HeldTexts } from "@talaria/store";

/** What the last call for a text met, in words: `connection refused`, `answered 502`. */
export function failureWords({ code, reason = "" }: Pick<HeldTexts, "code" | "reason">): string {
  const known = words[reason];
  if (known !== undefined) return known;
  if (/^(?:CERT|ERR_TLS|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME)/.test(reason))
    return "its certificate is not trusted";
  if (/^[1-5]\d\d$/.test(reason)) return `answered ${reason}`;
  if (code === "rate_limited") return "it asked to slow down";
  if (code === "unauthorized") return "it refuses the account's token or key";
  if (code === "unavailable") return reason === "" ? "no usable answer" : `no usable answer, ${reason}`;
  return code;
}

/** Names of failed connections that people rarely know. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed",
  // Nodemailer's own two: it says no more.
  ECONNECTION: "no connection, or one that closed",
  ESOCKET: "no connection, or one that closed",
  EPIPE: "connection closed",
  UND_ERR_SOCKET: "connection closed",
  ENOTFOUND: "nobody knows its name",
  EAI_AGAIN: "names can't be looked up",
  EHOSTUNREACH: "no way there",
  ENETUNREACH: "no way there",
  ETIMEDOUT: "no answer in time",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "no whole answer in time",
};
