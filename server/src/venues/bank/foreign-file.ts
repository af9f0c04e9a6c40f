/**
 * Writes one credit transfer outside SEPA as pain.001.001.03: charges shared, the creditor's bank
 * by BIC or by its number in the American clearing, the creditor by IBAN or account number. The
 * later .09 is what SEPA banks restrict to SEPA payments.
 */
import { create } from 'xmlbuilder2'
import { checkIban } from '../addresses.ts'
import { twoDecimals, type Payment } from './payment-file.ts'

export type ForeignPayment = Payment & {
  currency: string
  agent: { bic: string | null; aba: string | null; name: string | null }
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.03'
/** ISO external clearing system code: United States routing numbers. */
const AMERICAN_CLEARING = 'USABA'

export function writeForeignPayment(payment: ForeignPayment): string {
  const { message_id, created_at, debtor, creditor, agent } = payment
  const amount = twoDecimals(payment.quantity)
  const one = { NbOfTxs: '1', CtrlSum: amount }
  const account =
    checkIban(creditor.iban) === 'valid' ? { IBAN: creditor.iban } : { Othr: { Id: creditor.iban } }
  return create(
    { version: '1.0', encoding: 'UTF-8' },
    {
      Document: {
        '@xmlns': NAMESPACE,
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
            ReqdExctnDt: created_at.toISOString().slice(0, 10),
            Dbtr: { Nm: debtor.name },
            DbtrAcct: { Id: { IBAN: debtor.iban } },
            DbtrAgt: { FinInstnId: { BIC: debtor.bic } },
            ChrgBr: 'SHAR',
            CdtTrfTxInf: {
              PmtId: { InstrId: message_id, EndToEndId: message_id },
              Amt: { InstdAmt: { '@Ccy': payment.currency, '#': amount } },
              CdtrAgt: {
                FinInstnId: {
                  ...(agent.bic === null ? {} : { BIC: agent.bic }),
                  ...(agent.aba === null
                    ? {}
                    : { ClrSysMmbId: { ClrSysId: { Cd: AMERICAN_CLEARING }, MmbId: agent.aba } }),
                  ...(agent.name === null ? {} : { Nm: agent.name }),
                },
              },
              Cdtr: { Nm: creditor.name },
              CdtrAcct: { Id: account },
              RmtInf: { Ustrd: payment.reference },
            },
          },
        },
      },
    },
  ).end()
}
