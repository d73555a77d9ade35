import type { ToolWords } from "@talaria/protocol";

type Headline = ToolWords["headline"];
/** A name that others chose, or an address. */
type Given = Exclude<Headline[number], string>;

/** What a call does, for whoever is asked whether it may: goes into `callPhrases.mayI`. */
export const callHeadlines = {
  sendMessage: (to: Given): Headline => ["send this message to ", to],
  sendFile: (name?: Given): Headline => (name === undefined ? ["send a file here"] : ["send this file here: ", name]),
  readFile: (path: Given): Headline => ["read the file ", path],
  searchFiles: (path: Given): Headline => ["search the files in ", path],
  writeFile: (path: Given): Headline => ["write the file ", path, ", in place of what may be there"],
  changeFile: (path: Given): Headline => ["change the file ", path],
  runCommand: (secrets: readonly Given[]): Headline => ["run this command", ...withSecrets(secrets)],
  runCode: (language: "JavaScript" | "Python", secrets: readonly Given[]): Headline => [
    `run this ${language} code`,
    ...withSecrets(secrets),
  ],
  startProcess: (): Headline => ["start this command in the background"],
  writeToProcess: (id: Given): Headline => ["write this to the process ", id],
  endProcess: (id: Given): Headline => ["end the process ", id],
  readProcess: (id: Given): Headline => ["read what the process ", id, " prints"],
  lookAfterProcesses: (): Headline => ["look after the processes in the background"],
  searchWeb: (query: Given): Headline => ["search the web for ", query],
  read: (address: Given, secrets: readonly Given[] = []): Headline => ["read ", address, ...withSecrets(secrets)],
  openInBrowser: (address: Given): Headline => ["open ", address, " in the browser"],
  readInBrowser: (address: Given): Headline => ["read ", address, " in the browser"],
  takePicture: (address: Given): Headline => ["take a picture of ", address],
  click: (element: Given, address: Given): Headline => ["click ", element, " on ", address],
  typeInto: (element: Given, address: Given): Headline => ["type this into ", element, " on ", address],
  makePicture: (): Headline => ["have a picture made"],
  speak: (): Headline => ["have this said as speech"],
  transcribe: (id: Given): Headline => ["have the recording ", id, " written down"],
  readAttachment: (id: Given): Headline => ["read the file ", id],
  lookAtClock: (): Headline => ["look at the clock"],
  findConversations: (name?: Given): Headline =>
    name === undefined ? ["list conversations"] : ["look for conversations named ", name],
  searchConversations: (query: Given): Headline => ["search what was said before for ", query],
  remember: (): Headline => ["remember this"],
  forget: (numbers: readonly Given[]): Headline => ["forget what I know under ", ...listed(numbers)],
  replaceMemory: (numbers: readonly Given[]): Headline => [
    "put this in the place of what I know under ",
    ...listed(numbers),
  ],
  recall: (): Headline => ["look at what I remember"],
  readSkill: (name: Given): Headline => ["read the skill ", name],
  writeSkill: (name: Given): Headline => ["keep how this is done as the skill ", name],
  ask: (): Headline => ["ask this"],
  useServerTool: (tool: Given, server: Given): Headline => ["use ", tool, " of the MCP server ", server],
} as const;

function withSecrets(names: readonly Given[]): Headline {
  if (names.length === 0) return [];
  return [names.length === 1 ? " with the secret " : " with the secrets ", ...listed(names)];
}

function listed(names: readonly Given[]): Headline {
  return names.flatMap((name, n) => (n === 0 ? [name] : [", ", name]));
}
