// The server of the models, outside of the platform: it counts for itself what it was asked.
import { type FakeServer, startFakeServer } from '@anabranch/language-model/testing';

type Behaviour = NonNullable<NonNullable<Parameters<FakeServer['follow']>[0]['rules']>[number]>['behaviour'];
export type Call = ReturnType<FakeServer['calls']>[number];

export interface ModelStub {
  readonly env: Record<string, string>;
  /** Does this to calls about documents that hold the text, until the function that it returns is called. */
  when(contains: string, behaviour: Behaviour): () => void;
  /** Does this to every call that no rule is about. */
  always(behaviour: Behaviour): void;
  calls(): readonly Call[];
  /** Of calls since then, those with the same idempotency key, by key. */
  callsByKey(from?: number): Map<string, Call[]>;
  close(): Promise<void>;
}

export const startModelStub = async (analyses: readonly string[]): Promise<ModelStub> => {
  const server = await startFakeServer();
  const rules: { contains: string; behaviour: Behaviour }[] = [];
  let always: Behaviour = { kind: 'answer', delayMs: 0 };
  const follow = (): void => server.follow({ always, rules });
  const engines = analyses.map((name) => [`ANABRANCH_${name.toUpperCase().replaceAll('-', '_')}_ENGINE`, 'model']);
  return {
    env: {
      ANABRANCH_MODEL_BASE_URL: server.baseUrl,
      ANABRANCH_MODEL: 'stub',
      ANABRANCH_MODEL_PROVIDER: 'stub',
      // A call that a spec holds back is not given up, however slow the machine is.
      ANABRANCH_MODEL_TIMEOUT_MS: '290000',
      ...(Object.fromEntries(engines) as Record<string, string>),
    },
    when(contains, behaviour) {
      const rule = { contains, behaviour };
      rules.push(rule);
      follow();
      return () => {
        rules.splice(rules.indexOf(rule), 1);
        follow();
      };
    },
    always(behaviour) {
      always = behaviour;
      follow();
    },
    calls: () => server.calls(),
    callsByKey: (from = 0) => Map.groupBy(server.calls().slice(from), ({ idempotencyKey }) => idempotencyKey),
    close: () => server.close(),
  };
};
