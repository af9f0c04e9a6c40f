/**
 * Whether a destination can exist at all: checksums and formats, without asking anybody.
 * `unchecked` means that nobody here can tell, and must not be taken for valid.
 */
import { validate as isAba } from 'abavalidator'
import { countrySpecs, isSEPACountry, isValidBIC, isValidIBAN } from 'ibantools'
import multicoin from 'multicoin-address-validator'
import {
  isValidClassicAddress,
  isValidXAddress,
  xAddressToClassicAddress,
} from 'ripple-address-codec'

export type AddressCheck = 'valid' | 'invalid' | 'unchecked'

type CheckedAddress = {
  asset: string
  protocol: string
  address: string
  tag?: string | null
}

const MAXIMUM_XRP_TAG = 0xffff_ffff
const LONGEST_STELLAR_MEMO_BYTES = 28

/** Tokens live at addresses of their chain, so the protocol decides, not the asset. */
export function checkAddress({ protocol, address, tag }: CheckedAddress): AddressCheck {
  if (address === '' || address !== address.trim()) return 'invalid'
  if (protocol === 'SEPA' || protocol === 'SEPA_INSTANT')
    return isInSepa(address) ? checkIban(address) : 'invalid'
  if (protocol === 'FOREIGN') return checkBankAccount(address)
  if (protocol === 'XRP') return checkXrp(address, tag || null)
  if (protocol === 'XLM' && !isStellarMemo(tag ?? '')) return 'invalid'
  try {
    return multicoin.validate(address, protocol) ? 'valid' : 'invalid'
  } catch {
    // The library throws for a chain it does not know (ATOM, NEAR, TON, …): that says nothing about
    // the address.
    return 'unchecked'
  }
}

/** Electronic form: capitals, no spaces; country's length and format, mod 97. */
export function checkIban(iban: string): AddressCheck {
  return isValidIBAN(iban) ? 'valid' : 'invalid'
}

/** Joined since the library's list was made: EPC, geographical scope, 2024 and 2025. */
const NEWER_SEPA_COUNTRIES = new Set(['AL', 'MD', 'ME', 'MK', 'RS'])

/** Whether the IBAN's country is in the geographical scope of the SEPA schemes (EPC409-09). */
export function isInSepa(iban: string): boolean {
  const country = iban.slice(0, 2)
  return isSEPACountry(country) || NEWER_SEPA_COUNTRIES.has(country)
}

/**
 * The electronic form of an IBAN that was typed with spaces or in small letters; anything else as
 * it is.
 */
export function bareIban(text: string): string {
  const bare = text.replaceAll(/\s/g, '').toUpperCase()
  return checkIban(bare) === 'valid' ? bare : text
}

/**
 * An IBAN, or the account number of a country without: what begins like an IBAN and is as long must
 * be one.
 */
export function checkBankAccount(account: string): AddressCheck {
  if (/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(account)) return checkIban(account)
  return /^[A-Z0-9](?:[A-Z0-9-]{2,32}[A-Z0-9])$/.test(account) && /[0-9]/.test(account)
    ? 'valid'
    : 'invalid'
}

/** ISO 9362, 8 or 11 capitals and digits. */
export function checkBic(bic: string): AddressCheck {
  return bic === bic.toUpperCase() && isValidBIC(bic) ? 'valid' : 'invalid'
}

/** A code of ISO 3166: two capitals. */
export function checkCountry(country: string): AddressCheck {
  return Object.hasOwn(countrySpecs, country) ? 'valid' : 'invalid'
}

/** American routing number with its checksum. */
export function checkAba(aba: string): AddressCheck {
  return /^[0-9]{9}$/.test(aba) && isAba(aba) ? 'valid' : 'invalid'
}

/** A number or a text of at most 28 bytes, or 32 bytes in hexadecimal (developers.stellar.org). */
const isStellarMemo = (memo: string): boolean =>
  Buffer.byteLength(memo) <= LONGEST_STELLAR_MEMO_BYTES || /^[0-9a-f]{64}$/i.test(memo)

/**
 * Classic address, or an X-address of the main net; a tag inside an X-address must not contradict
 * the one beside it.
 */
function checkXrp(address: string, tag: string | null): AddressCheck {
  if (tag !== null && !(/^(0|[1-9][0-9]{0,9})$/.test(tag) && Number(tag) <= MAXIMUM_XRP_TAG))
    return 'invalid'
  if (isValidClassicAddress(address)) return 'valid'
  if (!isValidXAddress(address)) return 'invalid'
  const inner = xAddressToClassicAddress(address)
  if (inner.test) return 'invalid'
  return tag === null || inner.tag === false || String(inner.tag) === tag ? 'valid' : 'invalid'
}
