import { describe, expect, it } from '@jest/globals';
import type { DocumentEnriched, DocumentIngested } from '@anabranch/contracts';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Registry } from 'prom-client';
import { KafkaStrategy, OnEvent, OnTopics, type TopicList } from '../src/nest/index.js';
import { silentLogger } from '../src/logger.js';

@Controller()
class FirstController {
  @OnEvent('document.ingested')
  on(_event: DocumentIngested): Promise<void> {
    return Promise.resolve();
  }
}

@Controller()
class SecondController {
  @OnEvent('document.ingested')
  on(_event: DocumentIngested): Promise<void> {
    return Promise.resolve();
  }
}

@Controller()
class OtherController {
  @OnEvent('document.enriched')
  on(_event: DocumentEnriched): Promise<void> {
    return Promise.resolve();
  }
}

@Controller()
class ListController {
  @OnTopics<DocumentEnriched>('results')
  on(_event: DocumentEnriched): Promise<void> {
    return Promise.resolve();
  }
}

/** Listens with these controllers; nothing of it reaches a broker, because the wiring is checked first. */
async function listen(
  controllers: (new () => object)[],
  lists: Readonly<Record<string, TopicList>> = {},
): Promise<void> {
  @Module({ controllers })
  class WiredModule {}
  const unused = () => Promise.reject(new Error('not used'));
  const strategy = new KafkaStrategy({
    config: { brokers: ['127.0.0.1:1'], registryUrl: 'http://127.0.0.1:1', clientId: 'spec' },
    registry: { idOf: unused, writerSchema: unused, cachedWriterSchema: () => undefined, learn: () => {} },
    producer: { publishRaw: unused },
    metrics: new Registry(),
    log: silentLogger,
    group: 'group',
    onFatal: () => {},
    topics: { 'document.ingested': {} },
    lists,
    launch: undefined,
    drainMs: 1_000,
  });
  const app = await NestFactory.createMicroservice(WiredModule, { strategy, logger: false, abortOnError: false });
  await app.listen();
}

describe('an application whose topics and methods do not match does not start', () => {
  it('because a topic has no method', async () => {
    await expect(listen([])).rejects.toThrow('no method handles document.ingested');
  });

  it('because a topic has two methods', async () => {
    await expect(listen([FirstController, SecondController])).rejects.toThrow('two methods handle document.ingested');
  });

  it('because a method handles a topic that is not consumed', async () => {
    await expect(listen([FirstController, OtherController])).rejects.toThrow(
      'a method handles document.enriched, which is not among the topics',
    );
  });

  it('because a list of topics has no method', async () => {
    await expect(listen([FirstController], { results: { topics: ['document.enriched'] } })).rejects.toThrow(
      'no method handles the list results',
    );
  });

  it('because a method handles a list that is not there', async () => {
    await expect(listen([FirstController, ListController])).rejects.toThrow(
      'a method handles the list results, which is not among the topics',
    );
  });

  it('because a topic of a list has a method of its own', async () => {
    const lists = { results: { topics: ['document.enriched', 'document.ingested'] } };
    await expect(listen([FirstController, ListController], lists)).rejects.toThrow(
      'Two handlers for document.ingested',
    );
  });
});
