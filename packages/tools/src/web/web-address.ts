import { GatewayError } from "@talaria/protocol";

/** An address of the web, from `base` on. Throws `invalid_request` for every other scheme and for one with a name or password in it. */
export function webAddress(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw invalid(`"${text.slice(0, 200)}" is no address that begins with http:// or https://`);
  }
  if (url.username !== "" || url.password !== "")
    throw invalid("an address with a name or password in it is not fetched");
  return url;
}

function invalid(message: string): GatewayError {
  return new GatewayError(message, { code: "invalid_request", effect: "none" });
}
