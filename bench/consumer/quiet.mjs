const ignore = () => {};

/** A log that shows only what should not happen: warnings are of topics made a moment ago, or unlike those of the product. */
export const quiet = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: (fields, message) => {
    if (!String(fields.component).startsWith('kafkajs')) console.error(message, fields);
  },
};
