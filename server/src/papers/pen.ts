/** Writes texts onto a page, and knows beforehand how much room they take. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

export type Place = { x: number; y: number; width: number }
export type Style = {
  font?: 'bold'
  size?: number
  colour?: string
  right?: true
  /** A text of more lines is cut. */
  lines?: number
}

export const TEXT_SIZE = 9
const SMALLEST_SIZE = 5
const LINE_FACTOR = 1.4
const INK = '#1a1a1a'

const FONTS = {
  plain: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf',
} as const
let fonts: Promise<readonly [plain: Buffer, bold: Buffer]> | undefined

/** Latin, Greek and Cyrillic; read once. After a failure the next paper tries again. */
async function readFonts(): NonNullable<typeof fonts> {
  const { resolve } = createRequire(import.meta.url)
  fonts ??= Promise.all([readFile(resolve(FONTS.plain)), readFile(resolve(FONTS.bold))])
  try {
    return await fonts
  } catch (error) {
    fonts = undefined
    throw error
  }
}

/** An empty A4 document with our fonts. Its pages stay open to the end. */
export async function openDocument({
  title,
  language,
  wide,
  now,
}: {
  title: string
  language: string
  wide: boolean
  now: number
}): Promise<PDFKit.PDFDocument> {
  const [plain, bold] = await readFonts()
  // A third of a second and 35 MB, for whoever writes a paper.
  const { default: PdfWriter } = await import('pdfkit')
  const document = new PdfWriter({
    size: 'A4',
    layout: wide ? 'landscape' : 'portrait',
    margin: 0,
    bufferPages: true,
    pdfVersion: '1.7',
    // Which the types do not know yet.
    subset: 'PDF/UA' as never,
    tagged: true,
    lang: language,
    displayTitle: true,
    info: { Title: title, CreationDate: new Date(now), Creator: 'Kontor' },
  })
  document.registerFont('plain', plain)
  document.registerFont('bold', bold)
  return document
}

export class Pen {
  readonly #document: PDFKit.PDFDocument

  constructor(document: PDFKit.PDFDocument) {
    this.#document = document
  }

  heightOf(text: string, width: number, style: Style): number {
    const line = lineOf(style)
    const styled = this.#styled(style)
    if (!text.includes('\n') && styled.widthOfString(text) <= width) return line
    // A sum of lines may be a hair more than so many.
    const exact = styled.heightOfString(text, { width }) / styled.currentLineHeight(true)
    const lines = Math.ceil(exact - 0.01)
    return line * Math.min(lines, style.lines ?? lines)
  }

  write(text: string, { x, y, width }: Place, style: Style): void {
    if (text === '') return
    const height = this.heightOf(text, width, style)
    const styled = this.#styled(style).fillColor(style.colour ?? INK)
    styled.text(text, x, y, {
      align: style.right === true ? 'right' : 'left',
      width,
      lineGap: lineOf(style) - styled.currentLineHeight(true),
      // By a hair more, so that no last line is lost to rounding.
      height: height + 0.5,
      ellipsis: true,
    })
  }

  /** The largest size, up to that of the style, in which the text stands in one line. */
  sizeFor(text: string, width: number, style: Style): number {
    const { size = TEXT_SIZE } = style
    const wide = this.#styled(style).widthOfString(text)
    return wide <= width ? size : Math.max(SMALLEST_SIZE, (size * width) / wide)
  }

  #styled({ font, size = TEXT_SIZE }: Style): PDFKit.PDFDocument {
    return this.#document.font(font ?? 'plain').fontSize(size)
  }
}

const lineOf = ({ size = TEXT_SIZE }: Style): number => size * LINE_FACTOR
