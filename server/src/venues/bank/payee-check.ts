/**
 * What a bank says about the payee's name (verification of payee). Of the ISO external codes, RCVC,
 * RVCM and RVNC are meant for a group and RVMC, RVNM and RVNA for a payment, but banks mix them up:
 * hbci4j/hbci4java test-pain-parse-0020110-01.xml has RVMC for a group. So each counts anywhere.
 *
 * Of the texts beside a code only the name of a close match is shown: at Atruvia others explain all
 * codes, whatever was found (nemiah/phpFinTS, SendTransferVoPTest.php).
 */
import type { PaymentStatus } from './status-report.ts'

const ADVICE = 'release or cancel it at the bank'

const OTHER_PAYEE = `the payee of another payment in the same file does not match: ${ADVICE}`

/** Null: nothing stands against the payment. RCVM is a common misspelling. */
const FINDINGS: Record<string, ((payee: string) => string) | null> = {
  RCVC: null,
  RVNC: null,
  RVCM: (payee) => `the payee check found a mismatch${payee}: ${ADVICE}`,
  RCVM: (payee) => `the payee check found a mismatch${payee}: ${ADVICE}`,
  RVMC: (payee) => `the payee's name is almost that of the account${payee}: ${ADVICE}`,
  RVNM: (payee) => `the payee's name is not that of the account${payee}: ${ADVICE}`,
  RVNA: (payee) => `the payee's name could not be checked${payee}: ${ADVICE}`,
}
/** The bank has gone on with the payment. What only says that the file is there is none of them. */
const GOES_ON = new Set(['ACCP', 'ACSP', 'ACWC', 'ACWP', 'ACFC'])

export const isPayeeCheck = ({ status }: PaymentStatus): boolean => Object.hasOwn(FINDINGS, status)

type StandingCheck = {
  status: string
  objection: string | null
  /** The name of the account, where the bank tells it. */
  payee: string | null
  later: readonly PaymentStatus[]
}

/**
 * The last finding that still stands, oldest status first; undefined where there is none. A bank
 * executes or cancels a file with several payments as a whole (hilfe.starmoney.de, StarMoney
 * Business and EBICS): so a payment whose payee matches waits too, where another one's does not.
 */
export function standingCheck(
  statuses: readonly PaymentStatus[],
  isShared: boolean,
): StandingCheck | undefined {
  const at = statuses.findLastIndex(isPayeeCheck)
  const check = statuses[at]
  if (check === undefined) return undefined
  const later = statuses.slice(at + 1)
  if (later.some(({ status }) => GOES_ON.has(status))) return undefined
  const { status, payee } = check
  const named = payee === null ? '' : ` (the bank says ${payee})`
  const objection = FINDINGS[status]?.(named) ?? null
  if (objection !== null || !isShared) return { status, objection, payee, later }
  const ofFile = statuses.findLast((one) => isPayeeCheck(one) && one.scope === 'MESSAGE')
  return ofFile === undefined || FINDINGS[ofFile.status] === null
    ? { status, objection, payee, later }
    : { status: ofFile.status, objection: OTHER_PAYEE, payee: null, later }
}
