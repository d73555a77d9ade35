import { endChatGptLogin } from "@talaria/models";
import { systemClock } from "@talaria/protocol";
import { loadOrCreateKey } from "@talaria/store";
import type { Home } from "../home.ts";
import { chatGptEntry } from "../model/chatgpt-entry.ts";
import { logInToChatGpt } from "../model/log-in.ts";
import { withStore } from "../open-store.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

const limitMs = 60_000;

/** `talaria model login [NAME]`: logs in with ChatGPT for all workers. */
export function loginModel(options: Options, name = "chatgpt"): Promise<void> {
  return withStore(
    options,
    ({ modelLogins }, { config }) => logInToChatGpt(chatGptEntry(name, config), modelLogins),
    keysOf,
  );
}

/** `talaria model logout [NAME]`: forgets the login here, and ends it at OpenAI. */
export function logoutModel(options: Options, name = "chatgpt"): Promise<void> {
  const isForAll = options.forget === true;
  return withStore(
    options,
    async ({ modelLogins: logins }, { config }) => {
      const entry = chatGptEntry(name, config);
      const signal = AbortSignal.timeout(limitMs);
      const { wasKept, isRevoked } = await endChatGptLogin(entry, { logins, clock: systemClock, isForAll }, signal);
      if (!wasKept) return console.log(`nothing was kept of the login ${entry.login}`);
      const elsewhere = isRevoked ? "" : "; OpenAI could not be told: disconnect Talaria in the settings of ChatGPT";
      console.log(`forgot the login ${entry.login}; running workers notice it within a minute${elsewhere}`);
    },
    keysOf,
  );
}

async function keysOf({ loginKeyFile }: Home) {
  return { loginKey: await loadOrCreateKey(loginKeyFile) };
}
