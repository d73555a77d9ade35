export type { AccountKeyFile } from "./account-key-files.ts";
export { accountPlatform, addAccount, addFirstOwner, allowPerson, hasOwners } from "./add-account.ts";
export { addModel, hasModel, useModel } from "./add-model.ts";
export type { Checked, ConfigPart, LoadedConfig, LoadOptions } from "./checked.ts";
export { type ConfigKey, configJsonSchema, configKeys, type JsonSchema } from "./json-schema.ts";
export { keyPlaces } from "./key-places.ts";
export { type ListedPerson, listedPeople } from "./listed-people.ts";
export { checkConfig, defaultConfig, loadConfig, platformsIn } from "./load-config.ts";
export { modelChain } from "./model-chain.ts";
export { modelChoices } from "./model-choices.ts";
export type { KeyFile } from "./model-key-files.ts";
export type { PlatformRules, Platforms } from "./platform-rules.ts";
export { ConfigError, type ConfigProblem, formatProblem } from "./problem.ts";
export { readConfigFile } from "./read-config-file.ts";
export { soundsSecret } from "./references.ts";
export type {
  AccountConfig,
  BaseConfig,
  Disabled,
  ModelConfig,
  TalariaConfig,
} from "./schema/config-schema.ts";
export { hostsOf } from "./schema/network-presets.ts";
export type { WebhookAnswer, WebhookConfig } from "./schema/webhook-schema.ts";
export { secretFileReader } from "./secret-file.ts";
export { suggestName } from "./suggest.ts";
export { switchedOn } from "./switched-on.ts";
export { unpricedModels } from "./unpriced-models.ts";
export { parseYaml } from "./yaml-source.ts";
