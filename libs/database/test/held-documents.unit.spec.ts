import { expect, test } from '@jest/globals';
import { createBatcher } from '../src/batcher.js';
import { DocumentHeld, heldApart } from '../src/jobs/held-documents.js';

interface Post {
  document: string;
  text: string;
}

/** Accepts posts of documents that nobody holds, in one lane, and notes their order. */
function createDesk() {
  const holders = new Set<string>();
  const accepted: string[] = [];
  const desk = heldApart<Post, string>({
    keyOf: ({ document }) => document,
    createLanes: (isBehind) =>
      createBatcher<Post, string>({
        lanes: 1,
        maxItems: 10,
        keyOf: () => '',
        run: (posts) => {
          const answers = posts.map((post) => {
            if (holders.has(post.document) || isBehind(post)) return new DocumentHeld('held');
            accepted.push(`${post.document} ${post.text}`);
            return post.text;
          });
          return Promise.resolve(answers);
        },
      }),
  });
  return { holders, accepted, post: (document: string, text: string) => desk.add({ document, text }) };
}

test('what is free passes what is held', async () => {
  const { holders, accepted, post } = createDesk();
  holders.add('a');
  const first = post('a', '1');
  await Promise.all([post('b', '1'), post('c', '1')]);
  await post('d', '1');
  expect(accepted).toEqual(['b 1', 'c 1', 'd 1']);
  holders.delete('a');
  expect(await first).toBe('1');
});

test('posts of one document keep their order, whenever it is set free', async () => {
  for (let freeAfter = 0; freeAfter < 6; freeAfter++) {
    const { holders, accepted, post } = createDesk();
    holders.add('a');
    const posts: Promise<string>[] = [];
    for (let number = 0; number < 6; number++) {
      posts.push(post('a', String(number)));
      if (number === freeAfter) holders.delete('a');
      // Between two batches of the lane.
      await post('b', String(number));
    }
    holders.delete('a');
    await Promise.all(posts);
    expect(accepted.filter((line) => line.startsWith('a'))).toEqual([0, 1, 2, 3, 4, 5].map((number) => `a ${number}`));
  }
});

test('what fails for another reason than a holder says so, and lets the next one come', async () => {
  let isBroken = true;
  const desk = heldApart<Post, string>({
    keyOf: ({ document }) => document,
    createLanes: (isBehind) => ({
      add: (post) => {
        if (isBehind(post)) return Promise.reject(new DocumentHeld('held'));
        return isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(post.text);
      },
    }),
  });
  await expect(desk.add({ document: 'a', text: '1' })).rejects.toThrow('broken');
  isBroken = false;
  expect(await desk.add({ document: 'a', text: '2' })).toBe('2');
});
