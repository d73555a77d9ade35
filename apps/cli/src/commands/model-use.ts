import { ConfigError, readConfigFile, useModel } from "@talaria/config";
import { checkText, loadHome } from "../load-home.ts";
import { namedModel } from "../model/named-model.ts";
import { replacePrivately } from "../setup/write-files.ts";
import { isHomeServed } from "../start/home-lock.ts";

/** `talaria model use NAME`: makes it the agent's. Nothing is written that a start would not take. */
export async function useConfigured(
  options: Readonly<Record<string, string | boolean | undefined>>,
  name = "",
): Promise<void> {
  const { home, config } = await loadHome(options, process.env);
  namedModel(config.models, name);
  if (config.agent.model === name) return console.log(`the agent uses ${name} already`);
  const { configFile } = home;
  const text = useModel((await readConfigFile(configFile)) ?? "", configFile, name);
  const { loaded, problems } = await checkText(text, configFile, process.env);
  if (loaded === undefined) throw new ConfigError(problems);
  await replacePrivately(configFile, text);
  console.log(`the agent uses ${name} instead of ${config.agent.model}: written to ${configFile}`);
  if (await isHomeServed(home.dir)) console.log("Talaria runs, and takes it into use within seconds.");
  console.log("Conversations in which somebody has chosen another one with /model keep to it.");
}
