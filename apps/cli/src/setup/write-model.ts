import { addModel, checkConfig, hasModel, readConfigFile, secretFileReader, type TalariaConfig } from "@talaria/config";
import { type NewFiles, writeFiles } from "./write-files.ts";

export interface NewModel {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** Goes to a file of its own, and the entry refers to it. */
  readonly apiKey: string | undefined;
  /** The agent uses it from now on. */
  readonly isUsed: boolean;
}

/** Puts the model into the configuration file, which is made when it is missing. Resolves with the secret files. */
export async function writeModel(configFile: string, model: NewModel): Promise<readonly string[]> {
  return await writeFiles(configFile, await modelText(configFile, model));
}

export async function isModelTaken(configFile: string, name: string): Promise<boolean> {
  return hasModel((await readConfigFile(configFile)) ?? "", name);
}

/** The model as `talaria start` would read it. Throws every fault of it, by its keys, or else of the file. */
export async function checkModel(configFile: string, model: NewModel): Promise<TalariaConfig["models"][string]> {
  const { text, files } = await modelText(configFile, model);
  const fromDisk = secretFileReader(configFile);
  const { problems, loaded } = checkConfig(text, {
    file: configFile,
    env: process.env,
    readSecret: (path) => files.get(path) ?? fromDisk(path),
  });
  const accepted = loaded?.config.models[model.name];
  if (accepted !== undefined) return accepted;
  const place = `models.${model.name}.`;
  const own = problems.filter(({ path }) => path.startsWith(place));
  const faults = own.length > 0 ? own : problems;
  const lines = faults.map(({ path, message }) => `  - ${path.replace(place, "")}: ${message}`);
  throw new WrongModel(`this can't be right:\n${lines.join("\n")}`, faults[0]?.path.replace(place, "") ?? "");
}

/** An entry that no start would take, with the first of its keys that is wrong. */
export class WrongModel extends Error {
  readonly key: string;

  constructor(message: string, key: string) {
    super(message);
    this.key = key;
  }
}

async function modelText(configFile: string, { name, entry, apiKey, isUsed }: NewModel): Promise<NewFiles> {
  const path = `./secrets/model-${name}-apiKey`;
  const keyed = apiKey === undefined ? entry : { ...entry, apiKey: { file: path } };
  const before = (await readConfigFile(configFile)) ?? "";
  const text = addModel(before, configFile, { name, entry: keyed, isUsed });
  return { text, files: new Map(apiKey === undefined ? [] : [[path, apiKey]]) };
}
