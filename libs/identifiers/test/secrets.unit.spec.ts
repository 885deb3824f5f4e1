import { describe, expect, it } from '@jest/globals';
import { findIdentifiers } from '../src/index.js';

const found = (text: string): string[] => findIdentifiers(text).map(({ type, text: value }) => `${type} ${value}`);
// Put together here, so that no scanner takes this file for a leak.
const token = (...parts: string[]): string => parts.join('');
const github = token('ghp', '_', '16C7e42F292c6912E7710c838347Ae178B4a');
const stripe = token('sk', '_live_', '4eC39HqLyjWDarjtT1zdp7dc');
const jwt = token(
  'eyJhbGciOiJIUzI1NiJ9',
  '.eyJzdWIiOiIxMjM0NTY3ODkwIn0.',
  'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
);
const pem = ['-----BEGIN RSA PRIVATE KEY-----', 'MIIEpAIBAAKCAQEA', 'abc=', '-----END RSA PRIVATE KEY-----'].join('\n');

describe('secrets', () => {
  it.each([
    ['an AWS access key', 'id AKIAIOSFODNN7EXAMPLE', ['AWS_ACCESS_KEY AKIAIOSFODNN7EXAMPLE']],
    [
      'an AWS secret key by its name',
      'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      ['API_KEY wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
    ],
    ['a GitHub token', `push with ${github}.`, [`GITHUB_TOKEN ${github}`]],
    ['a provider’s token, rather than a generic key', `API_KEY=${stripe}`, [`PROVIDER_TOKEN ${stripe}`]],
    ['a private key to its end', `see\n${pem}\nend`, [`PRIVATE_KEY ${pem}`]],
    ['two private keys as two', `${pem}\n${pem}`, [`PRIVATE_KEY ${pem}`, `PRIVATE_KEY ${pem}`]],
    ['the first line of a cut key', '-----BEGIN PRIVATE KEY-----', ['PRIVATE_KEY -----BEGIN PRIVATE KEY-----']],
    ['a JWT whose header decodes', `Bearer ${jwt}`, [`JWT ${jwt}`]],
    [
      'a random value under a telling name',
      '{"api_key": "a8f5f167f44f4964e6c998dee827110c"}',
      ['API_KEY a8f5f167f44f4964e6c998dee827110c'],
    ],
    ['a password', 'password: hunter2horse99', ['PASSWORD hunter2horse99']],
    ['a password in a URL', 'postgres://app:s3cretpw@db.internal/x', ['PASSWORD s3cretpw']],
  ])('%s is found', (_name, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    ['words after the name', 'password: see below. The secret: nobody knows.'],
    ['a placeholder', 'api_key = YOUR_API_KEY_GOES_HERE1 and password="changeme123"'],
    ['a reference to the environment', 'token = process.env.TOKEN_OF_SERVICE_1'],
    ['three words with stops that decode to nothing', 'eyJ0aGlzaXNub3Q.abcdefgh.ijklmnop'],
    ['a repeated letter', `token=${'a1'.repeat(20)}`],
    ['a name of words', 'tokenType: "access_token_refresh_v2", secretName: my-release-postgresql-0'],
    ['a call', 'const token = createToken2(user.name); password: z.string().min(8)'],
    ['an element of a list', 'const token = rows_of_table1[0][1]'],
    ['a token’s prefix alone', 'ghp_ and AKIA and sk_live_'],
  ])('%s is none', (_name, text) => {
    expect(found(text)).toEqual([]);
  });
});
