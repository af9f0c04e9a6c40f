/**
 * Payments at the bank. Our reference leads to the payment's file, so a second send finds the
 * first. What became of a payment follows from the bank's messages and from where its file lies.
 */
import type { Transfers } from '../contract.ts'
import { dayAt, executionDate } from './calendar.ts'
import { mustHaveFields, SEPA_INSTANT } from './fields.ts'
import { agreedFee, lookUp } from './lookup.ts'
import { incomingIn, outgoingIn, readSince } from './movements.ts'
import type { Bank } from './parts.ts'
import { toMessageId } from './reference.ts'
import { sendPayment } from './sending.ts'
import { asideRecord, rereadRecord, setAsideRecord } from './set-aside.ts'
import type { WaitingRecord } from './waiting-records.ts'

export function bankTransfers(bank: Bank): Transfers {
  const { account, inbox } = bank
  const readOn = async (cursor: string | null) => {
    const files = await inbox.files()
    const aside = await inbox.aside()
    return readSince(cursor, { files, aside }, await bank.entriesOf(files))
  }
  const setAside = (records: readonly WaitingRecord[]) =>
    Promise.all(records.map((record) => setAsideRecord(inbox, record)))
  return {
    fee_deducted: false,
    fields: (asset, protocol) => mustHaveFields(account, asset, protocol),
    estimateFee: async ({ asset, protocol }) => {
      mustHaveFields(account, asset, protocol)
      const fee = agreedFee(account, protocol)
      return {
        asset: account.currency,
        custom: false,
        speed_levels: { DEFAULT: fee, FAST: fee, SLOW: fee },
      }
    },
    executionDate: ({ protocol }, now) =>
      protocol === SEPA_INSTANT
        ? dayAt(account.calendar, now)
        : executionDate(account.calendar, now),
    send: (order) => sendPayment(bank, order),
    find: async (order) => {
      const message_id = toMessageId(order.external_id)
      return message_id === undefined ? { lookup: 'absent' } : lookUp(bank, message_id, order)
    },
    incoming: async (cursor) => {
      const reading = await readOn(cursor)
      const waiting = reading.waiting.filter(({ direction }) => direction !== 'DBIT')
      const files = reading.aside.map((file) => asideRecord(inbox, file))
      return {
        movements: incomingIn(account, reading),
        set_aside: [...(await setAside(waiting)), ...(await Promise.all(files))],
        cursor: reading.cursor,
      }
    },
    outgoing: async (cursor) => {
      const reading = await readOn(cursor)
      const waiting = reading.waiting.filter(({ direction }) => direction === 'DBIT')
      return {
        movements: outgoingIn(account, reading),
        set_aside: await setAside(waiting),
        cursor: reading.cursor,
      }
    },
    reread: (record) => rereadRecord(bank, record),
  }
}
