import { z } from 'zod';

/** Settings of the object store; `objectStoreDir` is a folder that every service of the installation reaches. */
export const objectStoreConfig = z.object({
  objectStoreDir: z
    .string()
    .min(1)
    .describe('Folder that holds texts and results too large for an event; shared by all services.'),
});

export type ObjectStoreConfig = z.infer<typeof objectStoreConfig>;
