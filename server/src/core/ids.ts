/**
 * Ids are UUIDv7. Each kind of record has a type of its own, so that two of them cannot be swapped:
 * at run time all are plain text. Where text enters the program (an endpoint's schema, a row's
 * type) it is declared once what it names.
 */
import { createHash, randomFillSync } from 'node:crypto'

/** An id that plain text does not become by itself: it must come from where it was declared. */
type StrictId<Name extends string> = string & { readonly __id: Name }

/** An id that no other kind of id can stand for. Plain text can: venues and tests speak in it. */
type Id<Name extends string> = string & { readonly __id?: Name }

/** Strict, because it separates tenants. */
export type WorkspaceId = StrictId<'Workspace'>

export type AccountId = Id<'Account'>
export type ApiKeyId = Id<'ApiKey'>
export type BatchId = Id<'Batch'>
export type AttachmentId = Id<'Attachment'>
export type BatchRequestId = Id<'BatchRequest'>
export type BookingId = Id<'Booking'>
export type BreakId = Id<'Break'>
export type CommentId = Id<'Comment'>
export type CustomerId = Id<'Customer'>
export type DepositId = Id<'Deposit'>
export type ErasureId = Id<'Erasure'>
export type ExecutionId = Id<'Execution'>
export type FillId = Id<'Fill'>
export type JobId = Id<'Job'>
export type PaymentId = Id<'Payment'>
export type JobRunId = Id<'JobRun'>
export type MatchingId = Id<'Matching'>
export type NotificationId = Id<'Notification'>
export type NotificationMailId = Id<'NotificationMail'>
export type OrderId = Id<'Order'>
export type PartId = Id<'Part'>
export type PeriodId = Id<'Period'>
export type PriceRouteId = Id<'PriceRoute'>
export type ProofId = Id<'Proof'>
export type QuoteId = Id<'Quote'>
export type ReconciliationDayId = Id<'ReconciliationDay'>
export type RectificationId = Id<'Rectification'>
export type ScreeningListId = Id<'ScreeningList'>
export type ServiceId = Id<'Service'>
export type SetAsideItemId = Id<'SetAsideItem'>
export type SettlementId = Id<'Settlement'>
export type SignInProviderId = Id<'SignInProvider'>
export type TagId = Id<'Tag'>
export type TreasuryRouteId = Id<'TreasuryRoute'>
export type UserId = Id<'User'>
export type UserIdentityId = Id<'UserIdentity'>
export type VenueId = Id<'Venue'>
export type ViewId = Id<'View'>
export type WalletId = Id<'Wallet'>
export type WebhookDeliveryId = Id<'WebhookDelivery'>
export type WebhookId = Id<'Webhook'>
export type WithdrawalId = Id<'Withdrawal'>
export type BookTransferId = Id<'BookTransfer'>

/** Stands where work is for all workspaces, or a caller belongs to none. */
export const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000' as WorkspaceId

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const UUID_PATTERN = UUID.source

const POOL_BYTES = 4096
const pool = Buffer.alloc(POOL_BYTES)
/**
 * The pool as text, two characters a byte: read in pieces, it costs less than turning each piece
 * into text.
 */
let hex = ''
let used = POOL_BYTES
let lastMilliseconds = 0
let counter = 0

/**
 * UUIDv7 (RFC 9562): within one process strictly increasing, and so of this time or a little later.
 */
export function newId<I extends string = string>(milliseconds: number = Date.now()): I {
  if (milliseconds > lastMilliseconds) {
    lastMilliseconds = milliseconds
    counter = randomBits() & 0x7ff
  } else {
    counter += 1
    if (counter > 0xfff) {
      lastMilliseconds += 1
      counter = randomBits() & 0x7ff
    }
  }
  return idOf(lastMilliseconds, counter) as I
}

let lastAt = 0
let counterAt = 0

/**
 * UUIDv7 that carries exactly this time, so that a range of times is a range of ids; of one time up
 * to 4096 in a row increase.
 */
export function idAt<I extends string = string>(milliseconds: number): I {
  counterAt = milliseconds === lastAt && counterAt < 0xfff ? counterAt + 1 : randomBits() & 0x7ff
  lastAt = milliseconds
  return idOf(milliseconds, counterAt) as I
}

/** No `idAt` of this time or later is less, and none of an earlier time is greater. */
export function firstIdAt(milliseconds: number): string {
  return `${timeOf(milliseconds)}7000-8000-000000000000`
}

/** The time that a UUIDv7 carries. */
export const timeOfId = (id: string): number =>
  Number.parseInt(id.slice(0, 13).replace('-', ''), 16)

let timed = -1
let time = ''

/** The first two groups, which all ids of a millisecond share. */
function timeOf(milliseconds: number): string {
  if (milliseconds === timed) return time
  const digits = milliseconds.toString(16).padStart(12, '0')
  timed = milliseconds
  time = `${digits.slice(0, 8)}-${digits.slice(8)}-`
  return time
}

const VARIANTS = '89ab'

function idOf(milliseconds: number, counted: number): string {
  const start = take(8)
  const variant = VARIANTS.charAt((pool[start] ?? 0) & 0x3)
  const version = (0x7000 | counted).toString(16)
  const clock = hex.slice(2 * start + 1, 2 * start + 4)
  const node = hex.slice(2 * start + 4, 2 * start + 16)
  return `${timeOf(milliseconds)}${version}-${variant}${clock}-${node}`
}

/** The same for the same parent and number, whoever makes it (UUIDv8, RFC 9562). */
export function derivedId(parent: string, number: number): string {
  const digits = createHash('sha256').update(`${parent} ${number}`).digest('hex')
  const variant = VARIANTS.charAt(Number.parseInt(digits.charAt(16), 16) & 0x3)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}

function randomBits(): number {
  return pool.readUInt16LE(take(2))
}

/** Where the next `bytes` random bytes stand in the pool. */
function take(bytes: number): number {
  if (used + bytes > POOL_BYTES) {
    hex = randomFillSync(pool).toString('hex')
    used = 0
  }
  used += bytes
  return used - bytes
}

export function isId(text: string): boolean {
  return UUID.test(text)
}
