/** What adapters say themselves, to one person alone. Plain text. */
export const platformNotices = {
  buttonNotForYou: "This button isn't for you.",
  commandNotForYou: "This command isn't for you.",
  answeredAlready: (label?: string) =>
    `This was answered already${label === undefined || label === "" ? "." : `: ${label}`}`,
  promptsTitle: "How can I help?",
  prompts: {
    abilities: { title: "What can you do?", message: "What can you do for me?" },
    explain: { title: "Explain something", message: "Explain something to me. Ask me first what it is." },
    writing: {
      title: "Draft a message",
      message: "Help me draft a message. Ask me first who it's for and what it should say.",
    },
  },
} as const;
