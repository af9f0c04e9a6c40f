/** Codes that change with time: RFC 6238, with what every authenticator app takes by default. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** As long as the output of SHA-1, as RFC 4226 recommends. */
const SECRET_BYTES = 20
const STEP_MILLISECONDS = 30_000
export const DIGITS = 6
/** Clocks of telephones are a little wrong. */
const DRIFT_STEPS = 1

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Of RFC 4648, without padding. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

export const newSecret = (): Buffer => randomBytes(SECRET_BYTES)

/** The step of time at this moment of the service's clock. */
export const stepAt = (now: number): number => Math.floor(now / STEP_MILLISECONDS)

export function codeOf(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  const number = (mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 10 ** digits
  return String(number).padStart(digits, '0')
}

/** The step whose code this is, near the present; undefined for none. */
export function stepOf(secret: Buffer, code: string, now: number): number | undefined {
  const present = stepAt(now)
  const steps = Array.from({ length: 2 * DRIFT_STEPS + 1 }, (_, i) => present + i - DRIFT_STEPS)
  const typed = Buffer.from(code)
  return steps.find((step) => {
    const right = Buffer.from(codeOf(secret, step))
    return right.length === typed.length && timingSafeEqual(right, typed)
  })
}

/** What an authenticator app reads from a QR code. */
export function addressOf(secret: Buffer, { issuer, email }: Record<'issuer' | 'email', string>) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`
}
