/** What is checked of a payment before it is ordered, and what its preview says. */
import { format } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import { ApiError, refuse } from '../../../core/errors.ts'
import type { WorkspaceId } from '../../../core/ids.ts'
import type { Caller } from '../../../http/index.ts'
import { amountOf, assetByCode, withdrawableOf } from '../../../ledger/index.ts'
import type { Reader } from '../../../store/db.ts'
import type { TransferFields } from '../../../venues/index.ts'
import type { TreasuryApp } from '../../app.ts'
import { assertReference } from '../../routes/fields.ts'
import { senderOf } from '../../routes/routes.ts'
import { assertSending, assertWithinLimits, ownersOf } from '../withdrawals.ts'
import { namesTold } from './known.ts'
import type { Way } from './known.ts'
import type { CreatePaymentBody, PaymentPreview } from './payments.schema.ts'
import { wayOf } from './ways.ts'

const YEAR_MILLISECONDS = 366 * 86_400_000
const LATE_MILLISECONDS = 300_000

/** Who orders, and what they may. */
export type Payer = Caller & { permissions: ReadonlySet<string> }

/** What ordering it would do; everything is checked, nothing is stored. */
export async function previewPayment(
  payer: Payer,
  app: TreasuryApp,
  body: CreatePaymentBody,
): Promise<PaymentPreview> {
  const { way, send_at } = await checked(app, payer, body)
  const isDue = send_at <= app.clock.now()
  const isNew = way.to.draft !== undefined
  return {
    payee: payeeWord(way),
    asset: way.from.asset,
    address: way.to.address,
    payee_name: nameOfPayee(way),
    known_label: isNew ? null : way.to.label,
    known_names: isNew ? [] : await namesTold(app.db, way.to),
    waits_for_allowlist: way.allowlist && way.route?.allowlist_state !== 'APPROVED',
    waits_for_halt: isDue && (await isHalted(app, payer.workspace, way)),
  }
}

async function isHalted(app: TreasuryApp, workspace: WorkspaceId, { from }: Way): Promise<boolean> {
  try {
    await assertSending(app, { workspace, from_wallet: from })
    return false
  } catch (error) {
    if (error instanceof ApiError && error.details.some(({ code }) => code === 'HALTED'))
      return true
    throw error
  }
}

function nameOfPayee({ route, checked }: Way): string | null {
  const name = (route ?? checked)?.transfer.to['name']
  return typeof name === 'string' && name !== '' ? name : null
}

function payeeWord({ to, route }: Way): PaymentPreview['payee'] {
  if (route !== undefined) return 'KNOWN'
  return to.draft === undefined ? 'NEW_ROUTE' : 'NEW'
}

/**
 * Checks everything that can be known before it is sent. Refused as a withdrawal, and RANGE. What
 * the account has then is known only of a payment that goes at once.
 */
export async function checked(app: TreasuryApp, payer: Payer, body: CreatePaymentBody) {
  const way = await wayOf(app, payer, body)
  const { from, to, protocol } = way
  const { workspace } = payer
  const { transfers } = await senderOf(app, from)
  assertOwnReference(transfers.fields(from.asset, protocol), body)
  const asset = await assetByCode(app.db, workspace, from.asset)
  const quantity = amountOf(body.quantity, asset, 'quantity')
  await ownersOf(app.db, { workspace, from_wallet: from, to_wallet: to }, body, quantity)
  await assertWithinLimits(app.db, { workspace, from_wallet: from, protocol }, quantity)
  const now = app.clock.now()
  const send_at = sendAt(body, now)
  if (send_at <= now) await assertCovered(app.db, workspace, body, { quantity, asset: from.asset })
  return { way, quantity: format(quantity), send_at }
}

async function assertCovered(
  reader: Reader,
  workspace: WorkspaceId,
  { account_id }: CreatePaymentBody,
  { quantity, asset }: { quantity: Decimal; asset: string },
): Promise<void> {
  if (account_id === undefined) return
  const left = await withdrawableOf(reader, { workspace, account_id, asset })
  if (left !== null && left < quantity)
    throw refuse(
      'INSUFFICIENT_BALANCE',
      'quantity',
      `${format(left)} ${asset} can be withdrawn from the account, ${format(quantity)} needed`,
    )
}

/** To a payee, what each payment is for is its own: never that of an earlier one. */
function assertOwnReference(fields: TransferFields, { payee, reference }: CreatePaymentBody): void {
  if (reference !== undefined) return assertReference(fields, reference)
  const isNeeded = fields.to.some(({ name, required }) => name === 'reference' && required)
  if (payee !== undefined && isNeeded)
    throw refuse('REQUIRED', 'reference', 'reference is required: it is what the payee reads')
}

function sendAt({ send_at }: CreatePaymentBody, now: number): number {
  if (send_at === undefined) return now
  if (send_at < now - LATE_MILLISECONDS)
    throw refuse('RANGE', 'send_at', 'send_at is over: name a later time, or none to send at once')
  if (send_at > now + YEAR_MILLISECONDS)
    throw refuse('RANGE', 'send_at', 'send_at is more than a year ahead')
  return send_at
}
