const modes = ['BACKWARD', 'BACKWARD_TRANSITIVE', 'FULL', 'FULL_TRANSITIVE'];

/** What is wrong with the topics' settings, each alone and side by side. @returns {string[]} */
export function topicFaults(topics) {
  return [...topics.flatMap(settingsFaults), ...topics.flatMap(versionFaults), ...partitionFaults(topics)];
}

function settingsFaults({ name, settings, versions }) {
  const isNames = (value) =>
    Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
  const isCount = (value) => Number.isSafeInteger(value) && value > 0;
  const isEvent = versions.length > 0;
  const rules = [
    [typeof settings.description === 'string' && settings.description, 'description must say what the topic carries'],
    [typeof settings.key === 'string' && settings.key, 'key must say what the record key is'],
    [isCount(settings.partitions), 'partitions must be a whole number from 1'],
    [isCount(settings.retentionMs), 'retentionMs must be a whole number from 1'],
    [isNames(settings.producers), 'producers must name at least one'],
    [isNames(settings.consumers), 'consumers must name at least one'],
    [!isEvent || modes.includes(settings.compatibility), `compatibility must be one of ${modes.join(', ')}`],
    [
      isEvent || typeof settings.schema === 'string',
      'a topic without vN.avsc must say in "schema" what its records are',
    ],
    [
      settings.analysis === undefined || name === `analysis.${settings.analysis}.finished`,
      'analysis must be the NAME of analysis.NAME.finished',
    ],
    [
      settings.requests === undefined || name === `analysis.${settings.requests}.requested`,
      'requests must be the NAME of analysis.NAME.requested',
    ],
  ];
  return rules.filter(([holds]) => !holds).map(([, rule]) => `schemas/${name}/topic.json: ${rule}.`);
}

function versionFaults({ name, versions }) {
  const gap = versions.findIndex(({ version }, index) => version !== index + 1);
  return gap < 0 ? [] : [`schemas/${name}: v${gap + 1}.avsc is missing; versions are numbered from 1 without gaps.`];
}

/** A document has the same partition number on every topic, so that one member can own all that concerns it. */
function partitionFaults(topics) {
  const counts = new Map(
    topics.filter(({ settings }) => settings.key === 'documentId').map((t) => [t.settings.partitions, t.name]),
  );
  if (counts.size < 2) return [];
  const list = [...counts].map(([count, name]) => `${name} has ${count}`).join(', ');
  return [`schemas: topics keyed by documentId must have the same number of partitions, but ${list}.`];
}
