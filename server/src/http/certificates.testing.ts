/** For tests: certificates that sign themselves, written as RFC 5280 has them. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import type { CertificateFiles } from './certificate.ts'

type Pem = { cert: string; key: string }

const HOUR_MILLISECONDS = 3_600_000
const [BOOLEAN, INTEGER, BIT_STRING, OCTET_STRING] = [0x01, 0x02, 0x03, 0x04]
const [OBJECT_ID, UTF8_STRING, UTC_TIME, SEQUENCE, SET] = [0x06, 0x0c, 0x17, 0x30, 0x31]
const [VERSION, EXTENSIONS, DNS_NAME, IP_ADDRESS] = [0xa0, 0xa3, 0x82, 0x87]
const COMMON_NAME = '550403'
const ALTERNATIVE_NAMES = '551d11'
const BASIC_CONSTRAINTS = '551d13'
const ECDSA_WITH_SHA256 = '2a8648ce3d040302'

/** For these names and addresses, valid until so many milliseconds from now. */
export function selfSigned(
  names: readonly string[] = ['localhost', '127.0.0.1'],
  valid_ms = HOUR_MILLISECONDS,
): Pem {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Date.now()
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, objectId(COMMON_NAME), der(UTF8_STRING, Buffer.from('A test')))),
  )
  const alternatives = names.map((text) =>
    isIPv4(text)
      ? der(IP_ADDRESS, Buffer.from(text.split('.').map(Number)))
      : der(DNS_NAME, Buffer.from(text)),
  )
  const algorithm = der(SEQUENCE, objectId(ECDSA_WITH_SHA256))
  const content = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    der(SEQUENCE, utcTime(now - 24 * HOUR_MILLISECONDS), utcTime(now + valid_ms)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      EXTENSIONS,
      der(
        SEQUENCE,
        extension(ALTERNATIVE_NAMES, der(SEQUENCE, ...alternatives)),
        extension(BASIC_CONSTRAINTS, der(SEQUENCE, der(BOOLEAN, Buffer.from([0xff])))),
      ),
    ),
  )
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', content, privateKey))
  const lines = der(SEQUENCE, content, algorithm, signature)
    .toString('base64')
    .match(/.{1,64}/g)
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { cert: pem(lines ?? []), key }
}

/** Writes a pair to the two files of a folder. */
export async function writePair(folder: string, { cert, key }: Pem): Promise<CertificateFiles> {
  const files = { certificate: join(folder, 'kontor.crt'), key: join(folder, 'kontor.key') }
  await writeFile(files.certificate, cert)
  await writeFile(files.key, key)
  return files
}

const pem = (lines: readonly string[]): string =>
  ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), body])
}

const objectId = (hex: string): Buffer => der(OBJECT_ID, Buffer.from(hex, 'hex'))

const extension = (id: string, value: Buffer): Buffer =>
  der(SEQUENCE, objectId(id), der(OCTET_STRING, value))

function utcTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/\D/g, '').slice(2, 14)
  return der(UTC_TIME, Buffer.from(`${digits}Z`))
}
