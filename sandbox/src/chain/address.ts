/**
 * Addresses as their protocols write them, checksum included. BTC pay-to-public-key-hash and XRP
 * classic addresses are base58check with different alphabets; ETH addresses follow EIP-55, XLM
 * accounts SEP-23. They pass every check of their format, but no key belongs to them.
 */
import { randomBytes } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { base32, base58, base58xrp, bech32, bech32m } from '@scure/base'
import type { BytesCoder } from '@scure/base'

const PAYLOAD_BYTES = 20
const BODY_BYTES = 1 + PAYLOAD_BYTES
const CHECKSUM_BYTES = 4
const P2PKH = 0x00
const P2SH = 0x05
/** litecoin-project/litecoin, src/chainparams.cpp: PUBKEY_ADDRESS, SCRIPT_ADDRESS2, bech32_hrp. */
const LTC_P2PKH = 0x30
const LTC_P2SH = 0x32
const XRP_CLASSIC = 0x00
/** stellar/stellar-protocol, ecosystem/sep-0023.md: version, key and a checksum of two bytes. */
const XLM_ACCOUNT = 6 << 3
const XLM_KEY_BYTES = 32
const XLM_CHECKSUM_BYTES = 2
/** 25 bytes in base58 never take more characters. */
const LONGEST_BASE58 = 36
const SHORTEST_BECH32 = 14
const LONGEST_BECH32 = 74

export function randomAddress(protocol: string): string {
  const payload = randomBytes(PAYLOAD_BYTES)
  if (protocol === 'BTC') return base58check(P2PKH, payload, base58)
  if (protocol === 'LTC') return base58check(LTC_P2PKH, payload, base58)
  if (protocol === 'XRP') return base58check(XRP_CLASSIC, payload, base58xrp)
  if (protocol === 'ETH') return eip55(payload.toString('hex'))
  if (protocol === 'XLM') return stellarAccount(randomBytes(XLM_KEY_BYTES))
  throw new Error(`no addresses for protocol ${protocol}`)
}

/** Whether the text is an address of this protocol whose checksum is right. */
export function isAddress(protocol: string, text: string): boolean {
  if (protocol === 'BTC') return isBase58check(text, base58, [P2PKH, P2SH]) || isSegwit(text, 'bc')
  if (protocol === 'LTC')
    return isBase58check(text, base58, [LTC_P2PKH, LTC_P2SH]) || isSegwit(text, 'ltc')
  if (protocol === 'XRP') return isBase58check(text, base58xrp, [XRP_CLASSIC])
  if (protocol === 'XLM') return isStellarAccount(text)
  if (protocol !== 'ETH' || !/^0x[0-9a-fA-F]{40}$/.test(text)) return false
  const hex = text.slice(2)
  return hex === hex.toLowerCase() || hex === hex.toUpperCase() || eip55(hex) === text
}

/** One spelling per address: EIP-55 for ETH, lower case for bech32. */
export function canonical(protocol: string, address: string): string {
  if (protocol === 'ETH') return eip55(address.slice(2))
  const isBitcoinLike = protocol === 'BTC' || protocol === 'LTC'
  return isBitcoinLike && /^(bc|ltc)1/i.test(address) ? address.toLowerCase() : address
}

function eip55(hex: string): string {
  const lower = hex.toLowerCase()
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)))
  const digits = Array.from(lower, (digit, index) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  )
  return `0x${digits.join('')}`
}

function checksumOf(body: Uint8Array): Uint8Array {
  return sha256(sha256(body)).subarray(0, CHECKSUM_BYTES)
}

function base58check(version: number, payload: Uint8Array, coder: BytesCoder): string {
  const body = Uint8Array.of(version, ...payload)
  return coder.encode(Uint8Array.of(...body, ...checksumOf(body)))
}

function isBase58check(text: string, coder: BytesCoder, versions: readonly number[]): boolean {
  if (text.length > LONGEST_BASE58) return false
  const bytes = decode(text, coder)
  if (bytes?.length !== BODY_BYTES + CHECKSUM_BYTES) return false
  const body = bytes.subarray(0, BODY_BYTES)
  return (
    versions.includes(bytes[0] ?? -1) &&
    Buffer.from(checksumOf(body)).equals(bytes.subarray(BODY_BYTES))
  )
}

/** Undefined when a character is wrong: the coder answers that by throwing. */
function decode(text: string, coder: BytesCoder): Uint8Array | undefined {
  try {
    return coder.decode(text)
  } catch {
    return undefined
  }
}

/** Segregated-witness addresses: BIP 173 for version 0 (written `q`), BIP 350 for the others. */
function isSegwit(text: string, prefix: string): boolean {
  if (text.length < SHORTEST_BECH32 || text.length > LONGEST_BECH32) return false
  const version = text.charAt(prefix.length + 1).toLowerCase()
  const coder = version === 'q' ? bech32 : bech32m
  return coder.decodeUnsafe(text)?.prefix === prefix
}

function stellarAccount(key: Uint8Array): string {
  const body = Uint8Array.of(XLM_ACCOUNT, ...key)
  return base32.encode(Uint8Array.of(...body, ...crc16(body)))
}

/** Not the muxed ones, whose memo is inside: 56 characters are 35 bytes, nothing is padded. */
function isStellarAccount(text: string): boolean {
  if (!/^G[A-Z2-7]{55}$/.test(text)) return false
  const bytes = base32.decode(text)
  const body = bytes.subarray(0, -XLM_CHECKSUM_BYTES)
  return Buffer.from(crc16(body)).equals(bytes.subarray(-XLM_CHECKSUM_BYTES))
}

/** CRC-16 with the polynomial 0x1021 (XModem), little-endian. */
function crc16(bytes: Uint8Array): Uint8Array {
  let checksum = 0
  for (const byte of bytes) {
    checksum ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1)
      checksum = ((checksum << 1) ^ ((checksum & 0x80_00) === 0 ? 0 : 0x10_21)) & 0xff_ff
  }
  return Uint8Array.of(checksum & 0xff, checksum >> 8)
}
