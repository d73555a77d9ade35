import { createInterface } from "node:readline";
import { beginChatGptLogin, type ChatGptLogin, listPlanModels } from "@talaria/models";
import { isGatewayError, systemClock } from "@talaria/protocol";
import type { ModelLoginStore } from "@talaria/store";
import { listenForCallback } from "../mcp/callback-listener.ts";
import type { ChatGptEntry } from "./chatgpt-entry.ts";

const longestMs = 600_000;
const listMs = 60_000;
const mostShown = 60;

/**
 * Shows where to log in with ChatGPT, and waits until that is done. The answer of a browser comes by itself, or is pasted. Throws
 * one sentence that says what went wrong.
 */
export async function logInToChatGpt(entry: ChatGptEntry, logins: ModelLoginStore): Promise<void> {
  const deps = { logins, clock: systemClock };
  const login = await beginChatGptLogin(entry, deps);
  const end = Promise.withResolvers<void>();
  const take = (parameters: URLSearchParams) => finish(login, parameters, end);
  const listener = await listenForCallback(login.redirectUrl, take);
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const parameters = URL.parse(line.trim())?.searchParams;
    if (parameters !== undefined) void take(parameters).then((text) => console.log(text));
  });
  const timer = setTimeout(
    () => end.reject(new Error("nobody has logged in in time: run the command again")),
    longestMs,
  );
  try {
    console.log(`Open this address in a browser and continue with ChatGPT:\n${login.url}`);
    console.log("If the browser ends at a page that does not load, paste that page's address here.");
    await end.promise;
  } finally {
    clearTimeout(timer);
    lines.close();
    listener?.close();
  }
  console.log(`${entry.login}: logged in. Requests use your ChatGPT plan: see chatgpt.com/settings/usage.`);
  console.log(await offer(entry, deps));
}

/** Says what whoever logged in reads. Parameters of another login leave this one open. */
async function finish(
  login: ChatGptLogin,
  parameters: URLSearchParams,
  end: PromiseWithResolvers<void>,
): Promise<string> {
  try {
    await login.finish(parameters, AbortSignal.timeout(longestMs));
    end.resolve();
    return "Done. You can close this page.";
  } catch (error) {
    if (!isGatewayError(error, "invalid_request")) end.reject(error);
    return "This login was not accepted. The terminal says why.";
  }
}

async function offer(entry: ChatGptEntry, deps: Parameters<typeof listPlanModels>[1]): Promise<string> {
  try {
    const names = await listPlanModels(entry, deps, AbortSignal.timeout(listMs));
    const more = names.length > mostShown ? `, and ${names.length - mostShown} more` : "";
    return `Its models: ${names.slice(0, mostShown).join(", ") || "none"}${more}`;
  } catch (error) {
    return error instanceof Error ? error.message : "its models cannot be listed";
  }
}
