// The model that services of a bench ask: it answers from the schema, at once or as slowly as it is told, and keeps its own
// log of calls, since the product's account of them is what is checked.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { slowDelayMs } from '../../libs/language-model/dist/testing/slow-delay.js';
import { answerFor } from '../../libs/language-model/dist/testing/schema-answer.js';

const { folder, slow, isKilled } = JSON.parse(process.env.BENCH_STUB);
const logEveryMs = 250;
/** Stands in every document of the bench, so that what is quoted is found. */
const known = 'The committee approved the budget and thanked the team for its excellent work on the difficult project.';
const answers = new WeakMap();
let calls = [];
let writing;

function answerTo(schema) {
  const text = answers.get(schema) ?? JSON.stringify(answerFor(schema, known));
  answers.set(schema, text);
  return text;
}

function write() {
  writing = undefined;
  const lines = calls.map((call) => `${call}\n`).join('');
  calls = [];
  appendFileSync(join(folder, `${process.pid}.log`), lines);
}

function noteCall(analysis, key, ms) {
  calls.push(`${analysis} ${key} ${ms} ${Date.now()}`);
  // Who is killed writes nothing later.
  if (isKilled) write();
  else writing ??= setTimeout(write, logEveryMs);
}

/** In the place of the model behind HTTP. */
export function createOpenAiCompatibleModel() {
  return {
    async generateObject({ schema }, { signal, idempotencyKey }) {
      const ms = slow === null ? 0 : Math.round(slowDelayMs(slow, idempotencyKey));
      noteCall(schema.name, idempotencyKey, ms);
      if (ms > 0) await delay(ms, undefined, { signal });
      const usage = { inputTokens: 600, outputTokens: 40, cachedInputTokens: 0 };
      return { text: answerTo(schema.jsonSchema), finishReason: 'stop', usage, providerRequestId: null, latencyMs: ms };
    },
  };
}

let withoutGate = 0;

/** In the place of the calls through the ledger, for the measure without the gate. */
export function createLedgeredCalls(_ledger, model) {
  return {
    ask: async (request, { signal }) => {
      const idempotencyKey = `${process.pid}-${withoutGate++}`;
      return { reply: await model.generateObject(request, { signal, idempotencyKey }), purchase: 'BOUGHT' };
    },
  };
}
