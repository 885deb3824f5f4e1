/**
 * A model's reply is not what was asked for. The message says what is wrong, for the model and for operators: it names
 * places and rules, and quotes nothing of the reply, which may quote the document.
 */
export class BadOutput extends Error {
  override readonly name = 'BadOutput';
}
