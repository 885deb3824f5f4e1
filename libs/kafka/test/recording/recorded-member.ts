// A member of a group in a process of its own, which writes down on standard output, as JSON lines, all that happens to it. A
// record says by its value what its handler does: how many milliseconds it takes, and how it ends.
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/clock.js';
import type { KafkaConfig } from '../../src/index.js';
import { KafkajsBroker } from '../../src/kafkajs/broker-port.js';
import { silentLogger } from '../../src/logger.js';
import { createMemberRuntime, memberSettings, type MemberOptions } from './member-runtime.js';
import { Recorder } from './recorder.js';

interface MemberArguments {
  readonly config: KafkaConfig;
  readonly topic: string;
  readonly group: string;
  readonly seed: number;
}

const { config, topic, group, seed } = JSON.parse(process.argv[2] ?? '') as MemberArguments;
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const handling: Pick<MemberOptions, 'handle' | 'bury'> = {
  handle: async ({ value }, attempt, signal) => {
    const [ms, how = 'done'] = String(value).split(' ');
    try {
      await delay(Number(ms), undefined, { signal });
    } catch {
      return 'aborted';
    }
    if (how === 'poison') return 'poison';
    return how === 'later' && attempt === 1 ? 'later' : 'done';
  },
  bury: () => delay(5),
};

const recorder = new Recorder((event) => say({ event }));
const settings = { ...memberSettings, config, group, topics: [topic] };
const broker = new KafkajsBroker({ ...settings, clock: systemClock, log: silentLogger });
const runtime = createMemberRuntime({
  seed,
  broker: recorder.broker(broker),
  clock: recorder.clock,
  ...recorder.handling(handling),
});
process.once('SIGTERM', () => {
  const deadlineMs = 5_000;
  recorder.take({ in: 'stop', deadlineMs }, () => {
    void runtime.stop(deadlineMs).then(() => process.exit(0));
  });
});
createInterface(process.stdin).on('line', (command) => {
  // All that follows from what has happened is written down by then.
  if (command === 'die') setImmediate(() => process.kill(process.pid, 'SIGKILL'));
});
await runtime.start();
say({ msg: 'joined' });
