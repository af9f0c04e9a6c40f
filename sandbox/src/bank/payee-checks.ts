/**
 * Verification of payee, as banks do it for files since October 2025: the check is reported by
 * pain.002, and where a payee does not match, the whole file waits until its customer releases or
 * cancels it (hilfe.starmoney.de, StarMoney Business and EBICS; ihre-vb.de, EU-Verordnung zur
 * Echtzeitüberweisung). The codes are those of the ISO external code sets.
 *
 * Here the payee's name says what the check finds: it begins with `Match`, `Close match`,
 * `No match` or `Not checked`. Of a close match the rest is the name of the account. Any other name
 * matches, and nothing is reported.
 */
import type { World } from '../world.ts'
import type { Habits } from './habits.ts'
import type { PaymentStatus } from './messages.ts'
import type { PaymentFile, PaymentInstruction } from './payments.ts'

type Finding = 'RCVC' | 'RVMC' | 'RVNM' | 'RVNA'

const NAMES: [beginning: RegExp, finding: Finding][] = [
  [/^match\b/i, 'RCVC'],
  [/^close match\b/i, 'RVMC'],
  [/^no match\b/i, 'RVNM'],
  [/^not checked\b/i, 'RVNA'],
]

/** Beside the code of the group, whatever was found: nemiah/phpFinTS, SendTransferVoPTest.php. */
export const EXPLANATIONS = [
  'RCVC The name matches.',
  'RVMC The name almost matches.',
  'RVNM The name does not match.',
  'RVNA The name could not be checked.',
]

type PayeeCheck = { group_status: string; payments: PaymentStatus[]; waits: boolean }

const findingOf = ({ foreign, creditor_name }: PaymentInstruction): Finding | undefined =>
  foreign ? undefined : NAMES.find(([beginning]) => beginning.test(creditor_name))?.[1]

/** Undefined where nothing is reported. */
export function checkPayees(
  { payments }: PaymentFile,
  codes: Habits['payee_check_codes'],
): PayeeCheck | undefined {
  if (payments.every((payment) => findingOf(payment) === undefined)) return undefined
  const found = payments.map((payment) => ({ payment, finding: findingOf(payment) ?? 'RCVC' }))
  const waits = found.some(({ finding }) => finding !== 'RCVC')
  return {
    group_status: waits ? MISMATCH[codes] : 'RCVC',
    payments: found.map(({ payment, finding }) => ({
      status: finding,
      payment_information_id: payment.payment_information_id,
      instruction_id: payment.instruction_id,
      end_to_end_id: payment.end_to_end_id,
      refusal: null,
      ...(finding === 'RVMC' ? { texts: [accountName(payment)] } : {}),
    })),
    waits,
  }
}

/** RVMC for a group: hbci4j/hbci4java, test-pain-parse-0020110-01.xml. RCVM: assumed. */
const MISMATCH: Record<Habits['payee_check_codes'], string> = {
  ISO: 'RVCM',
  MIXED: 'RVMC',
  MISSPELT: 'RCVM',
}

const accountName = ({ creditor_name }: PaymentInstruction): string =>
  creditor_name.replace(/^close match\s*/i, '') || 'Another Name'

/** Files that wait for their customer. */
export type HeldFiles = {
  hold(iban: string, file: PaymentFile): void
  isHeld(message_id: string): boolean
  list(): { message_id: string; payments: { end_to_end_id: string; name: string }[] }[]
  /** Undefined when no file of this id waits. Call it inside a commit. */
  take(message_id: string): { iban: string; file: PaymentFile } | undefined
}

export function openHeldFiles({ db }: World): HeldFiles {
  db.exec(`
    create table if not exists bank_held_files (
      message_id text primary key,
      iban text not null,
      file text not null
    )`)
  const insert = db.prepare('insert into bank_held_files (message_id, iban, file) values (?, ?, ?)')
  const select = db.prepare('select iban, file from bank_held_files where message_id = ?')
  const all = db.prepare('select file from bank_held_files order by message_id')
  const remove = db.prepare('delete from bank_held_files where message_id = ?')
  return {
    hold: (iban, file) => {
      insert.run(file.message_id, iban, textOf(file))
    },
    isHeld: (message_id) => select.get(message_id) !== undefined,
    list: () =>
      (all.all() as { file: string }[]).map((row) => {
        const { message_id, payments } = fileOf(row.file)
        return {
          message_id,
          payments: payments.map(({ end_to_end_id, creditor_name }) => ({
            end_to_end_id,
            name: creditor_name,
          })),
        }
      }),
    take: (message_id) => {
      const row = select.get(message_id) as { iban: string; file: string } | undefined
      if (row === undefined) return undefined
      remove.run(message_id)
      return { iban: row.iban, file: fileOf(row.file) }
    },
  }
}

const textOf = (file: PaymentFile): string =>
  JSON.stringify({
    ...file,
    payments: file.payments.map((payment) => ({ ...payment, cents: String(payment.cents) })),
  })

function fileOf(text: string): PaymentFile {
  const file = JSON.parse(text) as PaymentFile
  return {
    ...file,
    payments: file.payments.map((payment) => ({ ...payment, cents: BigInt(payment.cents) })),
  }
}
