import { z } from "zod";
import { commandSecretsSchema } from "./command-secret-schema.ts";
import { e2bSchema } from "./e2b-schema.ts";
import { modalSchema } from "./modal-schema.ts";
import { networkPresets } from "./network-presets.ts";
import { sshSchema } from "./ssh-schema.ts";

const hostForm = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/;

const limitsSchema = z.strictObject({
  memoryMb: z.int().min(16).default(1_024).describe("Memory of one command."),
  processes: z.int().min(8).default(256).describe("Processes and threads of one command."),
  seconds: z.int().min(1).default(600).describe("The longest time for which one command is waited for."),
  quotaMb: z.int().min(1).default(1_024).describe("Files of one conversation."),
  background: z.int().min(0).max(100).default(8).describe("Background processes of one conversation at a time."),
});

const authorPart = (example: string) =>
  z
    .string()
    .regex(/^[^\p{Cc}<>]{1,100}$/u, `must be 1 to 100 characters on one line, without < and >, such as ${example}`);

const personForm = /^[a-z][a-z0-9-]*:user:\S/;

/** As whom `git commit` signs. */
const authorSchema = z.strictObject({
  name: authorPart("`Ada`").describe("Name in commits."),
  email: authorPart("`ada@example.org`").describe("Address in commits."),
});

/** Where the agent's commands run and its files lie. */
export const sandboxSchema = z
  .strictObject({
    backend: z
      .enum(["sandbox", "docker", "ssh", "e2b", "modal", "local", "off"])
      .default("sandbox")
      .describe(
        "`sandbox`: bubblewrap on this machine (Linux). `docker`: containers. `ssh`: another machine. `e2b`: virtual machines of E2B (experimental). `modal`: sandboxes of Modal (experimental). `local`: no boundary at all. `off`: the agent has no commands and files.",
      ),
    folder: z
      .string()
      .regex(/^\//, "must be an absolute path")
      .optional()
      .describe(
        "Folder for the files of conversations. Default: `workspaces` in the data folder; for root, whose commands run as another account that can't enter the data folder, one of this installation's own below `/var/lib/talaria-work`. For `ssh` required, and a folder of the other machine; for `e2b` a folder in the virtual machine, by default `/home/user/talaria`; for `modal` one in the sandbox, by default `/mnt/talaria`.",
      ),
    unsafe: z.literal(true).optional().describe("Required for `local`: commands read and change what the worker can."),
    network: z
      .array(
        z.string().regex(hostForm, "must be a host name such as `example.org`, `*.example.org` or `example.org:443`"),
      )
      .max(200)
      .default([])
      .describe(
        `Hosts that commands which name them reach without a question (\`sandbox\` only), and groups of such: ${Object.keys(
          networkPresets,
        )
          .map((name) => `\`${name}\``)
          .join(", ")}. Default: none, so that each is asked about.`,
      ),
    secrets: commandSecretsSchema
      .default({})
      .describe(
        "Secrets that `web_fetch`, tools of your own and, with `sandbox`, commands use without seeing them, each with a name: docs/tools.md.",
      ),
    author: authorSchema
      .optional()
      .describe("Author of commits that the agent makes, unless a repository names one. Default: the agent's name."),
    authors: z
      .record(z.string(), authorSchema)
      .superRefine((authors, context) => {
        for (const id of Object.keys(authors).filter((one) => !personForm.test(one)))
          context.addIssue({
            code: "custom",
            path: [id],
            message: "must be named by an id such as `telegram:user:123456`, which `/whoami` tells",
          });
      })
      .default({})
      .describe(
        "Who is the author of commits that the agent makes for one person alone, by their id, such as `telegram:user:123456`. The agent is the committer.",
      ),
    image: z.string().min(1).optional().describe("Container image, required for `docker`. It is never pulled."),
    socket: z.string().min(1).optional().describe("Docker's socket. Default: `/var/run/docker.sock`."),
    ssh: sshSchema.optional().describe("The machine for `ssh`."),
    e2b: e2bSchema.optional().describe("The account for `e2b`."),
    modal: modalSchema.optional().describe("The account for `modal`."),
    limits: limitsSchema.prefault({}),
  })
  .superRefine(({ backend, folder, unsafe, network, image, ssh, e2b, modal }, context) => {
    const complain = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
    if (backend === "local" && unsafe !== true)
      complain("unsafe", "must be `true` for `local`, where nothing keeps a command from this machine");
    if (backend === "docker" && image === undefined) complain("image", "is required for `docker`");
    for (const [name, account, fields] of [
      ["ssh", ssh, "`host`, `user`, `key` and `hostKey`"],
      ["e2b", e2b, "`apiKey`"],
      ["modal", modal, "`tokenId` and `tokenSecret`"],
    ] as const) {
      if (backend === name && account === undefined)
        complain(name, `is required for \`${name}\`: a mapping with ${fields}`);
      if (backend !== name && account !== undefined)
        complain(name, `goes with \`backend: ${name}\` alone: commands would run elsewhere`);
    }
    if (backend === "ssh" && folder === undefined)
      complain("folder", "is required for `ssh`: an absolute path on the other machine, which its account may create");
    if (backend !== "sandbox" && network.length > 0) complain("network", "goes with `backend: sandbox` alone");
  });
