import { registerHooks } from "node:module";

// zod includes its messages in fifty languages, some 4 MB in every process. Nothing here shows them.
registerHooks({
  resolve(specifier, context, next) {
    const isZod = specifier === "../locales/index.js" && context.parentURL?.includes("/node_modules/zod/") === true;
    return isZod ? { url: "data:text/javascript,", shortCircuit: true } : next(specifier, context);
  },
});
