import { analysisTopics, type AnalysisFinished, type AnalysisTopic, type DocumentIngested } from '@anabranch/contracts';
import type { TopicDefinition } from '@anabranch/contracts';
import { OnEvent } from '@anabranch/kafka/nest';
import type { RecordContext } from '@anabranch/kafka/nest';
import { Controller, Inject, Module, type DynamicModule, type Type } from '@nestjs/common';
import type { Collector } from './collector.js';
import { openedDocument, recordedOutcome, type ReadingOptions } from './facts.js';

const collectorToken = Symbol('collector');
const readingToken = Symbol('reading');

@Controller()
class DocumentController {
  constructor(
    @Inject(collectorToken) private readonly collector: Collector,
    @Inject(readingToken) private readonly reading: ReadingOptions,
  ) {}

  @OnEvent('document.ingested')
  async onDocumentIngested(event: DocumentIngested, { record }: RecordContext<DocumentIngested>): Promise<void> {
    await this.collector.add(await openedDocument(event, record, this.reading));
  }
}

/** The controller of one topic of results: made from the topic table, so that collection names no analysis. */
function outcomeController(topic: TopicDefinition): Type {
  @Controller()
  class OutcomeController {
    constructor(@Inject(collectorToken) private readonly collector: Collector) {}

    @OnEvent(topic.name as AnalysisTopic)
    async onAnalysisFinished(event: AnalysisFinished, { record }: RecordContext): Promise<void> {
      await this.collector.add(recordedOutcome(topic, event, record));
    }
  }
  return OutcomeController;
}

/** The handlers of everything that collection consumes. */
@Module({ controllers: [DocumentController, ...analysisTopics.map(outcomeController)] })
export class CollectionModule {
  static over(collector: Collector, reading: ReadingOptions): DynamicModule {
    return {
      module: CollectionModule,
      providers: [
        { provide: collectorToken, useValue: collector },
        { provide: readingToken, useValue: reading },
      ],
    };
  }
}
