// What every part of the bench works with: topics, groups, processes, and the state of the machine meanwhile.
import { randomUUID } from 'node:crypto';
import { Child, killChildren } from './child.mjs';

/**
 * @param {{ brokers: string[], registryUrl: string, scale: number, pairs: number, match: RegExp }} options
 */
export function createContext({ brokers, registryUrl, scale, pairs, match }) {
  const feeder = new Child('feeder.mjs');

  /** Makes a topic of a cell's own, and fills it. */
  async function topic({ records, keys, partitions = 8, textBytes = 100, hotKeys = [] }) {
    const config = { brokers, registryUrl, clientId: 'bench', topicPrefix: `bench-${randomUUID().slice(0, 8)}.` };
    await feeder.call('create', { config, partitions });
    await feeder.call('fill', { config, records, keys, textBytes, hotKeys });
    const more = hotKeys.reduce((sum, hot) => sum + hot.records, 0);
    return { config, keys, partitions, records: records + more };
  }

  /** Lets a member consume a topic, as a new group. What it commits is asked by another process. */
  async function consume(member, filled, options) {
    const group = newGroup();
    const figures = await member.call('consume', { ...filled, group, ...options });
    if (options.cutAfterMs !== undefined) return figures;
    const committed = await feeder.call('committed', { config: filled.config, group });
    const missing = committed === filled.records ? [] : [`${committed} of ${filled.records} offsets are committed`];
    return { ...figures, violations: [...figures.violations, ...missing] };
  }

  return {
    feeder,
    pairs,
    /** A count of records, or of anything else, at the scale of this run. */
    scaled: (count, least = 1) => Math.max(least, Math.round(count * scale)),
    /** Whether this run is to measure what has that name. */
    isWanted: (name) => match.test(name),
    topic,
    consume,
    newGroup,
    newMember: () => new Child('member.mjs'),
    close: killChildren,
  };
}

const newGroup = () => `bench-${randomUUID().slice(0, 8)}`;
