import assert from 'node:assert/strict'
import { it } from 'node:test'
import { wireFaultIn } from './wire-faults.ts'

it('what the system says of a lost connection is said in words, and nothing else of it', () => {
  const texts: [text: string, words: string | undefined][] = [
    [
      'kraken POST https://api.krakn.com/0/private/Balance?key=s3cret fetch failed: ' +
        'getaddrinfo ENOTFOUND api.krakn.com',
      'the host api.krakn.com is not known',
    ],
    ['getaddrinfo EAI_AGAIN vault', 'the host vault is not known'],
    ['connect ETIMEDOUT 10.0.0.1:443', 'it took no connection in time'],
    ['fetch failed: certificate has expired', 'its certificate has expired'],
    [
      'self-signed certificate in certificate chain',
      'its certificate is signed by nobody whom this machine trusts',
    ],
    [
      "Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's altnames",
      'its certificate is that of another host',
    ],
    ['connect EHOSTUNREACH 10.0.0.1:443', 'its network cannot be reached'],
    ['the key s3cret is wrong', undefined],
  ]
  assert.deepEqual(
    texts.map(([text]) => wireFaultIn(text)),
    texts.map(([, words]) => words),
  )
})
