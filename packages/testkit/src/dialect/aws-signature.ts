import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Who may ask, and where. */
export interface SigningKeys {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of a role for a while: it has to be sent, and signed. */
  readonly sessionToken?: string;
}

export interface SignedRequest {
  readonly method: string;
  /** As it came over the wire. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const service = "bedrock";

/**
 * What is wrong with a request's signature, worked out anew as AWS does: Signature Version 4,
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html. Undefined when all is well.
 */
export function findSignatureFlaw(request: SignedRequest, keys: SigningKeys): string | undefined {
  const { headers } = request;
  const found = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? "",
  );
  if (found === null) return "MissingAuthenticationTokenException";
  const [, credential = "", signedNames = "", signature = ""] = found;
  const time = String(headers["x-amz-date"]);
  if (!/^\d{8}T\d{6}Z$/.test(time)) return "IncompleteSignatureException: x-amz-date";
  const scope = `${time.slice(0, 8)}/${keys.region}/${service}/aws4_request`;
  if (credential !== `${keys.accessKeyId}/${scope}`) return "UnrecognizedClientException: credential scope";
  if (headers["x-amz-security-token"] !== keys.sessionToken) return "UnrecognizedClientException: security token";
  const names = signedNames.split(";");
  const mustSign = Object.keys(headers).filter((name) => name === "host" || name.startsWith("x-amz-"));
  const unsigned = mustSign.find((name) => !names.includes(name));
  if (unsigned !== undefined) return `InvalidSignatureException: ${unsigned} is not signed`;
  if (names.join() !== names.toSorted().join()) return "InvalidSignatureException: signed headers are not sorted";
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical(request, names))].join("\n");
  const wanted = hmac(signingKey(keys, time), text);
  return timingSafeEqual(wanted, Buffer.from(signature, "hex")) ? undefined : "InvalidSignatureException: signature";
}

function canonical({ method, path, query, headers, body }: SignedRequest, names: readonly string[]): string {
  const lines = names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, " ")}\n`);
  // Every service but S3 encodes the path once more than it goes over the wire.
  const uri = path.split("/").map(encoded).join("/");
  const pairs = query === "" ? [] : query.split("&").toSorted();
  return [method, uri, pairs.join("&"), lines.join(""), names.join(";"), sha256(body)].join("\n");
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function signingKey({ secretAccessKey, region }: SigningKeys, time: string): Buffer {
  const steps = [time.slice(0, 8), region, service, "aws4_request"];
  return steps.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}
