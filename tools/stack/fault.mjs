/** Something the user can mend. It is printed without a stack; the message says what to do. */
export class StackFault extends Error {
  /**
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(message, options) {
    super(message, options);
    this.name = 'StackFault';
  }
}
