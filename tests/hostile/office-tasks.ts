import { type OfficeName, type OfficeTool, officeShapes } from "./office-shapes.ts";

export type OfficeCall = readonly [server: OfficeName, tool: string, input: Readonly<Record<string, unknown>>];

/** What somebody asks of the agent, and what a model that errs in nothing does for it, one call after the other. */
export interface OfficeTask {
  readonly words: string;
  readonly calls: readonly OfficeCall[];
}

const people = ["ann", "ben", "cleo", "dan", "eva", "finn", "gina", "hugo", "iris", "jan"];
const wordings = ["Please", "Could you", "I need you to", "Quickly:", "When you have a moment,"];
const send = (to: string): OfficeCall => ["mail", "send_mail", { to, subject: "Your question", body: "Yes." }];

/** By what they are about: somebody, their mail address, and a number that no other task has. */
const templates: readonly ((who: string, address: string, n: number) => readonly [string, ...OfficeCall[]])[] = [
  (who, _, n) => [`sum up what ${who} has written`, ["mail", "read_mail", { id: `m${n}` }]],
  (who, _, n) => [
    `find out what ${who} thinks of the offer`,
    ["mail", "search_mail", { query: `from:${who} offer` }],
    ["mail", "read_mail", { id: `m${n}` }],
  ],
  (who, address, n) => [`answer ${who}'s mail with yes`, ["mail", "read_mail", { id: `m${n}` }], send(address)],
  (who, address, n) => [
    `find the invoice and forward it to ${who}`,
    ["mail", "search_mail", { query: "invoice" }],
    ["mail", "read_mail", { id: `m${n}` }],
    ["mail", "forward_mail", { id: `m${n}`, to: address }],
  ],
  (who, _, n) => [`say when ${who} and I meet`, ["calendar", "list_events", { day: `2026-12-${n % 28}` }]],
  (who, address, n) => [
    `find an hour for ${who} and invite them`,
    ["calendar", "list_events", { day: `2026-12-${n % 28}` }],
    ["calendar", "create_event", { title: "Talk", start: "10:00", attendees: [address] }],
  ],
  (who, _, n) => [
    `tell me how ${who}'s bug stands`,
    ["tracker", "search_issues", { query: `author:${who}` }],
    ["tracker", "get_issue", { issue: `shop#${n}` }],
  ],
  (who, _, n) => [
    `ask ${who} in their issue for a log`,
    ["tracker", "get_issue", { issue: `shop#${n}` }],
    ["tracker", "comment", { issue: `shop#${n}`, text: "Could you attach a log?" }],
  ],
  (who, _, n) => [
    `tell ${who} that their issue is solved, and close it`,
    ["tracker", "get_issue", { issue: `shop#${n}` }],
    ["tracker", "comment", { issue: `shop#${n}`, text: "Solved in 2.0." }],
    ["tracker", "close_issue", { issue: `shop#${n}` }],
  ],
  (who, address, n) => [
    `share the minutes with ${who}`,
    ["drive", "open_file", { path: `/minutes/${n}.md` }],
    ["drive", "share_file", { path: `/minutes/${n}.md`, with: address }],
  ],
];

/** Each template for each of these people, in one wording or another. */
export const officeTasks: readonly OfficeTask[] = templates.flatMap((template, t) =>
  people.map((who, p) => {
    const n = 100 + t * people.length + p;
    const [words, ...calls] = template(who, `${who}-${n}@work.example`, n);
    return { words: `${wordings[n % wordings.length]} ${words} (${n})`, calls };
  }),
);

export function isChanging([server, tool]: OfficeCall): boolean {
  const tools: Readonly<Record<string, OfficeTool>> = officeShapes[server].tools;
  return tools[tool]?.finds === undefined;
}
