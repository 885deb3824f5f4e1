import { Module, type DynamicModule } from '@nestjs/common';
import { DocumentReadController } from './documents/document-read.controller.js';
import { DocumentsController } from './documents/documents.controller.js';
import { JobCommandsController } from './jobs/job-commands.controller.js';
import { JobsController } from './jobs/jobs.controller.js';
import {
  acceptanceToken,
  documentReaderToken,
  jobCommandsToken,
  jobReaderToken,
  limitsToken,
  rulesDeskToken,
  type IngestionPorts,
} from './ports.js';
import { rulesControllers } from './rules/rules.controllers.js';

/** The HTTP API, over ports that service.ts makes. */
@Module({})
export class IngestionModule {
  static over({ acceptance, documents, jobs, commands, rules, limits }: IngestionPorts): DynamicModule {
    return {
      module: IngestionModule,
      controllers: [
        DocumentsController,
        DocumentReadController,
        JobsController,
        JobCommandsController,
        ...rulesControllers,
      ],
      providers: [
        { provide: acceptanceToken, useValue: acceptance },
        { provide: documentReaderToken, useValue: documents },
        { provide: jobReaderToken, useValue: jobs },
        { provide: jobCommandsToken, useValue: commands },
        { provide: rulesDeskToken, useValue: rules },
        { provide: limitsToken, useValue: limits },
      ],
    };
  }
}
