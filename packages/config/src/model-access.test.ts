import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkConfig, loadConfig } from "./load-config.ts";
import { formatProblem } from "./problem.ts";

const key = JSON.stringify({ type: "service_account", private_key: "canary" });
const options = { file: "config.yaml", env: { AWS: "secret-access" }, readSecret: () => key };

function problemsOf(entry: string): readonly string[] {
  const { problems } = checkConfig(`models: { main: ${entry} }\n`, options);
  return problems.map((problem) => formatProblem(problem).replace(/^\S+ models\.main\.?/, ""));
}

describe("a model that is asked without an API key", () => {
  it("is one of a ChatGPT plan, of Vertex AI, or of Bedrock with credentials of AWS", () => {
    const { config, secrets } = loadConfig(
      `models:
  main: { provider: chatgpt, model: gpt-5.6, fallbacks: [gemini, bedrock] }
  gemini: { provider: vertex, model: gemini-3-pro, vertex: { project: my-project, credentials: { file: key.json } } }
  bedrock: { provider: bedrock, model: m, aws: { region: eu-central-1, accessKeyId: AKID, secretAccessKey: "\${AWS}" } }
`,
      options,
    );
    const { main, gemini, bedrock } = config.models;
    assert.equal(main?.login, undefined);
    assert.equal(gemini?.vertex?.location, "global");
    assert.equal(gemini?.vertex?.credentials?.reveal(), key);
    assert.equal(bedrock?.aws?.secretAccessKey.reveal(), "secret-access");
    assert.ok([key, "AKID", "secret-access"].every((secret) => secrets.includes(secret)));
    assert.ok(!JSON.stringify(config).includes("canary"));
  });

  it("says what it lacks, and what is of no use to it", () => {
    const chatgpt = "provider: chatgpt, model: m";
    const vertex = "provider: vertex, model: m, vertex: { project: my-project }";
    const aws = "aws: { region: eu-central-1, accessKeyId: a, secretAccessKey: b }";
    const cases: readonly (readonly [entry: string, problem: string])[] = [
      [
        `{ ${chatgpt}, apiKey: k }`,
        "apiKey: does not work with `chatgpt`: it uses the login that `talaria model login` makes",
      ],
      [
        `{ ${chatgpt}, maxOutputTokens: 5 }`,
        "maxOutputTokens: does not work with `chatgpt`: OpenAI takes no limit there",
      ],
      [`{ ${chatgpt}, query: { a: b } }`, "query: does not work with `chatgpt`: remove it"],
      [`{ ${chatgpt}, login: My Plan }`, "login: must be 1 to 63 lower-case letters, digits or dashes"],
      [`{ ${chatgpt}, ${aws} }`, "aws: is for `bedrock` alone: remove it"],
      [
        `{ ${chatgpt}, oauth: { redirectUrl: "http://localhost:1455/auth/callback" } }`,
        "oauth.redirectUrl: must be http://127.0.0.1:PORT/auth/callback: OpenAI lets only the port change",
      ],
      ["{ provider: vertex, model: m }", "vertex: is required for `vertex`"],
      [`{ ${vertex}, apiKey: k }`, "apiKey: does not work with `vertex`: it uses `vertex.credentials`"],
      [
        "{ provider: vertex, model: m, vertex: { project: my-project, credentials: canary } }",
        "vertex.credentials: must be the JSON key of a service account, or the file that gcloud writes",
      ],
      [
        "{ provider: vertex, model: m, vertex: { project: my-project, location: ../x } }",
        "vertex.location: must be `global`, `us`, `eu`, or a region such as `europe-west4`",
      ],
      [`{ provider: bedrock, model: m, apiKey: k, ${aws} }`, "aws: stands instead of `apiKey`: remove one of them"],
      [
        "{ provider: bedrock, model: m, aws: { region: Frankfurt, accessKeyId: a, secretAccessKey: b } }",
        "aws.region: must be a region such as `eu-central-1`",
      ],
      ["{ provider: anthropic, model: m, login: chatgpt }", "login: is for `chatgpt` alone: remove it"],
    ];
    for (const [entry, problem] of cases) assert.deepEqual(problemsOf(entry), [problem]);
  });
});
