/** What this bank could never execute is refused here, before a file exists. */
import { format, scaleOf } from '../../core/decimal.ts'
import { checkAba, checkBankAccount, checkBic, checkIban, isInSepa } from '../addresses.ts'
import type { TransferOrder } from '../contract.ts'
import type { BankAccount } from './config.ts'
import { decimalsOf } from './currency.ts'
import { fieldsOf, FOREIGN, protocolObjection } from './fields.ts'
import type { ForeignPayment } from './foreign-file.ts'
import { limitsOf } from './instant.ts'
import { addressOf, type PostalAddress } from './postal-address.ts'
import { MAXIMUM_NAME, MAXIMUM_REMITTANCE, remittanceText, sepaText } from './reference.ts'

/** What a payment file says of its receiver. */
type CheckedPayment = Pick<ForeignPayment, 'reference' | 'agent'> & {
  name: string
  address: PostalAddress
}

/** The texts of an order in SEPA characters, undefined where a character has no counterpart. */
type Texts = {
  payee: string | undefined
  reference: string | undefined
  institution: string | undefined
  bic: string | null
  aba: string | null
}

export function checkPayment(
  account: BankAccount,
  order: TransferOrder,
): { objection: string } | CheckedPayment {
  const texts = textsOf(order)
  const objection =
    orderObjection(account, order) ??
    textObjection(texts) ??
    (order.protocol === FOREIGN ? agentObjection(texts) : null)
  if (objection !== null) return { objection }
  const address = addressOf(order.transfer.to)
  if ('objection' in address) return address
  const { payee, reference, institution, bic, aba } = texts
  return {
    name: payee ?? '',
    address,
    reference: remittanceText(reference ?? '', order.purpose),
    agent: { bic, aba, name: institution || null },
  }
}

function textsOf({ transfer: { to }, recipient_name }: TransferOrder): Texts {
  return {
    payee: sepaText(to['name'] ?? recipient_name ?? ''),
    reference: sepaText(to['reference'] ?? ''),
    institution: sepaText(to['credit_institution'] ?? ''),
    bic: to['bic'] || null,
    aba: to['aba'] || null,
  }
}

function orderObjection(account: BankAccount, order: TransferOrder): string | null {
  const { number, currency } = account
  const { asset, protocol, quantity } = order
  if (fieldsOf(account, asset, protocol) === undefined) return protocolObjection(asset, protocol)
  if (order.speed_level === 'CUSTOM') return 'the bank takes no custom fee'
  if (order.source_wallet !== null && order.source_wallet !== number)
    return `${order.source_wallet} is not the account at this bank`
  const address = addressObjection(order)
  if (address !== null) return address
  if (order.destination_address === number) return 'the account cannot pay itself'
  const { minimum, maximum } = limitsOf(account, protocol)
  const decimals = decimalsOf(currency)
  return quantity < minimum || quantity > maximum || scaleOf(quantity) > decimals
    ? `the amount is not between ${format(minimum)} and ${format(maximum)} ${currency}`
    : null
}

function addressObjection({ protocol, destination_address }: TransferOrder): string | null {
  if (protocol === FOREIGN)
    return checkBankAccount(destination_address) === 'valid'
      ? null
      : `${destination_address} is not a valid IBAN or account number`
  if (checkIban(destination_address) !== 'valid')
    return `${destination_address} is not a valid IBAN`
  return isInSepa(destination_address) ? null : `${destination_address} is outside SEPA`
}

function textObjection({ payee, reference }: Texts): string | null {
  if (!payee || payee.length > MAXIMUM_NAME)
    return 'the recipient name is missing, too long or not in SEPA characters'
  if (!reference || reference.length > MAXIMUM_REMITTANCE)
    return 'the payment reference is missing, too long or not in SEPA characters'
  return null
}

function agentObjection({ bic, aba, institution }: Texts): string | null {
  if (bic === null && aba === null)
    return "neither BIC nor ABA of the recipient's credit institution is named"
  if (bic !== null && checkBic(bic) !== 'valid') return `${bic} is not a valid BIC`
  if (aba !== null && checkAba(aba) !== 'valid') return `${aba} is not a valid ABA number`
  return institution === undefined || institution.length > MAXIMUM_REMITTANCE
    ? 'the name of the credit institution is too long or not in SEPA characters'
    : null
}
