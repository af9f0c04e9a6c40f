import { closed, dateText, id, integer, nullable, oneOf, text, time, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import type { WorkspaceId } from '../core/ids.ts'

const HASH = { pattern: '^[0-9a-f]{64}$', maxLength: 64 }

const number = () => integer(1, Number.MAX_SAFE_INTEGER, 'Counts the heads of a workspace')
const day = () => dateText('The day on which it was made, UTC')

const end = (description: string) =>
  closed(
    {
      batch_no: integer(0, Number.MAX_SAFE_INTEGER, 'The last batch'),
      sequence: integer(0, Number.MAX_SAFE_INTEGER, 'The last of them'),
      hash: Type.String(HASH),
    },
    { description },
  )

const previous = () =>
  nullable(
    closed(
      { day: day(), hash: Type.String(HASH) },
      { description: 'The head before it, by the SHA-256 of what was signed' },
    ),
  )

const publicKey = () =>
  Type.String({
    pattern: '^[A-Za-z0-9+/]{59}=$',
    maxLength: 60,
    description: 'Ed25519, as SubjectPublicKeyInfo in base64',
  })

export const HEAD_FORMAT = 'kontor-head-1'

/** What is signed: as JSON without blanks, its fields in this order. */
export const Head = closed(
  {
    format: oneOf([HEAD_FORMAT]),
    workspace: id<WorkspaceId>(),
    number: number(),
    day: day(),
    made_at: time(),
    bookings: end('Where the chain of bookings ends'),
    events: end('Where the chain of events ends'),
    security_log: end('Where the chain of the security log ends'),
    previous: previous(),
    public_key: publicKey(),
  },
  { title: 'Head' },
)
export type Head = Static<typeof Head>

export const HEAD_TARGETS = ['FILE', 'MAIL'] as const

const signature = () => text(88, 'Ed25519, in base64')

/** A head as auditors see it. */
export const SignedHead = closed(
  {
    workspace: id<WorkspaceId>(),
    number: number(),
    day: day(),
    made_at: time(),
    signed: text(2000, 'The text that was signed'),
    signature: signature(),
    hash: Type.String(HASH),
    deliveries: Type.Array(
      closed({
        target: oneOf(HEAD_TARGETS, 'FILE: the folder of heads'),
        recipient: text(500, 'The file, or the address'),
        delivered_at: nullable(time()),
        attempts: integer(0, 1_000_000),
        reason: nullable(text(500, 'Why it has not been delivered yet')),
      }),
    ),
  },
  { title: 'SignedHead' },
)
export type SignedHead = Static<typeof SignedHead>

/** A head as it is exported: signed is the JSON of `head` without blanks. */
export const ExportedHead = closed({ head: Head, signature: signature() })
