import type { FailingModel } from "@talaria/store";
import { secretPlaces } from "./secret-places.ts";
import { counted } from "./spans.ts";

/** `model main: its server is overloaded, since ... (2 requests failed): wait, or ...`. */
export function modelProblem({ model, code, since, failed, keyFiles }: FailingModel): string {
  const [trouble, remedy] = Object.hasOwn(troubles, code)
    ? troubles[code as keyof typeof troubles](model, keyFiles)
    : ([`it fails (${code})`, "the log says more"] as const);
  return `model ${model}: ${trouble}, since ${since} (${counted(failed, "request")} failed): ${remedy}`;
}

type Trouble = (name: string, keyFiles: FailingModel["keyFiles"]) => readonly [trouble: string, remedy: string];

const another = (name: string) => `name another model in models.${name}.fallbacks`;

const troubles = {
  auth: (name, keyFiles) => ["its provider refuses the key or login", keyRemedy(name, keyFiles)],
  quota: (name) => [
    "its credit or quota is used up",
    `add credit at the provider, or name another model in models.${name}.fallbacks or agent.model`,
  ],
  not_found: (name) => [
    "its provider does not know it",
    `correct models.${name}.model or its baseUrl, or run \`talaria setup model\``,
  ],
  rate_limit: (name) => [
    "its provider is asked more often than it allows",
    `raise the limit at the provider, or ${another(name)}`,
  ],
  overloaded: (name) => ["its server is overloaded", `wait, or ${another(name)}`],
  server_error: (name) => ["its server reports an error", `see the provider's status page, or ${another(name)}`],
  network: (name) => [
    "it can't be reached",
    `check the network and models.${name}.baseUrl, or run \`talaria setup model\``,
  ],
  stalled: (name) => ["its server stops answering", `wait, or ${another(name)}`],
  truncated: (name) => ["its connection breaks in the middle of answers", `check the network, or ${another(name)}`],
  bad_request: (name) => [
    "its provider rejects what it is asked",
    `find the reason in the log and correct models.${name}, or run \`talaria setup model\``,
  ],
} as const satisfies Readonly<Record<string, Trouble>>;

/** A changed file is in use within seconds. */
function keyRemedy(name: string, keyFiles: FailingModel["keyFiles"]): string {
  const places = secretPlaces(keyFiles);
  if (places === undefined)
    return `put a working one where models.${name} takes it from, or run \`talaria setup model\` or \`talaria model login\``;
  return `put a working one ${places}; it is in use within seconds`;
}
