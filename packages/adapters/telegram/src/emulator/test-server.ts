import { Bot, GrammyError } from "grammy";
import { startTelegramServer, type TelegramServerOptions } from "./server.ts";

/** A server with a person, their chat and a client of grammY, for the tests of this folder. Stops with the scope. */
export async function startedServer(options: TelegramServerOptions = {}) {
  const server = await startTelegramServer(options);
  const ada = server.user({ first_name: "Ada", username: "ada_l" });
  const { api } = new Bot(server.token, { client: { apiRoot: server.apiRoot } });
  return Object.assign(server, { api, ada, chat: server.privateChat(ada) });
}

/** The description of the refusal a call meets, or what it returned when it met none. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof GrammyError) return error.description;
    throw error;
  }
}
