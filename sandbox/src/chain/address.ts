/**
 * Addresses as their protocols write them, checksum included: BTC pay-to-public-key-hash and XRP classic addresses are
 * base58check with different alphabets, ETH is EIP-55. They are valid for everyone who checks them; no key belongs to them.
 */
import { createHash, randomBytes } from 'node:crypto'
import { keccak256 } from './keccak.ts'

const BTC_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const XRP_ALPHABET = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz'
const PAYLOAD_BYTES = 20

export function randomAddress(protocol: string): string {
  const payload = randomBytes(PAYLOAD_BYTES)
  if (protocol === 'BTC')
    return base58check(Buffer.concat([Buffer.from([0]), payload]), BTC_ALPHABET)
  if (protocol === 'XRP')
    return base58check(Buffer.concat([Buffer.from([0]), payload]), XRP_ALPHABET)
  if (protocol === 'ETH') return eip55(payload.toString('hex'))
  throw new Error(`no addresses for protocol ${protocol}`)
}

/** Whether the text is an address of this protocol whose checksum is right. */
export function isAddress(protocol: string, text: string): boolean {
  if (protocol === 'BTC') return isBase58check(text, BTC_ALPHABET, [0x00, 0x05]) || isBech32(text)
  if (protocol === 'XRP') return isBase58check(text, XRP_ALPHABET, [0x00])
  if (protocol !== 'ETH' || !/^0x[0-9a-fA-F]{40}$/.test(text)) return false
  const hex = text.slice(2)
  return hex === hex.toLowerCase() || hex === hex.toUpperCase() || eip55(hex) === text
}

/** One spelling per address: EIP-55 for ETH, lower case for bech32. */
export function canonical(protocol: string, address: string): string {
  if (protocol === 'ETH') return eip55(address.slice(2))
  return protocol === 'BTC' && address.toLowerCase().startsWith('bc1')
    ? address.toLowerCase()
    : address
}

function eip55(hex: string): string {
  const lower = hex.toLowerCase()
  const hash = keccak256(Buffer.from(lower)).toString('hex')
  return `0x${Array.from(lower, (digit, at) => (Number.parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`
}

function checksum(bytes: Buffer): Buffer {
  const once = createHash('sha256').update(bytes).digest()
  return createHash('sha256').update(once).digest().subarray(0, 4)
}

function base58check(bytes: Buffer, alphabet: string): string {
  const whole = Buffer.concat([bytes, checksum(bytes)])
  let value = BigInt(`0x${whole.toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = alphabet.charAt(Number(value % 58n)) + text
  const zeros = whole.findIndex((byte) => byte !== 0)
  return alphabet.charAt(0).repeat(zeros) + text
}

function isBase58check(text: string, alphabet: string, versions: readonly number[]): boolean {
  if (text.length < 25 || text.length > 36) return false
  let value = 0n
  for (const character of text) {
    const digit = alphabet.indexOf(character)
    if (digit < 0) return false
    value = value * 58n + BigInt(digit)
  }
  const hex = value.toString(16).padStart(2 * (1 + PAYLOAD_BYTES + 4), '0')
  if (hex.length !== 2 * (1 + PAYLOAD_BYTES + 4)) return false
  const bytes = Buffer.from(hex, 'hex')
  const body = bytes.subarray(0, 1 + PAYLOAD_BYTES)
  return (
    versions.includes(body[0] ?? -1) &&
    bytes.subarray(1 + PAYLOAD_BYTES).equals(checksum(body)) &&
    base58check(body, alphabet) === text
  )
}

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const BECH32_GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

/** Segregated-witness addresses, BIP 173 (version 0) and BIP 350 (versions from 1). */
function isBech32(text: string): boolean {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return false
  const lower = text.toLowerCase()
  if (!lower.startsWith('bc1') || lower.length < 14 || lower.length > 74) return false
  const words = Array.from(lower.slice(3), (character) => BECH32.indexOf(character))
  if (words.includes(-1)) return false
  let sum = 1
  for (const word of [3, 3, 0, 2, 3, ...words]) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ word
    BECH32_GENERATOR.forEach((part, bit) => {
      if ((top >>> bit) & 1) sum ^= part
    })
  }
  return sum >>> 0 === (words[0] === 0 ? 1 : 0x2bc830a3)
}
