import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One analysis that the deployment offers. */
@Entity({ name: 'analysis' })
export class AnalysisEntity {
  @PrimaryColumn({ type: 'text' })
  name: string;

  @Column({ name: 'result_schema', type: 'text' })
  resultSchema: string;

  @Column({ name: 'enabled_from', type: 'timestamptz', precision: 3 })
  enabledFrom: Date;
}

export const catalogueEntities = [AnalysisEntity];
