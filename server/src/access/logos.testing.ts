/** For tests: small pictures, right and wrong. */
import { crc32, deflateSync } from 'node:zlib'

type Picture = {
  width: number
  height: number
  colour: number
  depth: number
  pixels: Buffer
  more: Buffer
}

export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A blue area, unless parts are given. */
export function png(parts: Partial<Picture> = {}): Buffer {
  const { width = 24, height = 12, colour = 2, depth = 8 } = parts
  const row = Buffer.concat([
    Buffer.from([0]),
    ...Array.from({ length: width }, () => Buffer.from([11, 87, 164])),
  ])
  const pixels = parts.pixels ?? Buffer.concat(Array.from({ length: height }, () => row))
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    parts.more ?? Buffer.alloc(0),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export const svg = (inside = '<circle cx="12" cy="12" r="9" fill="#0b57a4"/>'): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${inside}</svg>`)

export const dataUrl = (content: Buffer, type: string): string =>
  `data:${type};base64,${content.toString('base64')}`
