import type { ModelConfig } from "@talaria/models";
import { loadOrCreateKey } from "@talaria/store";
import { loadHome } from "../load-home.ts";
import { namedModel } from "../model/named-model.ts";
import { proveNamed } from "../model/prove-named.ts";
import { withStore } from "../open-store.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** A server's words may not steer the terminal. */
const say = (line: string) => console.log(line.replace(/\p{C}/gu, ""));

/** `talaria model test [NAME]`: a call and an answer for real. Throws what failed, with what mends it. */
export async function testConfigured(options: Options, given?: string): Promise<void> {
  const { config, modelKeyFiles } = await loadHome(options, process.env);
  const name = given ?? config.agent.model;
  const entry = namedModel(config.models, name) as ModelConfig;
  if (entry.provider === "demo")
    throw new Error(`${name} is the offline demo, and no model: \`talaria setup model\` sets one up`);
  const keyFiles = modelKeyFiles[name] ?? [];
  if (entry.provider !== "chatgpt") return await proveNamed({ name, entry, keyFiles, say });
  const keysOf = async (home: { readonly loginKeyFile: string }) => ({
    loginKey: await loadOrCreateKey(home.loginKeyFile),
  });
  await withStore(options, ({ modelLogins: logins }) => proveNamed({ name, entry, logins, say }), keysOf);
}
