import {
  analysisTopics,
  eventTopics,
  latest,
  namedTypes,
  recordWithin,
  requestTopics,
  resultRecord,
  shapeOf,
} from './named-types.mjs';

/** What is wrong between the files: names that clash, and shared parts that have grown apart. @returns {string[]} */
export function sharedFaults(topics) {
  const events = eventTopics(topics).filter((topic) => latest(topic).schema !== undefined);
  return [
    ...namespaceFaults(events),
    ...reservedFaults(events),
    ...definitionFaults(events),
    ...envelopeFaults(analysisTopics(events)),
    ...requestFaults(requestTopics(events)),
  ];
}

function namespaceFaults(topics) {
  const owners = new Map();
  return topics.flatMap((topic) => {
    const { namespace } = latest(topic).schema;
    const owner = owners.get(namespace);
    owners.set(namespace, owner ?? topic.name);
    return owner === undefined
      ? []
      : [`schemas/${topic.name}: the namespace ${namespace} belongs to ${owner}; each topic has its own.`];
  });
}

/** The generator makes types of these names itself. */
const generatedNames = ['Outcome', 'AnalysisFinished', 'AnalysisRequested'];

function reservedFaults(topics) {
  return topics.flatMap((topic) =>
    [...namedTypes(latest(topic).schema).keys()]
      .filter((name) => generatedNames.includes(name) || name.endsWith('Input'))
      .map((name) => `schemas/${topic.name}: the name ${name} is one that the generator uses; choose another.`),
  );
}

/** A name means the same everywhere: types of TypeScript have no namespace. */
function definitionFaults(topics) {
  const first = new Map();
  return topics.flatMap((topic) =>
    [...namedTypes(latest(topic).schema)].flatMap(([name, definition]) => {
      const shape = JSON.stringify(shapeOf(definition));
      const known = first.get(name);
      if (known === undefined) first.set(name, { shape, topic: topic.name });
      return known === undefined || known.shape === shape
        ? []
        : [
            `schemas/${topic.name}: ${name} differs from the ${name} of ${known.topic}; make them equal, or rename one.`,
          ];
    }),
  );
}

/** All commands are the same, so that their writer need not name an analysis. */
function requestFaults(topics) {
  const [first, ...others] = topics;
  const fieldsOf = (topic) => JSON.stringify(shapeOf(latest(topic).schema).fields);
  return others
    .filter((topic) => fieldsOf(topic) !== fieldsOf(first))
    .map((topic) => `schemas/${topic.name}: its fields differ from those of ${first.name}.`);
}

/** All analyses' events are the same but for the result, so that their reader need not name one. */
function envelopeFaults(topics) {
  const [first, ...others] = topics;
  if (first === undefined) return [];
  const faults = [];
  const expected = envelopeOf(first, faults);
  for (const topic of others) {
    if (envelopeOf(topic, faults) !== expected) {
      faults.push(`schemas/${topic.name}: its fields other than outcome.result differ from those of ${first.name}.`);
    }
  }
  return faults;
}

function envelopeOf(topic, faults) {
  const { schema } = latest(topic);
  try {
    const result = resultRecord(topic);
    const definitions = namedTypes(schema);
    const field = schema.fields.find(({ name }) => name === 'outcome');
    const outcome = definitions.get(recordWithin(field.type, definitions));
    const text = JSON.stringify([shapeOf(schema).fields, shapeOf(outcome).fields]);
    return text.replaceAll(`"${result}"`, '"RESULT"').replaceAll(`"${outcome.name}"`, '"OUTCOME"');
  } catch (error) {
    faults.push(error.message);
    return undefined;
  }
}
