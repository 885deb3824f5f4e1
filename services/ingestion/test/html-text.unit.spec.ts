import { describe, expect, it } from '@jest/globals';
import { createHtmlReader } from '../src/documents/html-reader.js';
import { htmlToText } from '../src/documents/html-text.js';

describe('the text of a page', () => {
  it('has what a reader sees, and neither scripts nor styles nor comments', () => {
    const page = `<!doctype html><html><head><title>Title</title><style>p { color: red }</style>
      <script>alert('head')</script></head><body onload="evil()"><h1>Good news</h1>
      <p>From <b>Ada</b> &amp; Bob&nbsp;&eacute;<br>second line</p><script>document.write('body')</script>
      <SCRIPT type="text/x">upper</SCRIPT><noscript>no script</noscript><template>template</template><!-- comment -->
      <svg><text>drawing</text></svg><img alt="picture" src="x"><a href="https://example.org/">a link</a></body></html>`;
    expect(htmlToText(page)).toBe('Good news\n\nFrom Ada & Bob\u00a0é\nsecond line\n\na link');
  });

  it('has a line for each row of a table, and a line for each item of a list', () => {
    const page =
      '<table><tr><th>Name</th><th>Sum</th></tr><tr><td>Ada</td> <td>7</td></tr></table><ul><li>one<li>two</ul>';
    expect(htmlToText(page)).toBe('Name\tSum\nAda\t7\n\n- one\n- two');
  });

  it.each([
    ['no markup at all', 'just text', 'just text'],
    ['nothing', '', ''],
    ['only a script', '<script>alert(1)</script>', ''],
    ['unclosed elements', '<p>one<p><b>two', 'one\n\ntwo'],
    ['an unclosed script', 'before<script>after', 'before'],
    ['escaped markup', '&lt;script&gt;x&lt;/script&gt;', '<script>x</script>'],
    ['a character beyond the basic plane', '<p>&#128512;</p>', '😀'],
  ])('is right for %s', (_, page, text) => {
    expect(htmlToText(page)).toBe(text);
  });

  it('is not cut, however long it is', () => {
    expect(htmlToText('<p>word</p>'.repeat(20_000)).match(/word/g)).toHaveLength(20_000);
  });
});

describe('reading a page', () => {
  it('gives the same text in a worker thread as on the spot', async () => {
    const page = '<h1>One</h1><p>two &amp; three</p>'.repeat(100);
    const inWorker = await createHtmlReader({ inlineMaxLength: 0 })(page);
    expect(inWorker).toBe(await createHtmlReader()(page));
  });

  it('reads many long pages, some at a time', async () => {
    const read = createHtmlReader({ inlineMaxLength: 0, maxWorkers: 2 });
    const pages = Array.from({ length: 6 }, (_, index) => `<p>page ${index}</p>`);
    expect(await Promise.all(pages.map(read))).toEqual(pages.map((_, index) => `page ${index}`));
  });

  it.each([
    ['on the spot', 65_536],
    ['in a worker', 0],
  ])('refuses, %s, a page that is nested too deeply to be walked', async (_, inlineMaxLength) => {
    await expect(createHtmlReader({ inlineMaxLength })('<b>'.repeat(12_000))).rejects.toMatchObject({
      code: 'UNREADABLE_HTML',
    });
  });

  it('gives up a page that is made to take for ever, and reads the next one', async () => {
    const read = createHtmlReader({ inlineMaxLength: 100, timeoutMs: 300, maxWorkers: 1 });
    await expect(read('<b>'.repeat(400_000))).rejects.toMatchObject({ code: 'UNREADABLE_HTML' });
    expect(await read('<p>well</p>')).toBe('well');
  });
});
