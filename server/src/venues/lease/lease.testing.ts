/** For tests: a lease that this process always holds, or never. */
import { LeasedCredential } from './credential.ts'
import type { Credential } from './credential.ts'
import type { VenueLease } from './lease.ts'

/** Microseconds: the processes of a test draw their nonces from the same clock. */
class ClockCredential extends LeasedCredential {
  override nonce(): number {
    this.reserve(Date.now() * 1000, Number.MAX_SAFE_INTEGER)
    return super.nonce()
  }
}

const always = { held: true, onChange: () => () => undefined }

export const CREDENTIAL: Credential = new ClockCredential(always)

export const LOST_CREDENTIAL: Credential = new ClockCredential({ ...always, held: false })

export const HELD_LEASE: VenueLease = {
  ...always,
  fence: 1,
  credential: async () => CREDENTIAL,
  onQuestion: () => () => undefined,
  close: async () => undefined,
}
