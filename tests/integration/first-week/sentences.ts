/**
 * What is said in the first week, in one place. Markdown; `<...>` stands for one word that differs from run to run. Telegram shows
 * no backticks.
 */
export const sentences = {
  proven: "Hello! This is the way there and back: Talaria is set up.",
  started: `Hi! I'm Talaria. Write to me, and I'll answer. I can use commands and files and web pages.

You're an owner: you decide what others may not. \`/sethome\` has me ask you here, \`/people\` shows who may talk to me, and \`/help\` lists all commands.`,
  home: "I'll ask you here what only an owner may decide, wherever it comes from. `/sethome off` ends it.",

  code: "Hi! I only talk to people my owner has let in. I've asked them. If they ask for a code, send them this one within 10 minutes: `<code>`",
  wantsIn: `\`<id>\` on Telegram wants to talk to me. The name they chose: “\`Zoe\`”.

Tap a button, or write \`/people add <n>\`, \`/people ignore <n>\` or \`/people block <n>\`.`,
  letIn: "You're in. I'm answering what you wrote.",
  group: `“\`Zoe\`” (\`<id>\`) wrote in “\`Kitchen\`” (\`<id>\`) on \`telegram-main\`, a group I don't know. I answer nobody there until an owner lets the group in.

Tap a button, or write \`/people add <n>\`, \`/people ignore <n>\` or \`/people leave <n>\`.`,
  noAccess: "You no longer have access. Please ask the person who runs me.",

  keyRefused:
    "I can't answer right now: my access to the language model was refused. As an owner, run `talaria status` where I run: it names the model and what to do.",
  noCredit:
    "I can't answer right now: the credit for my language model is used up. Please tell the person who runs me.",
  retrying: "Trying again.",
  nobodyIsAnswered: (line: string) => `People get no answers from me. ${line}

I'll say when it is over. \`talaria status\`, where I run, shows all that is known.`,
  diskFull: `People get no answers from me: the disk of my database is full. Make room on it; I go on by myself then.

I'll say when it is over.`,
  diskHasRoom:
    "It's over: my database takes messages again. It took none for <n> <unit>, since <clock>. I now read what the platforms have kept meanwhile.",
  modelAnswers: "It's over: model main answers again.",
  accountConnects: "It's over: account telegram-main is connected again.",
} as const;

/** Lines of `talaria status`, behind `PROBLEM`. */
export const problems = {
  key: "model main: its provider refuses the key or login, since <time> (1 request failed): put a working one there with `talaria secret set model-main-apiKey`; it is in use within seconds",
  credit:
    "model main: its credit or quota is used up, since <time> (1 request failed): add credit at the provider, or name another model in models.main.fallbacks or agent.model",
  disk: "the database takes no messages, the disk of the database is full: free space there, and messages are taken again",
  token:
    "account telegram-main (telegram) is refused, unauthorized: Telegram refuses the bot token. Ask @BotFather for a valid one and set it as `token`: put it there with `talaria secret set telegram-main-token`; it is in use within seconds",
} as const;

/** The same as owners read it at home. */
export const troubles = {
  key: "Model main: its provider refuses the key or login, since <clock> (1 request failed). Put a working one there with `talaria secret set model-main-apiKey`; it is in use within seconds.",
  credit:
    "Model main: its credit or quota is used up, since <clock> (1 request failed). Add credit at the provider, or name another model in models.main.fallbacks or agent.model.",
  token:
    "Account telegram-main (telegram) is refused, unauthorized. Telegram refuses the bot token. Ask @BotFather for a valid one and set it as `token`: put it there with `talaria secret set telegram-main-token`; it is in use within seconds.",
} as const;

/** Whether `text` is `sentence`, word for word. */
export function isSaid(sentence: string, text: string): boolean {
  return patternOf(sentence).test(text);
}

/** The whole lines of `text` that are said. */
export function linesLike(sentence: string, text: string): readonly string[] {
  return text.split("\n").filter((line) => isSaid(sentence, line));
}

/** What Telegram shows of a text without links and headings. */
export function plain(sentence: string): string {
  return sentence.replaceAll("`", "");
}

/** As `talaria status` says when something began, today or on another day. */
const clock = "(?:\\d+ \\w+ )?\\d\\d:\\d\\d UTC";

function patternOf(sentence: string): RegExp {
  const parts = sentence.split(/(<\w+>)/).map((part) => {
    if (part === "<clock>") return clock;
    return /^<\w+>$/.test(part) ? "[^\\s`,]+" : part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`);
}
