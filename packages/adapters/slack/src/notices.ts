/** Everything that people read and this package writes. Plain text. */
export const notices = {
  notForYou: "This button is not for you.",
  spent: (label?: string) => `This was answered already${label === undefined ? "." : `: ${label}`}`,
  /** Stands above the prompts that are offered in a new assistant thread. */
  promptsTitle: "How can I help?",
  /** At most four, since Slack takes no more: what the button says, and the message that it sends in the person's name. */
  prompts: [
    { title: "What can you do?", message: "What can you do for me?" },
    { title: "Explain something", message: "Explain something to me. Ask me first what it is." },
    {
      title: "Draft a message",
      message: "Help me draft a message. Ask me first who it is for and what it should say.",
    },
  ],
} as const;
