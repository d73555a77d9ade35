/** Why somebody is asked whether a call may run. Markdown; names are ready to be shown. */
export const reasons = {
  /** `named`: what the model has read, as below. `keeps`: nothing goes out, but something would be kept. */
  hasRead: (named: readonly string[], more: number, keeps: boolean) =>
    `I've read what others may have written: ${listed(named, more)}. It could be meant to steer me, so somebody has to agree ${before(keeps)}.`,
  /** Tools of these MCP servers are described by strangers. */
  wasTold: (servers: readonly string[], more: number, keeps: boolean) => {
    const [which, run] = servers.length + more === 1 ? ["the MCP server", "it"] : ["the MCP servers", "them"];
    return `My tools from ${which} ${listed(servers, more)} are described to me by whoever runs ${run}, and that could be meant to steer me. So somebody has to agree ${before(keeps)}.`;
  },
  /** How the operator of an MCP server spares themselves such questions. */
  ownServer: (origin: string) =>
    `If this MCP server is your own, \`${origin}\` in \`policy.trusted\` spares such questions.`,
  read: {
    wordsOf: (person: string) => `words of ${person}`,
    saidToOthers: (person: string) => `what ${person} said to others`,
    quoteOf: (person: string) => `a quote of ${person}`,
    webhook: "what came with a webhook",
    folder: "what a folder of the workspace says to agents",
    note: (name: string) => `a note (${name})`,
    earlier: "something earlier in this conversation",
    /** `file` is absent where nobody knows its name any more. */
    fileFrom: (file: string | undefined, person: string) => `${file ?? "a file"} from ${person}`,
    resultOf: (tool: string) => `a result of ${tool}`,
    pageOf: (host: string) => `a page of ${host}`,
    skill: (name: string) => `the skill ${name}`,
    unnamed: { audio: "a recording", file: "a file", image: "a picture", video: "a video" },
    somebody: "somebody",
  },
  /** Rules that count where the operator has none, by their ids without the role. The operator's own say why themselves. */
  rules: {
    "default.fs.read.2": "Files outside the workspace are read only for an owner who agrees.",
    "default.fs.write.2": "Files outside the workspace are changed only for an owner who agrees.",
    "default.exec.2": "A member's commands need an owner's approval.",
    "default.exec.3": "Commands with network need an owner who agrees.",
    "default.exec.4": "Commands outside the sandbox run only for an owner who agrees.",
    "default.exec.6": "A member's commands need an owner's approval.",
    "default.net.2": "A member agrees to what a guest reads from the network.",
    "default.net.3": "What is sent into the network needs somebody who agrees.",
    "default.net.4": "An owner has to agree before a command reaches a host.",
    "default.send.2": "A message to another conversation needs somebody who agrees.",
    "default.spend.1": "Spending money needs an owner who agrees.",
    "default.secret.1": "Using a secret needs an owner who agrees.",
    "default.none.2": "A tool that changes things without saying what needs an owner who agrees.",
  },
} as const;

function before(keeps: boolean): string {
  return keeps ? "before I keep anything" : "before anything goes out";
}

function listed(names: readonly string[], more: number): string {
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
