import { LoginFailure } from "../logins/login-failure.ts";
import { reveal, type SecretText } from "../model-config.ts";

/** Who asks Google for tokens. */
export type GoogleCredentials =
  | {
      readonly kind: "service account";
      readonly email: string;
      readonly privateKey: string;
      readonly keyId?: string;
      readonly tokenUrl: string;
    }
  | {
      readonly kind: "user";
      readonly clientId: string;
      readonly clientSecret: string;
      readonly refreshToken: string;
      readonly tokenUrl: string;
    };

/** https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
const googleTokenUrl = "https://oauth2.googleapis.com/token";

/**
 * What a key of a service account says, or the file that `gcloud auth application-default login` writes. Throws a `LoginFailure`
 * that names what is wrong, and nothing of the text.
 */
export function readCredentials(credentials: SecretText): GoogleCredentials {
  const json = objectIn(reveal(credentials));
  const text = (name: string) => {
    const value = json[name];
    if (typeof value === "string" && value !== "") return value;
    throw refusal(`has no ${name}`);
  };
  const tokenUrl = typeof json.token_uri === "string" ? json.token_uri : googleTokenUrl;
  if (!isSafe(tokenUrl)) throw refusal("has a token_uri that is neither https nor on this machine");
  switch (json.type) {
    case "service_account": {
      const keyId = typeof json.private_key_id === "string" ? { keyId: json.private_key_id } : {};
      const privateKey = text("private_key");
      return { kind: "service account", email: text("client_email"), privateKey, tokenUrl, ...keyId };
    }
    case "authorized_user":
      return {
        kind: "user",
        clientId: text("client_id"),
        clientSecret: text("client_secret"),
        refreshToken: text("refresh_token"),
        tokenUrl,
      };
    default:
      throw refusal("is neither of a service account nor of a user");
  }
}

function refusal(reason: string): LoginFailure {
  return new LoginFailure(
    `vertex.credentials ${reason}: use the JSON key of a service account, or the file of \`gcloud auth application-default login\``,
    { kind: "auth" },
  );
}

function isSafe(address: string): boolean {
  const url = URL.parse(address);
  return (
    url?.protocol === "https:" || (url?.protocol === "http:" && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname))
  );
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object") return value as Record<string, unknown>;
  } catch {
    // The parser's own words would quote the text.
  }
  throw refusal("is not a JSON object");
}
