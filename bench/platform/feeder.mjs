// The process that publishes documents, with the product's own producer: what it costs counts for nobody, and its client is
// another one than that of the process that listens.
import { createEventProducer, createSchemaRegistry } from '@anabranch/kafka';
import { Registry } from 'prom-client';
import { answer } from '../consumer/child.mjs';
import { quiet } from '../consumer/quiet.mjs';
import { textOf } from './documents.mjs';

/** So many sends wait for the broker at a time. */
const window = 5_000;
let producer;
let tenantId;

/** @param {{ kafka: string, registry: string, tenant: string }} book */
async function open({ kafka, registry, tenant }) {
  const config = { brokers: kafka.split(','), registryUrl: registry, clientId: 'bench', topicPrefix: '' };
  const schemas = createSchemaRegistry({ config });
  producer = createEventProducer({ config, registry: schemas, metrics: new Registry(), log: quiet });
  await producer.start(['document.ingested']);
  tenantId = tenant;
}

/** Resolves when the broker has it, with when it was published, on a clock that all processes share. */
async function publish({ run, number, revision = 1 }) {
  const beganAt = Number(process.hrtime.bigint()) / 1e6;
  const text = textOf(run, number, revision);
  const document = { tenantId, documentId: `${run}-${number}`, revision, occurredAt: Date.now(), text };
  await producer.publish('document.ingested', document);
  return beganAt;
}

/** Publishes documents 0 to `count`, each in so many revisions; resolves when the broker has them all. */
async function fill({ run, count, revisions = 1 }) {
  const sent = [];
  for (let revision = 1; revision <= revisions; revision++) {
    for (let number = 0; number < count; number++) {
      sent.push(publish({ run, number, revision }));
      if (sent.length >= window) await Promise.all(sent.splice(0));
    }
  }
  await Promise.all(sent);
}

answer({ open, publish, fill });
