/** What a withdrawal blocks: on each owner's account their part, and what they bear of the fee. */
import { settingsOf } from '../../access/index.ts'
import { FRACTION_DIGITS, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { assetsOf, holdsOf } from '../../ledger/index.ts'
import type { Hold, HoldDraft, LedgerStep } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { feeShares } from '../bookings.ts'
import type { Share } from '../bookings.ts'
import type { WithdrawalRow } from './rows.ts'

/** Why something is blocked, and until when at most. */
type HoldCause = Pick<HoldDraft, 'cause_type' | 'cause_id' | 'expires_at'>

export type AgreedFee = { fee: Decimal; asset: string }

type HeldParts = {
  quantity: Decimal
  owners: readonly Share[]
  fee: AgreedFee
  asset: string
  cause: HoldCause
}

/** Blocks on each owner's account their part, and what they bear of the fee. */
export async function holdsOfOwners(
  reader: Reader,
  workspace: WorkspaceId,
  parts: HeldParts,
): Promise<LedgerStep[]> {
  const { quantity, owners, fee, asset, cause } = parts
  const { fee_borne_by } = await settingsOf(reader, workspace)
  const scale = (await assetsOf(reader, workspace)).get(fee.asset)?.scale ?? FRACTION_DIGITS
  const fees = fee_borne_by === 'CUSTOMER' ? feeShares(fee.fee, quantity, owners, scale) : []
  return [...Map.groupBy(owners, (owner) => owner.account_id)].flatMap(([account_id, own]) => {
    const share = { account_id, quantity: sum(own.map((part) => part.quantity)) }
    const borne = fees.find((part) => part.account_id === account_id)
    return borne === undefined
      ? holdShare(cause, asset, share)
      : holdShare(cause, asset, share, { fee: borne.quantity, asset: fee.asset })
  })
}

/**
 * Blocks a share, and a fee that its account bears: in the same hold, or in one of its own asset.
 */
export function holdShare(
  cause: HoldCause,
  asset: string,
  share: Share,
  fee: AgreedFee = { fee: 0n, asset },
): LedgerStep[] {
  const parts =
    fee.asset === asset
      ? [{ asset, quantity: share.quantity + fee.fee }]
      : [
          { asset, quantity: share.quantity },
          { asset: fee.asset, quantity: fee.fee },
        ].filter((part) => part.asset === asset || part.quantity > 0n)
  return parts.map((part): LedgerStep => ({
    step: 'hold',
    hold: { id: newId(), kind: 'WITHDRAWAL', account_id: share.account_id, ...cause, ...part },
  }))
}

export async function openHoldsOf(
  reader: Reader,
  { workspace, id }: Pick<WithdrawalRow, 'workspace' | 'id'>,
): Promise<Hold[]> {
  const holds = await holdsOf(reader, workspace, id)
  return holds.filter((hold) => hold.state === 'OPEN')
}
