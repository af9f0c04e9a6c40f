/** Signatures and secrets of Standard Webhooks (github.com/standard-webhooks/standard-webhooks). */
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** What is signed: the headers of a message, and its body byte by byte. */
type Message = { id: string; timestamp: number; body: string }

/** Random, in the form that libraries of Standard Webhooks take. */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

/** One signature for each secret, divided by blanks. `timestamp` in seconds. */
export const signatureOf = (secrets: readonly string[], message: Message): string =>
  secrets.map((secret) => signedBy(secret, message)).join(' ')

function signedBy(secret: string, { id, timestamp, body }: Message): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const hash = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`)
  return `v1,${hash.digest('base64')}`
}
