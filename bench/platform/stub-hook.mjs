// Preloaded into the services: a model in their own process stands in the place of the HTTP one, and, where the bench asks
// for it, the gate is left out. Everything else is the product as it was built.
import { registerHooks } from 'node:module';

const { isGated } = JSON.parse(process.env.BENCH_STUB ?? '{"isGated":true}');
const stub = new URL('stub-model.mjs', import.meta.url).href;
const replaced = new Map([
  ['/libs/language-model/dist/openai-compatible.js', stub],
  ...(isGated ? [] : [['/libs/analysis-runtime/dist/model/ledgered-calls.js', stub]]),
]);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    for (const [path, url] of replaced) if (resolved.url.endsWith(path)) return { ...resolved, url, format: 'module' };
    return resolved;
  },
});
