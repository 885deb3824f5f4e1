import { Module, type DynamicModule } from '@nestjs/common';
import { DocumentReadController } from './documents/document-read.controller.js';
import { DocumentsController } from './documents/documents.controller.js';
import { JobCommandsController } from './jobs/job-commands.controller.js';
import { JobsController } from './jobs/jobs.controller.js';
import {
  acceptanceToken,
  documentReaderToken,
  explainJobToken,
  jobCommandsToken,
  jobReaderToken,
  limitsToken,
  resultWaitingToken,
  rulesDeskToken,
  type IngestionPorts,
} from './ports.js';
import { rulesControllers } from './rules/rules.controllers.js';
import { WhyController } from './why/why.controller.js';

/** The HTTP API, over ports that service.ts makes. */
@Module({})
export class IngestionModule {
  static over({
    acceptance,
    documents,
    jobs,
    commands,
    explain,
    rules,
    results,
    limits,
  }: IngestionPorts): DynamicModule {
    return {
      module: IngestionModule,
      controllers: [
        DocumentsController,
        DocumentReadController,
        JobsController,
        JobCommandsController,
        WhyController,
        ...rulesControllers,
      ],
      providers: [
        { provide: acceptanceToken, useValue: acceptance },
        { provide: documentReaderToken, useValue: documents },
        { provide: jobReaderToken, useValue: jobs },
        { provide: jobCommandsToken, useValue: commands },
        { provide: explainJobToken, useValue: explain },
        { provide: rulesDeskToken, useValue: rules },
        { provide: resultWaitingToken, useValue: results },
        { provide: limitsToken, useValue: limits },
      ],
    };
  }
}
