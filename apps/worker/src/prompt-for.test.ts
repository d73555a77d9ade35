import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { UserEntry } from "@talaria/agent";
import { defaultConfig } from "@talaria/config";
import { brandAs, type Conversation, instantOf, type Role, type Sender } from "@talaria/protocol";
import { carefulCapabilities } from "./account-capabilities.ts";
import { createPromptFor } from "./prompt-for.ts";

const { config } = defaultConfig({});
const state = { isUsable: true, backend: "sandbox", description: "", reasons: [], programs: ["bash 5.2.15"] };

const broken = {
  ...{ isUsable: false, backend: "sandbox", description: "", reasons: ["bwrap is missing"] },
  remedy: { kind: "command", text: "mend it" } as const,
};

/** What the prompt says, and how often the sandbox was asked whether it works. */
async function promptOf(
  { kind = "direct", platform = "telegram" }: Partial<Conversation>,
  sender: Partial<Sender> & { readonly as: Role },
  settings: { readonly isUsable?: boolean; readonly sandbox?: Partial<typeof config.sandbox> } = {},
) {
  let asked = 0;
  const promptFor = createPromptFor({
    config: { ...config, sandbox: { ...config.sandbox, ...settings.sandbox } },
    workspaces: {
      usable: async () => {
        asked += 1;
        return settings.isUsable ?? true;
      },
      state: settings.isUsable === false ? broken : state,
    },
    capabilitiesOf: async () => carefulCapabilities,
    hintOf: async () => undefined,
    firstInstructions: async () => "",
  });
  const { as: role, ...more } = sender;
  const who: Sender = { userId: brandAs("1"), role: "person", displayName: "Ada", assurance: "platform", ...more };
  const said: UserEntry = {
    ...{ kind: "user", eventId: brandAs("e"), sender: who, role, markdown: "hi", attachments: [], at: instantOf(0) },
  };
  const conversation = {
    accountId: brandAs<Conversation["accountId"]>("a"),
    conversationId: brandAs<Conversation["conversationId"]>("1"),
    kind,
    platform,
  };
  return { prompt: await promptFor(brandAs("a/1"), conversation, conversation, [said], who), asked };
}

describe("the prompt of a session", () => {
  it("describes the workspace to those who may have one, in private", async () => {
    for (const role of ["owner", "member"] as const) {
      const { prompt } = await promptOf({}, { as: role });
      assert.match(prompt, /Your files and commands are in a folder that[\s\S]*Installed: bash 5\.2\.15\./);
    }
  });

  it("tries no sandbox for those who get nothing of it", async () => {
    const guest = await promptOf({}, { as: "guest" });
    assert.match(guest.prompt, /You have no workspace here/);
    const group = await promptOf({ kind: "group" }, { as: "owner" });
    assert.match(group.prompt, /belongs in a private conversation/);
    assert.deepEqual([guest.asked, group.asked], [0, 0]);
  });

  it("says that there is no workspace where the sandbox can't be used: why to an owner alone", async () => {
    const of = async (as: Role, sandbox: Partial<typeof config.sandbox> = {}) =>
      (await promptOf({}, { as }, { isUsable: false, sandbox })).prompt;
    assert.match(
      await of("owner"),
      /You have no workspace here.*on the server:\n\n<untrusted>\nbwrap is missing; run: mend it\n/,
    );
    const member = await of("member");
    assert.match(member, /You have no workspace here.*an owner can mend it/);
    assert.doesNotMatch(member, /bwrap/);
    const unmended = [await of("guest"), await of("owner", { backend: "off" })];
    for (const prompt of unmended) assert.doesNotMatch(prompt, /on this machine|mend/);
  });

  it("describes it to a webhook's route that may run commands", async () => {
    const mandate = { owner: "telegram:user:1", toolsets: ["terminal"] };
    const route = { role: "system", assurance: "signed", mandate, as: "owner" } as const;
    assert.match((await promptOf({ platform: "webhook" }, route)).prompt, /Your files and commands/);
    const talks = { ...route, mandate: { ...mandate, toolsets: ["web"] } };
    assert.doesNotMatch((await promptOf({ platform: "webhook" }, talks)).prompt, /Your files and commands/);
  });

  it("tells which network the backend has", async () => {
    const of = async (sandbox: Partial<typeof config.sandbox>) =>
      (await promptOf({}, { as: "owner" }, { sandbox })).prompt;
    assert.match(await of({}), /no network: [^.]*\. If your work needs a host/);
    assert.match(await of({ network: ["pypi.org"] }), /only these hosts: pypi\.org\./);
    const docker = await of({ backend: "docker" });
    assert.match(docker, /Commands have no network/);
    assert.doesNotMatch(docker, /sandbox\.network/);
    assert.match(await of({ backend: "ssh" }), /Commands have network access/);
  });
});
