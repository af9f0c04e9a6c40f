import { randomFillSync } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const UUID_PATTERN = UUID.source

const POOL_BYTES = 4096
const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES
let lastMilliseconds = 0
let counter = 0

/** UUIDv7 (RFC 9562): ordered by time, and within one process strictly increasing. */
export function newId(milliseconds: number = Date.now()): string {
  if (milliseconds > lastMilliseconds) {
    lastMilliseconds = milliseconds
    counter = randomBits() & 0x7ff
  } else {
    counter += 1
    if (counter > 0xfff) {
      lastMilliseconds += 1
      counter = randomBits() & 0x7ff
    }
  }
  return idOf(lastMilliseconds, counter)
}

let lastAt = 0
let counterAt = 0

/** UUIDv7 that carries exactly this time, so that a range of times is a range of ids; of one time up to 4096 in a row increase. */
export function idAt(milliseconds: number): string {
  counterAt = milliseconds === lastAt && counterAt < 0xfff ? counterAt + 1 : randomBits() & 0x7ff
  lastAt = milliseconds
  return idOf(milliseconds, counterAt)
}

/** No `idAt` of this time or later is less, and none of an earlier time is greater. */
export function firstIdAt(milliseconds: number): string {
  const time = milliseconds.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

function idOf(milliseconds: number, counted: number): string {
  if (used + 8 > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const time = milliseconds.toString(16).padStart(12, '0')
  const tail = pool.toString('hex', used, used + 8)
  used += 8
  const variant = ((parseInt(tail.charAt(0), 16) & 0x3) | 0x8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counted.toString(16).padStart(3, '0')}-${variant}${tail.slice(1, 4)}-${tail.slice(4, 16)}`
}

function randomBits(): number {
  if (used + 2 > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const bits = pool.readUInt16LE(used)
  used += 2
  return bits
}

export function isId(text: string): boolean {
  return UUID.test(text)
}
