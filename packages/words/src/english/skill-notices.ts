/** What owners read at home of skills. Markdown, with `{name}` and `{version}` for what the database knows. */
export const skillNews = {
  learnt:
    "I have learnt a skill: `{name}`. I use it only where I learnt it, as words of a stranger.\n\nWhere I run, `talaria skills show {name} {version}` shows it, `talaria skills accept {name} {version}` makes it known everywhere, and `talaria skills remove {name}` forgets it.",
  setAside:
    "I have set the skill `{name}` aside, since its last two uses have failed: I use it no more.\n\nWhere I run, `talaria skills restore {name}` brings it back.",
  archived:
    "I have put the skill `{name}` into the archive, since nobody has used it for 60 days.\n\nWhere I run, `talaria skills restore {name}` brings it back.",
} as const;
