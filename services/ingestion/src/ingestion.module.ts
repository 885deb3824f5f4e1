import { Module, type DynamicModule } from '@nestjs/common';
import { DocumentsController } from './documents/documents.controller.js';
import { JobsController } from './jobs/jobs.controller.js';
import { acceptanceToken, jobReaderToken, limitsToken, type IngestionPorts } from './ports.js';

/** The HTTP API, over ports that service.ts makes. */
@Module({})
export class IngestionModule {
  static over({ acceptance, jobs, limits }: IngestionPorts): DynamicModule {
    return {
      module: IngestionModule,
      controllers: [DocumentsController, JobsController],
      providers: [
        { provide: acceptanceToken, useValue: acceptance },
        { provide: jobReaderToken, useValue: jobs },
        { provide: limitsToken, useValue: limits },
      ],
    };
  }
}
