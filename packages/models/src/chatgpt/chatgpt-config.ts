/** Where somebody logs in with ChatGPT. What is left out is OpenAI's own. */
export interface ChatGptSettings {
  /** Entries with the same name share one login. Default: `chatgpt`. */
  readonly login?: string | undefined;
  readonly oauth?:
    | {
        readonly issuer?: string | undefined;
        /** `http://127.0.0.1:PORT/auth/callback`: OpenAI lets nothing but the port change. */
        readonly redirectUrl?: string | undefined;
      }
    | undefined;
}

/** https://developers.openai.com/siwc/token-sharing-open-source/sign-in */
export const openAiIssuer = "https://auth.openai.com";
export const openAiApi = "https://api.openai.com/v1";
export const defaultRedirectUrl = "http://127.0.0.1:1455/auth/callback";

export function loginOf({ login }: ChatGptSettings): string {
  return login ?? "chatgpt";
}

export function tokenUrl({ oauth }: ChatGptSettings): URL {
  return new URL("/api/accounts/oauth/token", oauth?.issuer ?? openAiIssuer);
}

export function authorizeUrl({ oauth }: ChatGptSettings): URL {
  return new URL("/api/accounts/authorize", oauth?.issuer ?? openAiIssuer);
}

/** What an operator does about a login that is missing or has ended. */
export function remedyOf(settings: ChatGptSettings): string {
  return `run \`talaria model login ${loginOf(settings)}\``;
}

export function missingText(settings: ChatGptSettings): string {
  return `nobody is logged in to ChatGPT: ${remedyOf(settings)}`;
}

export function endedText(settings: ChatGptSettings, reason: string): string {
  return `the login to ChatGPT has ended (${reason}): ${remedyOf(settings)}`;
}
