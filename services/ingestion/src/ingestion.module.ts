import { Module, type DynamicModule } from '@nestjs/common';
import { DocumentsController } from './documents/documents.controller.js';
import { JobsController } from './jobs/jobs.controller.js';
import { acceptanceToken, jobReaderToken, limitsToken, rulesDeskToken, type IngestionPorts } from './ports.js';
import { rulesControllers } from './rules/rules.controllers.js';

/** The HTTP API, over ports that service.ts makes. */
@Module({})
export class IngestionModule {
  static over({ acceptance, jobs, rules, limits }: IngestionPorts): DynamicModule {
    return {
      module: IngestionModule,
      controllers: [DocumentsController, JobsController, ...rulesControllers],
      providers: [
        { provide: acceptanceToken, useValue: acceptance },
        { provide: jobReaderToken, useValue: jobs },
        { provide: rulesDeskToken, useValue: rules },
        { provide: limitsToken, useValue: limits },
      ],
    };
  }
}
