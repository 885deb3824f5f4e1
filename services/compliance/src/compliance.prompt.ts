import type { Question } from '@anabranch/analysis-runtime/definition';
import { complianceReply, readFindings, type SuspectedValue } from './compliance.reply.js';

const instructions = `List the sensitive values in the text: names of private persons (PERSON_NAME), postal addresses (POSTAL_ADDRESS), dates of birth (DATE_OF_BIRTH), payment cards (CARD), bank accounts (IBAN), e-mail addresses (EMAIL), telephone numbers (PHONE), network addresses (IP), social security numbers (SSN), passwords (PASSWORD), keys for interfaces (API_KEY) and private keys (PRIVATE_KEY). Give each value as it is written, without the words that announce it. Leave out order numbers, dates of other events, names of companies, and values that are examples or placeholders.`;

/** A question about a text, whose answer are the sensitive values in it. */
export function askForFindings(text: string): Question<SuspectedValue[]> {
  return {
    instructions,
    text,
    schema: complianceReply.schema,
    maxOutputTokens: 2_000,
    read: readFindings,
  };
}
