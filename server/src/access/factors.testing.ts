/** For tests of second factors: an authenticator app. */
import assert from 'node:assert/strict'
import type { Clock } from '../core/clock.ts'
import type { TestServer } from '../http/testing.ts'
import { PASSWORD } from './access.testing.ts'
import { codeOf, stepAt } from './totp.ts'

type Call = TestServer['call']

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}

/** What the app shows; `steps` away from now. */
export const shownCode = (secret: string, clock: Clock, steps = 0): string =>
  codeOf(bytesOf(secret), stepAt(clock.now()) + steps)

export type Enrolled = { id: string; secret: string; recovery_codes: string[] }

/** Sets up an app for the owner of the token. */
export async function enrol(call: Call, clock: Clock, token: string): Promise<Enrolled> {
  const begun = await call<{ id: string; secret: string }>('POST', '/auth/factors/totp', {
    body: { password: PASSWORD },
    token,
  })
  assert.equal(begun.status, 200, begun.text)
  const { id, secret } = begun.data
  const confirmed = await call<{ recovery_codes: string[] | null }>(
    'POST',
    `/auth/factors/${id}/confirm`,
    { body: { code: shownCode(secret, clock) }, token },
  )
  assert.equal(confirmed.status, 200, confirmed.text)
  return { id, secret, recovery_codes: confirmed.data.recovery_codes ?? [] }
}
