import { Fifo } from '../fifo.js';
import { Ring, RingPlace } from './ring.js';

/** Which of a tenant's records come first. */
export type Priority = 'HIGH' | 'NORMAL' | 'LOW';

/** Whose turn a queued item waits for. */
export interface Turn {
  readonly topic: string;
  /** The partition. */
  readonly lane: string;
  readonly tenant: string;
  readonly priority: Priority;
}

const ranks: Readonly<Record<Priority, number>> = { HIGH: 0, NORMAL: 1, LOW: 2 };

/** So often in a row may a tenant's higher priorities go before a lower one that waits. */
export const mostPassedOver = 8;

/** What is ready, and gives one at a time. */
interface Line<T> {
  readonly isEmpty: boolean;
  push(item: T, turn: Turn): void;
  shift(): T | undefined;
}

/**
 * Lines that take turns, whatever is in each. One that gave its last item is forgotten when the next one did, so that no
 * names pile up, and where one record after the other comes and goes nothing is made anew for each.
 */
class Rotation<T> implements Line<T> {
  private readonly places = new Map<string, RingPlace<Named<T>>>();
  private readonly ring = new Ring<Named<T>>();
  /** The last line that became empty: it has a place, and takes no turns. */
  private emptied: RingPlace<Named<T>> | undefined;

  constructor(
    private readonly nameOf: (turn: Turn) => string,
    private readonly createLine: () => Line<T>,
  ) {}

  get isEmpty(): boolean {
    return this.ring.turn === undefined;
  }

  push(item: T, turn: Turn): void {
    const name = this.nameOf(turn);
    const known = this.places.get(name);
    const place = known ?? new RingPlace({ name, line: this.createLine() });
    place.member.line.push(item, turn);
    if (known !== undefined && known !== this.emptied) return;
    if (known === undefined) this.places.set(name, place);
    else this.emptied = undefined;
    this.ring.append(place);
  }

  shift(): T | undefined {
    const place = this.ring.turn;
    if (place === undefined) return undefined;
    const { line } = place.member;
    const item = line.shift();
    if (line.isEmpty) this.retire(place);
    else this.ring.advance();
    return item;
  }

  drop(name: string): void {
    const place = this.places.get(name);
    if (place === undefined) return;
    this.places.delete(name);
    if (place === this.emptied) this.emptied = undefined;
    else this.ring.remove(place);
  }

  private retire(place: RingPlace<Named<T>>): void {
    this.ring.remove(place);
    if (this.emptied !== undefined) this.places.delete(this.emptied.member.name);
    this.emptied = place;
  }
}

interface Named<T> {
  readonly name: string;
  readonly line: Line<T>;
}

interface Level<T> {
  readonly rank: number;
  readonly items: Fifo<T>;
  passedOver: number;
}

/** One tenant's items: the highest priority first, unless a lower one was passed over too often. */
class PriorityLine<T> implements Line<T> {
  /** Those that were met, by rank. Nearly always it is one. */
  private readonly levels: (Level<T> | undefined)[] = [undefined, undefined, undefined];
  private only: Level<T> | undefined;
  private size = 0;

  get isEmpty(): boolean {
    return this.size === 0;
  }

  push(item: T, { priority }: Turn): void {
    const rank = ranks[priority];
    const level = this.levels[rank] ?? this.createLevel(rank);
    level.items.push(item);
    this.size++;
  }

  shift(): T | undefined {
    const next = this.only ?? this.choose();
    const item = next?.items.shift();
    if (item !== undefined) this.size--;
    return item;
  }

  private choose(): Level<T> | undefined {
    const waiting = this.levels.filter((level) => level !== undefined && level.items.size > 0) as Level<T>[];
    const chosen = waiting.findLast(({ passedOver }) => passedOver >= mostPassedOver) ?? waiting[0];
    if (chosen === undefined) return undefined;
    chosen.passedOver = 0;
    for (const level of waiting) if (level.rank > chosen.rank) level.passedOver++;
    return chosen;
  }

  private createLevel(rank: number): Level<T> {
    const level = { rank, items: new Fifo<T>(), passedOver: 0 };
    this.only = this.levels.some((other) => other !== undefined) ? undefined : level;
    this.levels[rank] = level;
    return level;
  }
}

interface TopicLine<T> {
  readonly topic: string;
  readonly lanes: Rotation<T>;
  maxInFlight: number;
  inFlight: number;
  /** Whether it takes part in the turns: it has something ready and a slot for it. */
  isListed: boolean;
}

type TopicPlace<T> = RingPlace<TopicLine<T>>;

/**
 * What is ready to start, and in which order: topics take turns, in each its partitions, in each of those the tenants; of
 * one tenant the priorities decide. A topic whose limit is reached is not asked until one of its items has ended.
 *
 * Invariants: with n tenants ready in a partition, each of them is served within n turns of that partition; a priority is
 * passed over at most {@link mostPassedOver} times in a row by higher ones. Constant time per item.
 */
export class Turns<T> {
  private readonly places = new Map<string, TopicPlace<T>>();
  private readonly ring = new Ring<TopicLine<T>>();
  /** Records of one topic come one after the other. */
  private latest: TopicPlace<T> | undefined;

  /** At most so many of the topic's items run at a time. */
  limit(topic: string, maxInFlight: number): void {
    const place = this.placeOf(topic);
    place.member.maxInFlight = maxInFlight;
    this.list(place);
  }

  push(item: T, turn: Turn): void {
    const place = this.placeOf(turn.topic);
    place.member.lanes.push(item, turn);
    this.list(place);
  }

  /** The next one; it takes one of its topic's slots. */
  shift(): T | undefined {
    const place = this.ring.turn;
    if (place === undefined) return undefined;
    const item = place.member.lanes.shift();
    place.member.inFlight++;
    this.ring.advance();
    this.list(place);
    return item;
  }

  hasSlot(topic: string): boolean {
    const { inFlight, maxInFlight } = this.placeOf(topic).member;
    return inFlight < maxInFlight;
  }

  /** An item takes a slot out of turn. */
  takeSlot(topic: string): void {
    const place = this.placeOf(topic);
    place.member.inFlight++;
    this.list(place);
  }

  freeSlot(topic: string): void {
    const place = this.placeOf(topic);
    place.member.inFlight--;
    this.list(place);
  }

  /** Forgets what is ready of a partition. */
  drop(lane: string): void {
    for (const place of this.places.values()) {
      place.member.lanes.drop(lane);
      this.list(place);
    }
  }

  /** Takes part in the turns, or does not. */
  private list(place: TopicPlace<T>): void {
    const { lanes, inFlight, maxInFlight } = place.member;
    const takesPart = !lanes.isEmpty && inFlight < maxInFlight;
    if (takesPart === place.member.isListed) return;
    place.member.isListed = takesPart;
    if (takesPart) this.ring.append(place);
    else this.ring.remove(place);
  }

  private placeOf(topic: string): TopicPlace<T> {
    if (this.latest?.member.topic === topic) return this.latest;
    const place = this.places.get(topic) ?? new RingPlace(createTopicLine<T>(topic));
    this.places.set(topic, place);
    this.latest = place;
    return place;
  }
}

function createTopicLine<T>(topic: string): TopicLine<T> {
  return { topic, lanes: createLanes<T>(), maxInFlight: Number.POSITIVE_INFINITY, inFlight: 0, isListed: false };
}

function createLanes<T>(): Rotation<T> {
  const createTenants = () => new Rotation<T>(({ tenant }) => tenant, createPriorities);
  const createPriorities = () => new PriorityLine<T>();
  return new Rotation<T>(({ lane }) => lane, createTenants);
}
