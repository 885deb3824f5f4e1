/** One line per change, in the order of the steps that are done. @returns {string[]} */
export function changesOf(done) {
  return done.flatMap(({ created = [], registered = [], added = [], updated = [] }) => [
    ...created.map((topic) => `created the topic ${topic}`),
    ...registered.map(({ subject, version, id }) => `registered ${subject} v${version} (id ${id})`),
    ...added.map((analysis) => `added the analysis ${analysis} to the catalogue`),
    ...updated.map(({ name, resultSchema }) => `the analysis ${name} now has the result ${resultSchema}`),
  ]);
}

/** What was looked at, and how much of it changed, so that "nothing" is seen as well. */
export function summaryOf({ definitions, analyses, done }) {
  const subjects = definitions.filter(({ subject }) => subject !== null);
  const looked = [
    counted(subjects.length, 'subject'),
    counted(definitions.length, 'topic'),
    counted(analyses.length, 'analysis', 'analyses'),
  ].join(', ');
  const changes = changesOf(done).length;
  return `${looked}; ${changes === 0 ? 'nothing to do' : counted(changes, 'change')}`;
}

const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
