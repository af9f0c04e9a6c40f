/**
 * Writes credit transfers outside SEPA as pain.001.001.03 or .09: charges shared, banks by BIC
 * or by their number in the American clearing, accounts by IBAN or account number. Many SEPA banks
 * restrict .09 to SEPA payments; Swiss banks want it for all (Swiss Payment Standards 2022, 2.0).
 */
import { create } from 'xmlbuilder2'
import { checkIban } from '../addresses.ts'
import { amountText, totalText, type Payment, type PaymentFile } from './payment-file.ts'
import { postalAddress } from './postal-address.ts'

export const FOREIGN_MESSAGES = ['pain.001.001.03', 'pain.001.001.09'] as const
export type ForeignMessage = (typeof FOREIGN_MESSAGES)[number]

export type ForeignPayment = Payment & {
  agent: { bic: string | null; aba: string | null; name: string | null }
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:'
/** ISO external clearing system code: United States routing numbers. */
const AMERICAN_CLEARING = 'USABA'

type Account = { currency: string; foreign_message: ForeignMessage }

export function writeForeignPayments(
  file: PaymentFile<ForeignPayment> & { account: Account },
): string {
  const { file_id, created_at, execution_date, debtor, payments, account } = file
  const { currency, foreign_message } = account
  const count = {
    NbOfTxs: String(payments.length),
    CtrlSum: totalText(payments, currency),
  }
  return create(
    { version: '1.0', encoding: 'UTF-8' },
    {
      Document: {
        '@xmlns': NAMESPACE + foreign_message,
        CstmrCdtTrfInitn: {
          GrpHdr: {
            MsgId: file_id,
            CreDtTm: created_at.toISOString(),
            ...count,
            InitgPty: { Nm: debtor.name },
          },
          PmtInf: {
            PmtInfId: file_id,
            PmtMtd: 'TRF',
            BtchBookg: 'false',
            ...count,
            ...serviceOf(debtor),
            ReqdExctnDt:
              foreign_message === 'pain.001.001.03' ? execution_date : { Dt: execution_date },
            Dbtr: { Nm: debtor.name, ...postalAddress(debtor.address) },
            // Some banks keep one number for several currencies.
            DbtrAcct: { ...accountOf(debtor), Ccy: currency },
            DbtrAgt: institutionOf({ ...debtor, name: null }, foreign_message),
            ChrgBr: 'SHAR',
            CdtTrfTxInf: payments.map((payment) => transferOf(payment, account)),
          },
        },
      },
    },
  ).end()
}

function transferOf(
  { message_id, quantity, creditor, agent, reference }: ForeignPayment,
  { currency, foreign_message }: Account,
): object {
  return {
    PmtId: { InstrId: message_id, EndToEndId: message_id },
    Amt: { InstdAmt: { '@Ccy': currency, '#': amountText(quantity, currency) } },
    CdtrAgt: institutionOf(agent, foreign_message),
    Cdtr: { Nm: creditor.name, ...postalAddress(creditor.address) },
    CdtrAcct: accountOf(creditor),
    RmtInf: { Ustrd: reference },
  }
}

/**
 * From an American account, a wire: without a service level its bank may choose the slower
 * clearing, which is NURG (svapnil/iso20022.js, swift- and ach-credit-payment-initiation.ts).
 */
const serviceOf = ({ aba }: PaymentFile['debtor']): object =>
  aba === null ? {} : { PmtTpInf: { SvcLvl: { Cd: 'URGP' } } }

const accountOf = ({ number }: { number: string }): object => ({
  Id: checkIban(number) === 'valid' ? { IBAN: number } : { Othr: { Id: number } },
})

function institutionOf(
  { bic, aba, name }: ForeignPayment['agent'],
  message: ForeignMessage,
): object {
  const field = message === 'pain.001.001.03' ? 'BIC' : 'BICFI'
  const clearing = { ClrSysId: { Cd: AMERICAN_CLEARING }, MmbId: aba }
  return {
    FinInstnId: {
      ...(bic === null ? {} : { [field]: bic }),
      ...(aba === null ? {} : { ClrSysMmbId: clearing }),
      ...(name === null ? {} : { Nm: name }),
    },
  }
}
