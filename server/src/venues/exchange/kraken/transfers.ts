/** Deposits and withdrawals at Kraken. */
import { refuse } from '../../../core/errors.ts'
import type {
  Asking,
  FeeEstimate,
  Incoming,
  TransferFields,
  TransferOrder,
  Transfers,
} from '../../contract.ts'
import { readRows, rereadRow } from '../../set-aside/records.ts'
import { exact, optionalText, text } from '../answers.ts'
import type { Row } from '../answers.ts'
import { isLive, readChangesSince, outgoingWord } from '../movements.ts'
import type { ListName } from '../quiet-lists.ts'
import { isMoney, termMeant } from '../../terms.ts'
import type { Term } from '../../terms.ts'
import type { Patience } from '../trading.ts'
import { ANONYMOUS, oneFee } from '../withdrawals.ts'
import { askingFor } from './calls.ts'
import type { Asking as HowAsked, KrakenCalls } from './calls.ts'
import { readList } from './lists.ts'
import type { ListOperation } from './lists.ts'
import { FAILURES, depositState, milliseconds } from './vocabulary.ts'
import { feeNow, findWithdrawal, keyOf, outgoingOf, sendKrakenWithdrawal } from './withdrawals.ts'

const IBAN = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/

const FIELDS: TransferFields = {
  from: [
    {
      name: 'key',
      type: 'string',
      required: true,
      description:
        'Name of the withdrawal key to use, as registered at Kraken for this destination',
    },
  ],
  to: [],
}

export function krakenTransfers(calls: KrakenCalls, patience: Patience): Transfers {
  return {
    fee_deducted: true,
    fields(asset, protocol) {
      calls.terms.of(asset, protocol)
      return FIELDS
    },
    estimateFee: (order) => estimateFee(calls, order),
    send: (order) => sendKrakenWithdrawal(calls, order, patience),
    find: (lookup) => findWithdrawal(calls, lookup, patience),
    incoming: (cursor, asking) =>
      quietly(calls, { list: 'deposits', cursor, asking }, (how) =>
        readChangesSince(
          cursor,
          movementsOf(calls, { operation: 'DepositStatus', how }, incomingOf),
          (movement) => movement.state,
        ),
      ),
    outgoing: (cursor, asking) =>
      quietly(calls, { list: 'withdrawals', cursor, asking }, (how) =>
        readChangesSince(
          cursor,
          movementsOf(calls, { operation: 'WithdrawStatus', how }, outgoingOf),
          outgoingWord,
        ),
      ),
    reread: async (record) =>
      rereadRow<Row>(record, {
        IN: (row) => ofOurAsset(calls, row, incomingOf),
        OUT: (row) => ofOurAsset(calls, row, outgoingOf),
      }),
  }
}

type Asked = { list: ListName; cursor: string | null; asking: Asking | undefined }

/** Without a call while nothing says that there is something new. */
function quietly<Answer extends { movements: unknown[]; cursor: string | null }>(
  { quiet }: KrakenCalls,
  { list, cursor, asking: { fresh } = {} }: Asked,
  read: (how: HowAsked) => Promise<Answer>,
): Promise<Answer> {
  return quiet.read(list, { key: `${cursor}`, fresh }, async () => {
    const answer = await read(askingFor(fresh))
    const live = isLive(answer.cursor)
    return { answer, quiet: answer.cursor === cursor && answer.movements.length === 0, live }
  })
}

async function estimateFee(
  calls: KrakenCalls,
  order: Pick<TransferOrder, 'asset' | 'protocol' | 'quantity' | 'transfer'>,
): Promise<FeeEstimate> {
  const entry = calls.terms.of(order.asset, order.protocol)
  const key = keyOf(order)
  if (key === '') throw refuse('REQUIRED', 'transfer.from.key', 'the withdrawal key is missing')
  const fee = await FAILURES.reading(
    () => feeNow(calls, { entry, key, amount: order.quantity }, 'lookup'),
    'transfer.from.key',
  )
  return oneFee(entry.asset, fee)
}

/** Reads what Kraken lists of our assets. */
const movementsOf =
  <Movement>(
    calls: KrakenCalls,
    { operation, how }: { operation: ListOperation; how: HowAsked },
    movementOf: MovementOf<Movement>,
  ) =>
  async (since: number | null) => {
    const all = await FAILURES.reading(() =>
      readList(calls, operation, { start: since, asking: how }),
    )
    return readRows(all, {
      direction: operation === 'DepositStatus' ? 'IN' : 'OUT',
      idOf: (row) => row['refid'],
      read: (row) => ofOurAsset(calls, row, movementOf),
    })
  }

/** `protocol`: null where it moved by none of ours; `entry` is then another one of the asset. */
type MovementOf<Movement> = (row: Row, entry: Term, protocol: string | null) => Movement

/** None of an asset that we do not move here. */
function ofOurAsset<Movement>(
  { terms }: KrakenCalls,
  row: Row,
  movementOf: MovementOf<Movement>,
): Movement[] {
  const native = text(row, 'asset')
  const ofAsset = terms.all.filter((term) => term.native === native)
  const [first] = ofAsset
  if (first === undefined) return []
  const meant = termMeant(ofAsset, row['method'], row['network'])
  return [movementOf(row, meant ?? first, meant?.protocol ?? null)]
}

function incomingOf(row: Row, entry: Term, protocol: string | null): Incoming {
  const info = optionalText(row, 'info')
  const iban = isMoney(entry) && info !== null && IBAN.test(info) ? info : null
  return {
    ...ANONYMOUS,
    foreign_id: text(row, 'refid'),
    state: depositState(row),
    asset: entry.asset,
    protocol,
    quantity: exact(row, 'amount'),
    transaction_hash: optionalText(row, 'txid'),
    source_address: iban,
    destination_address: isMoney(entry) ? null : info,
    counterparty: iban === null ? null : { name: null, iban, bic: null },
    occurred_at: milliseconds(row, 'time'),
  }
}
