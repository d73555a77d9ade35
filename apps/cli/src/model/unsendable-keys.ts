import { type LoadedConfig, modelChain } from "@talaria/config";
import type { Problem } from "@talaria/store";
import { isSendable } from "../key-text.ts";

/** Models that answer whose key no request can carry: what comes of it looks as if the network was away. */
export function unsendableKeys({
  config,
  modelKeyFiles,
}: Pick<LoadedConfig, "config" | "modelKeyFiles">): readonly (Problem & { readonly model: string })[] {
  return modelChain(config).flatMap((model) => {
    const entry = config.models[model];
    const { apiKey } = entry !== undefined && "apiKey" in entry ? entry : {};
    const keys = apiKey === undefined ? [] : [apiKey].flat();
    if (keys.every((key) => isSendable(key.reveal()))) return [];
    const [file] = modelKeyFiles[model] ?? [];
    const remedy = file?.secret === undefined ? "`talaria setup model`" : `\`talaria secret set ${file.secret}\``;
    const line = `model ${model}: its key can't be sent, since it has a line break or another character within it that no key has: give the right one with ${remedy}`;
    return [{ kind: "model", key: `key:${model}`, code: "auth", line, stopsAnswers: true, graceMs: 0, model }];
  });
}
