/** What makes missing topics and schemas, for the messages that name them. */
export const remedy = 'Run `npm start`, or `node tools/contracts/apply.mjs` for a cluster of your own.';
