import { type ChatGptSignIn, startChatGptSignIn, startDialectServer } from "@talaria/testkit";
import { createModel } from "../index.ts";
import { memoryLogins } from "../logins/logins.fixture.ts";
import { deps, testClock } from "../model.fixture.ts";
import { beginChatGptLogin } from "./chatgpt-login.ts";

const never = new AbortController().signal;

/** Everything between a person with a ChatGPT plan and the API. Time stands still, except where somebody waits. */
export async function startPlan() {
  const clock = testClock();
  const signIn = await startChatGptSignIn({ now: clock.now });
  // The list is the server's own, so what ends there ends here.
  const api = await startDialectServer({ dialect: "chatgpt", apiKeys: signIn.accessTokens });
  const { logins, texts } = memoryLogins();
  const settings = { oauth: { issuer: signIn.issuer } };
  const begin = () => beginChatGptLogin(settings, { logins, clock });
  const logIn = async (person: Parameters<ChatGptSignIn["visit"]>[1] = {}) => {
    const login = await begin();
    await login.finish((await signIn.visit(login.url, person)).searchParams, never);
  };
  const newModel = () =>
    createModel(
      { provider: "chatgpt", model: "gpt-5.6", baseUrl: `${api.url}/v1`, ...settings },
      { ...deps, clock: { now: clock.now, elapsed: clock.elapsed, sleep: deps.clock.sleep }, logins },
    );
  return {
    ...{ clock, signIn, api, logins, texts, settings, begin, logIn, newModel },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([api.stop(), signIn[Symbol.asyncDispose]()]);
    },
  };
}
