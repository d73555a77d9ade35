/** How a server says that a request is too long for its model, and where it names the window. */
interface Wording {
  readonly words: RegExp;
  readonly source: string;
}

/**
 * Lower case. `window`: the most tokens that the model takes. Checked against the messages of the sources; what several servers
 * say alike is there once. z.ai and Ollama may also cut a request in silence, which nobody can see here.
 */
const wordings: readonly Wording[] = [
  {
    words: /maximum context length is (?<window>[\d,]+) tokens/,
    source: "OpenAI, Azure, DeepSeek, OpenRouter, vLLM (vllm#20409, vllm#19464)",
  },
  { words: /exceeds? the context window/, source: "OpenAI Responses (openagent#2344)" },
  { words: /input tokens exceed the configured limit of (?<window>[\d,]+) tokens/, source: "OpenAI gpt-5 (archi#497)" },
  { words: /string too long\. expected a string with maximum length \d{7,}/, source: "OpenAI, one message alone" },
  { words: /prompt is too long: [\d,]+ tokens > (?<window>[\d,]+) maximum/, source: "Anthropic, Vertex" },
  { words: /prompt is too long: [\d,]+, model maximum context length: (?<window>[\d,]+)/, source: "Fireworks" },
  { words: /prompt is too long/, source: "Anthropic" },
  {
    words: /input length and `?max_tokens`? exceed context limit(: [\d,]+ \+ [\d,]+ > (?<window>[\d,]+))?/,
    source: "Anthropic, Bedrock (continue#6080, claude-code#408)",
  },
  {
    words: /input token count( \([\d,]+\))? exceeds the maximum number of tokens allowed( \((?<window>[\d,]+)\))?/,
    source: "Gemini API, Vertex AI",
  },
  { words: /input token count is [\d,]+ but (the )?model only supports up to (?<window>[\d,]+)/, source: "Vertex AI" },
  { words: /maximum prompt length is (?<window>[\d,]+) but the request contains/, source: "xAI (cline#3120)" },
  {
    words:
      /reduce the length of the messages or completion(\.? current length is [\d,]+ while limit is (?<window>[\d,]+))?/,
    source: "Groq, Cerebras",
  },
  { words: /prompt token count of [\d,]+ exceeds the limit of (?<window>[\d,]+)/, source: "GitHub Copilot" },
  { words: /exceeded model token limit(: (?<window>[\d,]+))?/, source: "Kimi, Moonshot" },
  {
    words: /range of input length should be \[\d+, ?(?<window>[\d,]+)\]/,
    source: "DashScope (qwen-code#3652), Xunfei",
  },
  {
    words: /input( \([\d,]+ tokens\))? is longer than the model'?s context length( \((?<window>[\d,]+) tokens\))?/,
    source: "Together, SGLang",
  },
  {
    words: /`?inputs`? tokens \+ `?max_new_tokens`? must be <= (?<window>[\d,]+)/,
    source: "Together (litellm#4934), Text Generation Inference",
  },
  { words: /`?inputs`? must have less than (?<window>[\d,]+) tokens/, source: "Text Generation Inference" },
  {
    words: /exceeds? (the )?(model'?s )?maximum context (length|limit)( of (?<window>[\d,]+) tokens)?/,
    source: "SGLang, LiteLLM",
  },
  {
    words:
      /input length( \([\d,]+ tokens\)| [\d,]+) exceeds the maximum (allowed )?(input )?length( of)? \(?(?<window>[\d,]+)/,
    source: "SGLang, Volcengine Ark (dify#32221), Poolside",
  },
  { words: /prompt \(length [\d,]+\) is longer than the maximum model length of (?<window>[\d,]+)/, source: "vLLM" },
  {
    words: /exceeds? the available context size( \((?<window>[\d,]+) tokens\))?/,
    source: "llama.cpp tools/server/server-context.cpp",
  },
  { words: /\bn_ctx (?<window>\d+)/, source: "llama.cpp, a field beside its message" },
  { words: /exceed context window of (?<window>[\d,]+)/, source: "llama-cpp-python (llama-cpp-python#120)" },
  { words: /loaded with context length of only (?<window>[\d,]+) tokens/, source: "LM Studio" },
  { words: /greater than the context length/, source: "LM Studio" },
  { words: /prompt too long; exceeded (max )?context length/, source: "Ollama" },
  { words: /input length exceeds the (maximum )?context length/, source: "Ollama" },
  { words: /configured context size is (?<window>[\d,]+) tokens/, source: "ds4" },
  { words: /too large for model with (?<window>[\d,]+) maximum context length/, source: "Mistral" },
  { words: /context window exceeds limit/, source: "MiniMax" },
  { words: /prompt exceeds max length/, source: "z.ai 1261 (zeroclaw#4124)" },
  { words: /too many input tokens\. max input tokens: (?<window>[\d,]+)/, source: "Bedrock" },
  { words: /input is too long for (the )?requested model/, source: "Bedrock" },
  { words: /too many tokens: (the )?total number of tokens/, source: "Cohere" },
  { words: /context[_ ](length|window|size|limit)[_ ](is |was |has been )?exceeded/, source: "codes" },
  {
    words:
      /model_context_window_exceeded|context_window_exceeded|prompt_tokens_exceeded|exceed_context_size|input_too_long|prompt_too_long/,
    source: "codes of z.ai, Copilot, llama.cpp",
  },
];

/** A server nobody has seen yet, when its words leave no doubt. */
const inOtherWords =
  /(exceed|too (long|large|big)|longer|larger|greater|overflow)[^.]{0,60}\b(context|prompt)[ _-]?(length|window|size|limit)|\b(context|prompt)[ _-]?(length|window|size|limit)[^.]{0,60}(exceed|too (small|short)|overflow)/;

/** How much may be asked in a time, or paid for: no window, however many tokens are named. */
const aboutRates =
  /rate[ _-]?limit|too many requests|throttl|quota|credits?\b|billing|\bper[ _-](second|minute|hour|day|month|min)\b|\b[rt]p[mdhs]\b|tokens_per/;

const smallestWindow = 256;
const largestWindow = 100_000_000;
const mostReadChars = 4_000;

/** Whether the words are about how much may be asked in a time. */
export function isAboutRates(words: string): boolean {
  return aboutRates.test(words.slice(0, mostReadChars).toLowerCase());
}

/** What the words say about the model's window; undefined when they are about something else. */
export function contextRefusal(words: string): { readonly windowTokens?: number } | undefined {
  const said = words.slice(0, mostReadChars).toLowerCase();
  if (aboutRates.test(said)) return undefined;
  const found = wordings.map(({ words: each }) => each.exec(said)).filter((match) => match !== null);
  if (found.length === 0 && !inOtherWords.test(said)) return undefined;
  const named = found.map(({ groups }) => windowOf(groups?.window)).find((tokens) => tokens !== undefined);
  return named === undefined ? {} : { windowTokens: named };
}

function windowOf(text: string | undefined): number | undefined {
  const tokens = Number(text?.replaceAll(",", "") ?? Number.NaN);
  return tokens >= smallestWindow && tokens <= largestWindow ? tokens : undefined;
}
