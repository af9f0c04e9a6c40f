/**
 * Writes one credit transfer outside SEPA as pain.001.001.03 or .09: charges shared, banks by BIC
 * or by their number in the American clearing, accounts by IBAN or account number. Many SEPA banks
 * restrict .09 to SEPA payments; Swiss banks want it for all (Swiss Payment Standards 2022, 2.0).
 */
import { create } from 'xmlbuilder2'
import { checkIban } from '../addresses.ts'
import { amountText, type Payment } from './payment-file.ts'
import { postalAddress } from './postal-address.ts'

export const FOREIGN_MESSAGES = ['pain.001.001.03', 'pain.001.001.09'] as const
export type ForeignMessage = (typeof FOREIGN_MESSAGES)[number]

export type ForeignPayment = Payment & {
  account: { currency: string; foreign_message: ForeignMessage }
  agent: { bic: string | null; aba: string | null; name: string | null }
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:'
/** ISO external clearing system code: United States routing numbers. */
const AMERICAN_CLEARING = 'USABA'

export function writeForeignPayment(payment: ForeignPayment): string {
  const { message_id, created_at, execution_date, debtor, creditor, agent, account } = payment
  const { currency, foreign_message } = account
  const amount = amountText(payment.quantity, currency)
  const one = { NbOfTxs: '1', CtrlSum: amount }
  return create(
    { version: '1.0', encoding: 'UTF-8' },
    {
      Document: {
        '@xmlns': NAMESPACE + foreign_message,
        CstmrCdtTrfInitn: {
          GrpHdr: {
            MsgId: message_id,
            CreDtTm: created_at.toISOString(),
            ...one,
            InitgPty: { Nm: debtor.name },
          },
          PmtInf: {
            PmtInfId: message_id,
            PmtMtd: 'TRF',
            ...one,
            ...serviceOf(debtor),
            ReqdExctnDt:
              foreign_message === 'pain.001.001.03' ? execution_date : { Dt: execution_date },
            Dbtr: { Nm: debtor.name, ...postalAddress(debtor.address) },
            // Some banks keep one number for several currencies.
            DbtrAcct: { ...accountOf(debtor), Ccy: currency },
            DbtrAgt: institutionOf({ ...debtor, name: null }, foreign_message),
            ChrgBr: 'SHAR',
            CdtTrfTxInf: {
              PmtId: { InstrId: message_id, EndToEndId: message_id },
              Amt: { InstdAmt: { '@Ccy': currency, '#': amount } },
              CdtrAgt: institutionOf(agent, foreign_message),
              Cdtr: { Nm: creditor.name, ...postalAddress(creditor.address) },
              CdtrAcct: accountOf(creditor),
              RmtInf: { Ustrd: payment.reference },
            },
          },
        },
      },
    },
  ).end()
}

/**
 * From an American account, a wire: without a service level its bank may choose the slower
 * clearing, which is NURG (svapnil/iso20022.js, swift- and ach-credit-payment-initiation.ts).
 */
const serviceOf = ({ aba }: Payment['debtor']): object =>
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
