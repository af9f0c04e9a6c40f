/**
 * Whether a file is a PNG that every reader can show. It is read to its last pixel: what writes
 * papers trusts its pictures, and a small file may hold a huge one.
 */
import { crc32, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const MAXIMUM_PIXELS = 1_000
const DEPTH = 8
const PALETTE = 3
const MAXIMUM_FILTER = 4
/** Of a pixel, by the type of its colour: grey, colour, palette, and the first two with alpha. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, [PALETTE]: 1, 4: 2, 6: 4 }

/** Others, such as those of a film, are nothing that a paper needs. */
const CHUNKS = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP pHYs bKGD tIME tEXt zTXt iTXt sBIT hIST eXIf'.split(
    ' ',
  ),
)
const MOST_COLOURS = 256
/** Bytes of the transparent colour, by the type of colour. */
const CLEAR: Readonly<Record<number, number>> = { 0: 2, 2: 6 }

type Chunk = { type: string; data: Buffer }

/** What is wrong with it, in words that follow its name. */
export function faultOfPng(content: Buffer): string | undefined {
  if (!content.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return 'is not a PNG'
  const chunks = chunksOf(content.subarray(SIGNATURE.length))
  const [header, ...others] = chunks ?? []
  if (chunks === undefined || header?.type !== 'IHDR' || header.data.length !== 13)
    return 'is a PNG that is damaged'
  const strange = others.find(({ type }) => type === 'IHDR' || !CHUNKS.has(type))
  if (strange !== undefined) return `is a PNG with a part ${strange.type}: save it without`
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)]
  const [depth = 0, colour = 0, , , interlaced] = header.data.subarray(8)
  const channels = CHANNELS[colour]
  if (Math.max(width, height) > MAXIMUM_PIXELS)
    return `is ${width} × ${height} pixels large: at most ${MAXIMUM_PIXELS} each way`
  if (depth !== DEPTH || interlaced !== 0)
    return 'is a PNG of another kind: save it with 8 bits a channel, without interlacing'
  const isWhole =
    channels !== undefined &&
    hasColours(chunks, colour) &&
    hasPixels(chunks, { height, row: width * channels + 1 })
  return isWhole ? undefined : 'is a PNG that is damaged'
}

/** Undefined where one is cut off, or is not what its checksum says. */
function chunksOf(content: Buffer): Chunk[] | undefined {
  const chunks: Chunk[] = []
  let at = 0
  while (at + 12 <= content.length) {
    const end = at + 8 + content.readUInt32BE(at)
    if (end + 4 > content.length) return undefined
    if (crc32(content.subarray(at + 4, end)) !== content.readUInt32BE(end)) return undefined
    const type = content.toString('latin1', at + 4, at + 8)
    chunks.push({ type, data: content.subarray(at + 8, end) })
    at = end + 4
    if (type === 'IEND') return at === content.length ? chunks : undefined
  }
  return undefined
}

/** A palette where one is needed, and as many transparent colours as there may be. */
function hasColours(chunks: readonly Chunk[], colour: number): boolean {
  const sizesOf = (wanted: string) =>
    chunks.filter(({ type }) => type === wanted).map(({ data }) => data.length)
  const [palettes, clear] = [sizesOf('PLTE'), sizesOf('tRNS')]
  const [palette = 0] = palettes
  if (palettes.length > 1 || palette % 3 > 0 || palette > 3 * MOST_COLOURS) return false
  if (colour === PALETTE)
    return palette > 0 && clear.length <= 1 && clear.every((size) => size <= palette / 3)
  return clear.length <= 1 && clear.every((size) => size === CLEAR[colour])
}

/** `row`: the bytes of a row, with its filter before it. */
function hasPixels(
  chunks: readonly Chunk[],
  { height, row }: { height: number; row: number },
): boolean {
  const size = height * row
  if (height === 0 || row === 1) return false
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  try {
    const pixels = inflateSync(packed, { maxOutputLength: size })
    if (pixels.length !== size) return false
    for (let at = 0; at < size; at += row) if ((pixels[at] ?? 0) > MAXIMUM_FILTER) return false
    return true
  } catch {
    return false
  }
}
