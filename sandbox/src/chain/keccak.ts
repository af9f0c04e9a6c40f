/** Keccak-256 as Ethereum uses it (padding 0x01; node's sha3-256 pads with 0x06 and gives another hash). */

const RATE_BYTES = 136
const MASK = (1n << 64n) - 1n

const ROUND_CONSTANTS = roundConstants()
const ROTATIONS = rotations()

export function keccak256(message: Buffer): Buffer {
  const padded = Buffer.alloc((Math.floor(message.length / RATE_BYTES) + 1) * RATE_BYTES)
  message.copy(padded)
  padded[message.length] = 0x01
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80
  let state = Array.from({ length: 25 }, () => 0n)
  for (let block = 0; block < padded.length; block += RATE_BYTES) {
    for (let lane = 0; lane < RATE_BYTES / 8; lane += 1)
      state[lane] = at(state, lane) ^ padded.readBigUInt64LE(block + lane * 8)
    state = permute(state)
  }
  const digest = Buffer.alloc(32)
  for (let lane = 0; lane < 4; lane += 1) digest.writeBigUInt64LE(at(state, lane), lane * 8)
  return digest
}

/** Keccak-f[1600]: theta, rho and pi, chi, iota, 24 times. Lane (x, y) is at index x + 5y. */
function permute(start: bigint[]): bigint[] {
  let lanes = start
  for (const constant of ROUND_CONSTANTS) {
    const columns = [0, 1, 2, 3, 4].map((x) =>
      [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ at(lanes, x + y), 0n),
    )
    lanes = lanes.map(
      (lane, index) =>
        lane ^ at(columns, (index + 4) % 5) ^ rotate(at(columns, (index + 1) % 5), 1n),
    )
    const moved = Array.from({ length: 25 }, () => 0n)
    for (let x = 0; x < 5; x += 1) {
      for (let y = 0; y < 5; y += 1)
        moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(
          at(lanes, x + 5 * y),
          at(ROTATIONS, x + 5 * y),
        )
    }
    lanes = moved.map((lane, index) => {
      const row = index - (index % 5)
      return (
        lane ^ (~at(moved, row + ((index + 1) % 5)) & MASK & at(moved, row + ((index + 2) % 5)))
      )
    })
    lanes[0] = at(lanes, 0) ^ constant
  }
  return lanes
}

function at(lanes: readonly bigint[], index: number): bigint {
  return lanes[index] ?? 0n
}

function rotate(lane: bigint, by: bigint): bigint {
  return ((lane << by) | (lane >> (64n - by))) & MASK
}

function rotations(): bigint[] {
  const table = Array.from({ length: 25 }, () => 0n)
  let [x, y] = [1, 0]
  for (let step = 0; step < 24; step += 1) {
    table[x + 5 * y] = BigInt((((step + 1) * (step + 2)) / 2) % 64)
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
  }
  return table
}

/** From the linear feedback register x^8 + x^6 + x^5 + x^4 + 1. */
function roundConstants(): bigint[] {
  let register = 1
  return Array.from({ length: 24 }, () => {
    let constant = 0n
    for (let bit = 0; bit < 7; bit += 1) {
      if (register & 1) constant |= 1n << BigInt(2 ** bit - 1)
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1
    }
    return constant
  })
}
