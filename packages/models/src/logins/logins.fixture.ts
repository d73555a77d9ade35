import type { LoginPart, ModelLogins } from "./model-logins.ts";

/** Logins in memory, as the store keeps them: `alone` is refused while somebody is at it. */
export function memoryLogins(kept: Readonly<Record<string, string>> = {}) {
  const texts = new Map(Object.entries(kept));
  const busy = new Set<string>();
  const place = (login: string, part: LoginPart) => `${login} ${part}`;
  const logins: ModelLogins = {
    load: async (login, part) => texts.get(place(login, part)),
    save: async (login, part, secret) => {
      texts.set(place(login, part), secret);
    },
    forget: async (login, part) => {
      texts.delete(place(login, part));
    },
    alone: async (login, work) => {
      if (busy.has(login)) return false;
      busy.add(login);
      try {
        await work();
        return true;
      } finally {
        busy.delete(login);
      }
    },
  };
  return { logins, texts };
}

/** With one login that never ends, and that nobody renews. */
export function loggedIn(token: string): ModelLogins {
  const { logins } = memoryLogins({ "chatgpt access": JSON.stringify({ token, expiresAt: Number.MAX_SAFE_INTEGER }) });
  return { ...logins, save: async () => undefined };
}
