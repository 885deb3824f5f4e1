import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { addressBook, resultOf, submit } from '../src/platform.js';
import { publishBytes } from '../src/topics.js';

jest.setTimeout(180_000);

interface Panel {
  id: number;
  title: string;
  type: string;
  gridPos: { x: number; w: number };
  targets?: { expr: string; legendFormat: string }[];
}

const dashboard = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../deploy/grafana/dashboards/flow.json'), 'utf8'),
) as { panels: Panel[] };
const queries = dashboard.panels.flatMap((panel) =>
  (panel.targets ?? []).map((target) => ({ title: panel.title, ...target })),
);

/** Series by metric name, each with the names of its labels, as Prometheus would store them. */
const scrape = async (): Promise<Map<string, Set<string>>> => {
  const series = new Map<string, Set<string>>();
  for (const { metricsUrl } of addressBook().processes) {
    if (!metricsUrl) continue;
    for (const line of (await (await fetch(metricsUrl)).text()).split('\n')) {
      const [, name, labels] = /^([a-z_][\w:]*)(?:\{(.*)\})? /i.exec(line) ?? [];
      if (!name) continue;
      const known = series.get(name) ?? new Set<string>();
      for (const [, label] of (labels ?? '').matchAll(/(\w+)="/g)) known.add(label!);
      series.set(name, known);
    }
  }
  return series;
};

describe('the Flow dashboard', () => {
  let series: Map<string, Set<string>>;

  beforeAll(async () => {
    await publishBytes(
      'document.ingested',
      'e2e-dashboard',
      Buffer.from('poison, so that the dead letters have a series'),
    );
    await resultOf((await submit({ text: 'A document for the dashboard.' })).id);
    series = await scrape();
  });

  it('has panels with ids of their own, inside the grid', () => {
    const ids = dashboard.panels.map((panel) => panel.id);
    expect(ids.length).toBeGreaterThan(15);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });

  it.each(queries)(
    '$title: $expr asks for series and labels that the running services have',
    ({ expr, legendFormat }) => {
      const metrics = [...expr.matchAll(/\b((?:anabranch|process|nodejs)_\w+)/g)].map(([, name]) => name!);
      expect(metrics.length).toBeGreaterThan(0);
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) =>
        list!.split(',').map((label) => label.trim()),
      );
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
      for (const name of metrics) {
        expect([...series.keys()]).toContain(name);
        expect([...series.get(name)!]).toEqual(expect.arrayContaining(grouped));
      }
      expect(grouped).toEqual(expect.arrayContaining(shown));
    },
  );
});
