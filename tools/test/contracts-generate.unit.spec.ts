import { describe, expect, it } from '@jest/globals';
import { render } from '../contracts/generate.mjs';

/** A made-up topic of an analysis, small enough to see all that is generated. */
const topic = {
  name: 'analysis.mood.finished',
  settings: { description: "Mood's outcomes.", key: 'documentId', partitions: 8, retentionMs: 1, analysis: 'mood' },
  versions: [
    {
      version: 1,
      schema: {
        type: 'record',
        name: 'MoodFinished',
        namespace: 'anabranch.analysis.mood',
        doc: 'A mood.',
        fields: [
          { name: 'revision', type: 'long', sensitivity: 'internal', doc: 'Rises.' },
          {
            name: 'outcome',
            sensitivity: 'internal',
            doc: 'How it ended.',
            type: {
              type: 'record',
              name: 'MoodOutcome',
              fields: [
                {
                  name: 'result',
                  default: null,
                  sensitivity: 'confidential',
                  doc: 'The result.',
                  type: [
                    'null',
                    {
                      type: 'record',
                      name: 'MoodResult',
                      fields: [
                        {
                          name: 'moods',
                          sensitivity: 'confidential',
                          doc: 'All of them.',
                          type: { type: 'array', items: { type: 'enum', name: 'Mood', symbols: ['UNKNOWN', 'GLAD'] } },
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          },
          {
            name: 'at',
            type: { type: 'long', logicalType: 'timestamp-millis' },
            default: 0,
            sensitivity: 'internal',
            doc: 'When.',
          },
          {
            name: 'labels',
            type: { type: 'map', values: 'string' },
            default: {},
            sensitivity: 'public',
            doc: 'Labels.',
          },
        ],
      },
    },
  ],
};

const generated = (file: string): string => {
  const text = render([{ ...topic, settings: { ...topic.settings, producers: ['mood'], consumers: ['collection'] } }]);
  return text.get(`libs/contracts/src/generated/${file}.generated.ts`) ?? '';
};

describe('what is generated is pleasant to use', () => {
  const events = generated('events');

  it('docs become docs, with the unit and what is secret', () => {
    expect(events).toContain('/** When. Epoch milliseconds. */\n  at: number;');
    expect(events).toContain('/** The result. (confidential) */\n  result: MoodResult | null;');
  });

  it('enums are unions of their symbols', () => {
    expect(events).toContain("export type Mood = 'UNKNOWN' | 'GLAD';");
    expect(events).toContain('moods: Mood[];');
  });

  it('a reader finds every field; a producer may leave out what has a default, at any depth', () => {
    expect(events).toMatch(
      /export interface MoodFinished \{[^}]*outcome: MoodOutcome;[^}]*labels: Record<string, string>;/,
    );
    expect(events).toMatch(
      /export interface MoodFinishedInput \{[^}]*outcome: MoodOutcomeInput;[^}]*at\?: number;[^}]*labels\?:/,
    );
    expect(events).toContain('result?: MoodResult | null;');
    expect(events).not.toContain('MoodResultInput');
  });

  it('code that names no analysis has the common part, its result unknown', () => {
    expect(events).toMatch(/export interface Outcome \{[^}]*result: unknown;/);
    expect(events).toMatch(/export interface AnalysisFinished \{[^}]*outcome: Outcome;/);
    expect(events).toMatch(/export interface AnalysisFinishedInput \{[^}]*outcome: OutcomeInput;/);
  });

  it('a topic is tied to its event and its result', () => {
    const topics = generated('topics');
    expect(topics).toContain("export type TopicName = 'analysis.mood.finished';");
    expect(topics).toContain("  'analysis.mood.finished': MoodFinished;");
    expect(topics).toContain("  'analysis.mood.finished': MoodFinishedInput;");
    expect(topics).toContain("  'mood': MoodResult;");
    expect(topics).toContain("resultSchema: 'anabranch.analysis.mood.MoodResult/v1'");
    expect(topics).toContain("description: 'Mood\\'s outcomes.'");
  });

  it('each field says how sensitive it is, and what it holds', () => {
    const sensitivity = generated('sensitivity');
    expect(sensitivity).toContain("outcome: { level: 'internal', record: 'MoodOutcome' }");
    expect(sensitivity).toContain("result: { level: 'confidential', record: 'MoodResult' }");
    expect(sensitivity).toContain("labels: { level: 'public' }");
  });
});
