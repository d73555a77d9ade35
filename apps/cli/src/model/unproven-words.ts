import type { UnprovenModel } from "@talaria/models";

type Words = readonly [trouble: string, remedy: string];

/** What a provider's failure means for whoever sets a model up or tries it, with what mends it. */
const words: Readonly<Record<UnprovenModel["why"], Words>> = {
  auth: ["the provider refuses the key", "give it another one: keys are made on the provider's page"],
  quota: ["the account has no credit left", "add credit on the provider's page, or use another key or model"],
  rate_limit: ["the provider allows no more requests now", "wait a minute, or raise the limit on the provider's page"],
  overloaded: ["the provider's server is overloaded", "try again in a few minutes, or use another model"],
  server_error: ["the provider's server reports an error of its own", "see its status page, or try again"],
  network: ["nothing answers at its address", "check the network and `baseUrl`, and that the server runs"],
  truncated: ["the answer broke off", "check the network, and try again"],
  stalled: ["the server went silent", "try again; a model that is still being loaded needs a while"],
  context_full: ["its window is too small even for two short messages", "start the server with a larger one"],
  thought_only: ["it thought until its answer was full", "raise `maxOutputTokens`, or lower `effort`"],
  runaway: ["its answer had no end", "choose another model"],
  refusal: ["it refused to answer", "choose another model"],
  not_found: ["the server does not know this model", "choose one that it lists"],
  bad_request: ["the server rejects the request", "choose another model, or check that the server speaks this API"],
  no_tools: ["it answered, but called no tool when it was asked to", "choose a model that can call tools"],
  not_read: ["it called a tool, but did not read what that gave", "choose another model"],
  aborted: ["there was no answer in three minutes", "try again; a model that is still being loaded needs a while"],
};

export function unprovenWords({ why }: UnprovenModel): Words {
  return words[why];
}
