import { echo, type ModelRequest, type ModelScript, type Respond } from "@talaria/testkit";

interface Rule {
  readonly words: string;
  readonly scripts: ModelScript[];
}

/**
 * What a model answers in a test with many conversations: a rule serves the requests whose last user text contains its
 * words, one script each, the newest rule first. Every other request is echoed.
 */
export class ModelPlan {
  readonly #rules: Rule[] = [];

  answer(words: string, ...scripts: readonly ModelScript[]): void {
    this.#rules.unshift({ words, scripts: [...scripts] });
  }

  readonly respond: Respond = (request: ModelRequest) => {
    const rule = this.#rules.find(({ words, scripts }) => scripts.length > 0 && request.lastUserText.includes(words));
    return rule?.scripts.shift() ?? echo(request);
  };
}
