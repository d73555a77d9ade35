import { tokenizer } from "@speed-highlight/core/tokenize";

/** Answers `{ code, language }` with the code in pieces: `[text, type]`, where words without a meaning have no type. */
addEventListener("message", async ({ data: { code, language } }) => {
  const pieces = [];
  const reading = tokenizer(code, language, (text, type) => {
    if (text !== "") pieces.push([text, type]);
  });
  for (let step = reading.next(); !step.done; ) step = reading.next(await grammarOf(step.value));
  postMessage(pieces);
});

async function grammarOf(language) {
  return (await import(`./vendor/languages/${language}.js`)).default;
}
