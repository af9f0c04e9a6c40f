/** The parts we use of two packages whose own types do not reach the compiler. */
declare module 'multicoin-address-validator' {
  const validator: {
    /** Throws for a currency it does not know. */
    validate(address: string, currency: string): boolean
  }
  export default validator
}

declare module 'sepa' {
  export type Transfer = {
    id: string
    end2endId: string
    currency: string
    amount: number
    remittanceInfo: string
    creditorName: string
    creditorIBAN: string
    creditorBIC: string
  }
  export type PaymentInformation = {
    id: string
    requestedExecutionDate: Date | null
    debtorName: string
    debtorIBAN: string
    debtorBIC: string
    createTransaction(): Transfer
    addTransaction(transfer: Transfer): void
  }
  export class Document {
    constructor(message: 'pain.001.001.09')
    grpHdr: { id: string; created: Date; initiatorName: string }
    createPaymentInfo(): PaymentInformation
    addPaymentInfo(information: PaymentInformation): void
    toString(): string
  }
}
